"""Removing continues after each step that fails, and reports what is left."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from lab import multihomed
from malob.endhost import setup
from malob.endhost.options import Settings, UplinkOption
from malob.endhost.place import Place
from malob.errors import ScriptError, run_main
from malob.system.cleanup import Cleanup
from malob.system.journal import Journal
from malob.system.lock import locked
from research.testbed import rehearsal


class CleanupTest(unittest.TestCase):
    def test_all_steps_are_taken_and_the_failed_ones_told(self) -> None:
        done: list[int] = []
        cleanup = Cleanup()
        cleanup.step("first", lambda: {"y": 1}["x"])
        cleanup.step("second", lambda: done.append(2))
        cleanup.step("third", lambda: Path("/nowhere/at/all").unlink())
        with self.assertRaisesRegex(ScriptError, r"^not everything could be removed: first: KeyError\('x'\); third: .*No such file"):
            cleanup.finish()
        self.assertEqual([2], done)

    def test_failure_that_came_first_is_told_as_well(self) -> None:
        def main() -> int:
            try:
                raise ScriptError("the controller ended at once")
            finally:
                cleanup = Cleanup()
                cleanup.step("bridges", lambda: Path("/nowhere").read_text())
                cleanup.finish()

        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as end:
            run_main(main, "malob x")
        lines = said.getvalue().splitlines()
        self.assertEqual((1, 2, "malob x: the controller ended at once"), (end.exception.code, len(lines), lines[0]))
        self.assertIn("malob x: not everything could be removed: bridges", lines[1])


class EndhostTest(unittest.TestCase):
    def test_full_disk_keeps_nothing_from_being_undone(self) -> None:
        """an end host's journal cannot be written"""
        undone: list[str] = []
        undo = {kind: lambda _, step: undone.append(step["kind"]) for kind in ("inside", "firewall")}
        ours = setup.Setup(Place("host"), Settings((UplinkOption.parse("eth0"), UplinkOption.parse("eth1"))))
        with tempfile.TemporaryDirectory() as directory:
            ours.journal = Journal(Path(directory, "journal.json"))
            ours.journal.begin()
            for kind in ("inside", "firewall"):
                ours.journal.add(kind)
            with (
                mock.patch.object(setup, "_UNDO", undo),
                mock.patch.object(ours, "_part"),
                mock.patch.object(Path, "write_text", side_effect=OSError(28, "No space left on device")),
                self.assertRaisesRegex(ScriptError, "No space left on device"),
            ):
                ours.undo()
        self.assertEqual(["firewall", "inside"], undone)


class UplinksTest(unittest.TestCase):
    """The network of experiments with uplinks, of which there is room for one."""

    def test_second_one_is_refused_and_removes_nothing(self) -> None:
        with (
            tempfile.TemporaryDirectory() as directory,
            mock.patch.object(multihomed, "RUN_DIRECTORY", Path(directory)),
            mock.patch.object(multihomed, "clear") as clear,
            locked(Path(directory, f"{multihomed.NAME}.lock"), "is running an experiment with uplinks", 0),
        ):
            with self.assertRaisesRegex(ScriptError, r"^process \d+ is running an experiment with uplinks"), multihomed.open_network([], "cubic"):
                self.fail("it began")
            clear.assert_not_called()


class RehearsalTest(unittest.TestCase):
    def test_second_one_is_refused_and_removes_nothing(self) -> None:
        with (
            tempfile.TemporaryDirectory() as directory,
            mock.patch.object(rehearsal, "RUN_DIRECTORY", Path(directory)),
            mock.patch.object(rehearsal, "prepare"),
            mock.patch.object(rehearsal.namespaces, "delete") as delete,
            locked(Path(directory, "mlr.lock"), "is rehearsing a slice", 0),
        ):
            with self.assertRaisesRegex(ScriptError, r"^process \d+ is rehearsing a slice"), rehearsal.Rehearsal(mock.Mock(nodes=[], connections=[])):
                self.fail("it began")
            delete.assert_not_called()


if __name__ == "__main__":
    unittest.main()
