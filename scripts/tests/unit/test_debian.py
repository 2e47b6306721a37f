"""The trial on a release of Debian: what is refused before anything is installed. A trial itself takes many minutes."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from malob.errors import MissingError, UsageError
from tests import debian


class TrialTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        for patch in (
            mock.patch.object(os, "geteuid", lambda: 0),
            mock.patch.object(debian, "find_program", lambda name: f"/usr/sbin/{name}"),
            mock.patch.object(subprocess, "run", side_effect=AssertionError("a program is called")),
            mock.patch.object(debian.sources, "changed", lambda _: False),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def trial(self, *words: str) -> None:
        with mock.patch("sys.argv", ["debian", *words]):
            debian.main()

    def test_release_is_a_name(self) -> None:
        with self.assertRaisesRegex(UsageError, "such as trixie, not '../13'"):
            self.trial("../13")

    def test_directory_with_other_files_stays_as_it_is(self) -> None:
        (self.root / "mine").touch()
        with self.assertRaisesRegex(UsageError, "is not empty"):
            self.trial("trixie", "--keep", str(self.root))
        self.assertEqual(["mine"], os.listdir(self.root))

    def test_directory_of_another_release_is_not_taken(self) -> None:
        (self.root / "root" / "etc").mkdir(parents=True)
        (self.root / "root" / "etc" / "malob-release-of-trial").write_text("bookworm")
        with self.assertRaisesRegex(UsageError, "has bookworm"):
            self.trial("trixie", "--keep", str(self.root))

    def test_what_is_missing_is_named(self) -> None:
        with mock.patch.object(os, "geteuid", lambda: 1000), self.assertRaisesRegex(MissingError, "root"):
            self.trial("trixie")
        with mock.patch.object(debian, "find_program", lambda _: None), self.assertRaisesRegex(MissingError, "apt-get install debootstrap"):
            self.trial("trixie")

    def test_tests_run_in_the_clone_and_their_exit_code_is_passed_on(self) -> None:
        with mock.patch.multiple(debian, _install=mock.Mock(), _clone=mock.Mock(), _enter=mock.Mock(return_value=7)):
            with mock.patch("sys.argv", ["debian", "trixie", "--keep", str(self.root), "--only", "*Some*"]):
                self.assertEqual(7, debian.main())
            entered = debian._enter
            assert isinstance(entered, mock.Mock)
            entered.assert_called_once_with(self.root.resolve() / "root", ["/root/malob/malob", "--yes", "test", "--only", "*Some*"])


if __name__ == "__main__":
    unittest.main()
