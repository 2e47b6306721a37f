"""The parts of ./malob in bash."""

from __future__ import annotations

import os
import pty
import subprocess
import tempfile
import unittest
from pathlib import Path

from base.place import ROOT


class ProgressTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = Path(directory.name, "seconds")

    def _script(self, command: str) -> "list[str]":
        return ["bash", "-c", f"""
            set -euo pipefail
            as_owner() {{ "$@"; }}
            . {ROOT}/scripts/launcher/progress.sh
            with_progress "building" {self.file} {command} || exit $?"""]

    def _on_terminal(self, command: str) -> "tuple[int, str]":
        child, terminal = pty.fork()
        if child == 0:
            os.execvp("bash", self._script(command))
        shown = b""
        while True:
            try:
                shown += os.read(terminal, 1000)
            except OSError:  # the other end is closed
                break
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()

    def test_terminal_shows_the_time_left_by_the_last_time(self) -> None:
        self.file.write_text("90\n")
        code, shown = self._on_terminal("sleep 0.5")
        self.assertEqual(0, code)
        self.assertTrue(shown.startswith("\r\033[K[........................] building, about 1 min 30 s left"), repr(shown))
        self.assertTrue(shown.endswith("\r\033[K"), repr(shown))
        self.assertEqual(1, len(self.file.read_text().split()))
        self.assertLess(int(self.file.read_text()), 90)

    def test_failure_is_passed_on_and_its_time_forgotten(self) -> None:
        self.file.write_text("nonsense\n")
        code, shown = self._on_terminal("bash -c 'sleep 0.2; exit 3'")
        self.assertEqual(3, code)
        self.assertIn("about 2 min 00 s left", shown)
        self.assertEqual("nonsense\n", self.file.read_text())

    def test_elsewhere_is_quiet(self) -> None:
        done = subprocess.run(self._script("bash -c 'echo out; echo err >&2; exit 4'"), capture_output=True, text=True)
        self.assertEqual((4, "out\n", "err\n"), (done.returncode, done.stdout, done.stderr))
        self.assertFalse(self.file.exists())


if __name__ == "__main__":
    unittest.main()
