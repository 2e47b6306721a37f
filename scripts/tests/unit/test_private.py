from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from malob.cli.agents import AgentsFile
from malob.cli.tokens import TokensFile
from malob.errors import ScriptError
from malob.system import private
from malob.system.place import ROOT
from malob.system.private import PrivateFile

_OTHER = 65534
_AS_ROOT = unittest.skipUnless(os.geteuid() == 0, "only root can give files away")


class PrivateFileTest(unittest.TestCase):
    """tokens.json in a directory of a hostile owner. The secret is another user's file."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name).resolve()
        self.place.chmod(0o755)
        self.secret = self.place / "secret"
        self.secret.write_text('{"tokens": []}')
        self.secret.chmod(0o600)
        self.data = self.place / "data"
        self.data.mkdir()
        self.file = self.data / "tokens.json"
        if os.geteuid() == 0:
            os.chown(self.data, _OTHER, _OTHER)
        self.before = self.state_of_secret()

    def state_of_secret(self) -> tuple[Any, ...]:
        status = self.secret.stat()
        return status.st_uid, status.st_gid, status.st_mode, status.st_ino, self.secret.read_text()

    def refused(self, reason: str) -> None:
        tokens = TokensFile(self.file)
        for action in (lambda: tokens.add("ops", "admin"), lambda: tokens.remove("ops"), lambda: tokens.entries):
            with self.assertRaisesRegex(ScriptError, f"tokens.json {reason}"):
                action()
        self.assertEqual(self.before, self.state_of_secret())

    def test_symbolic_link_is_not_followed(self) -> None:
        self.file.symlink_to(self.secret)
        self.refused("is a symbolic link")
        self.assertTrue(self.file.is_symlink())

    def test_hard_link_is_refused(self) -> None:
        os.link(self.secret, self.file)
        if os.geteuid() == 0:
            os.chown(self.secret, _OTHER, _OTHER)
            self.before = self.state_of_secret()
        # the link counts as a change of neither owner nor mode
        self.refused("has other names")

    def test_what_is_no_file_is_refused_at_once(self) -> None:
        os.mkfifo(self.file)
        self.refused("is not a regular file")

    @_AS_ROOT
    def test_file_of_another_owner_is_refused(self) -> None:
        """as an old /etc/shadow would be, whose last name is a link that was made here before it was replaced"""
        self.secret.rename(self.file)
        tokens = TokensFile(self.file)
        with self.assertRaisesRegex(ScriptError, f"tokens.json belongs to user 0, and its directory to user {_OTHER}"):
            tokens.add("ops", "admin")
        self.assertEqual('{"tokens": []}', self.file.read_text())

    def test_directory_behind_a_link_of_another_user_is_refused(self) -> None:
        link = self.place / "link"
        link.symlink_to(self.data)
        TokensFile(link / "tokens.json").add("ops", "admin")
        self.assertTrue(self.file.exists())
        if os.geteuid() == 0:
            os.chown(link, _OTHER, _OTHER, follow_symlinks=False)
            with self.assertRaisesRegex(ScriptError, f"the symbolic link link belongs to user {_OTHER}, and is not followed"):
                TokensFile(link / "new" / "tokens.json").add("ops", "admin")
            self.assertFalse((self.data / "new").exists())

    def test_file_that_is_replaced_between_check_and_use(self) -> None:
        """whatever lies under our temporary name in the end, only what we have made is given away"""
        dump = json.dump

        def replacing(document: Any, out: Any, **how: Any) -> None:
            dump(document, out, **how)
            made = [path for path in self.data.iterdir() if path.name.startswith(".tokens-")]
            self.assertEqual(1, len(made))
            made[0].unlink()
            made[0].symlink_to(self.secret)

        with mock.patch("json.dump", replacing):
            TokensFile(self.file).add("ops", "admin")
        self.assertEqual(self.before, self.state_of_secret())
        self.refused("is a symbolic link")

    @_AS_ROOT
    def test_directorys_owner_can_read_what_root_wrote(self) -> None:
        for _ in range(2):
            TokensFile(self.file).add(f"ops{_}", "admin")
            AgentsFile(self.data / "agents.json").add(f"web{_}", "server", f"10.0.0.{_}")
        for path in self.data.iterdir():
            status = path.stat()
            self.assertEqual((_OTHER, _OTHER, 0o600), (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)), path)

    def test_own_directory_needs_no_change_of_owners(self) -> None:
        """the filter of system calls of a service refuses it"""
        os.chown(self.data, os.geteuid(), os.getegid())
        with mock.patch.object(os, "fchown", side_effect=PermissionError):
            TokensFile(self.file).add("ops", "admin")
        self.assertTrue(self.file.exists())

    def test_failed_change_leaves_all_as_it_was(self) -> None:
        tokens = TokensFile(self.file)
        tokens.add("ops", "admin")
        before = self.file.read_text()
        with (
            mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")),
            self.assertRaisesRegex(ScriptError, "tokens.json cannot be written: No space left on device"),
        ):
            tokens.add("more", "admin")
        self.assertEqual(before, self.file.read_text())
        self.assertEqual([], list(self.data.glob(".tokens-*")))


class ConcurrentChangesTest(unittest.TestCase):
    """Commands that change one file at the same time."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.data = Path(directory.name) / "data"

    def all_at_once(self, command: str, words: list[list[str]]) -> None:
        commands = [
            subprocess.Popen(
                [sys.executable, "-B", str(ROOT / "scripts" / "command.py"), "malob.cli", command, "--data", str(self.data), *each],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for each in words
        ]
        said = [command.communicate(timeout=60)[1] for command in commands]
        self.assertEqual([0] * len(words), [command.returncode for command in commands], said)

    def test_no_token_and_no_agent_is_lost(self) -> None:
        names = [f"n{number}" for number in range(8)]
        self.all_at_once("token", [["add", name, "--role", "admin"] for name in names])
        self.assertEqual(names, sorted(token["name"] for token in TokensFile(self.data / "tokens.json").entries))
        self.all_at_once("agent", [["add", name, "--kind", "server", "--address", f"10.0.0.{number}"] for number, name in enumerate(names)])
        self.assertEqual(names, sorted(agent["id"] for agent in AgentsFile(self.data / "agents.json").entries))

    def test_change_reads_what_others_have_written_meanwhile(self) -> None:
        ours, theirs = TokensFile(self.data / "tokens.json"), TokensFile(self.data / "tokens.json")
        self.assertEqual([], ours.entries)
        theirs.add("theirs", "admin")
        ours.add("ours", "admin")
        self.assertEqual(["theirs", "ours"], [token["name"] for token in ours.entries])

    def test_gives_up_on_a_lock_that_is_never_released(self) -> None:
        TokensFile(self.data / "tokens.json").add("ops", "admin")
        with PrivateFile(self.data / "tokens.json", "tokens").locked(), mock.patch.object(private, "_PATIENCE_S", 0.2):
            begun = time.monotonic()
            with self.assertRaisesRegex(ScriptError, "another command is changing .*tokens.json; waited 0.2 s"):
                TokensFile(self.data / "tokens.json").add("more", "admin")
            self.assertLess(time.monotonic() - begun, 5)


if __name__ == "__main__":
    unittest.main()
