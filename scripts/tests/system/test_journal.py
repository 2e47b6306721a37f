"""What is created as root, with a failure at each command: it is all undone."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from malob.errors import ScriptError
from malob.system import namespaces, processes
from malob.system.cleanup import Cleanup
from malob.system.journal import Journal
from malob.system.namespaces import End

_NAMES = ["mlz-1", "mlz-2"]


class CreatingTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.journal = Journal(Path(directory.name, "journal.json"))
        self.calls = 0

    def create(self) -> None:
        namespaces.add(self.journal, _NAMES)
        namespaces.add_pair(self.journal, End("mlz-a"), End("eth0", "mlz-1"))
        namespaces.add_pair(self.journal, End("eth1", "mlz-1"), End("eth1", "mlz-2"))
        namespaces.add_pair(self.journal, End("mlz-b"), End("mlz-c"))

    def undo(self) -> list[str]:
        cleanup = Cleanup()
        self.journal.undo(namespaces.UNDO, cleanup)
        return cleanup.failures

    def failing_at(self, last: int, done: bool) -> Any:
        """done: the command that fails has done what it is to do, as one that is killed just then."""

        command = processes.run

        def run(*words: Any, **options: Any) -> str:
            self.calls += 1
            if self.calls == last and not done:
                raise ScriptError("no luck")
            answer: str = command(*words, **options)
            if self.calls == last:
                raise ScriptError("no luck")
            return answer

        self.calls = 0
        return mock.patch.object(namespaces, "run", run)

    def left(self) -> list[str]:
        return [path.name for place in ("/run/netns", "/sys/class/net") for path in Path(place).glob("mlz-*")]

    def test_whichever_command_fails_nothing_is_left(self) -> None:
        with self.failing_at(0, False):
            self.journal.begin()
            self.create()
        commands = self.calls
        self.assertEqual({*_NAMES, "mlz-a", "mlz-b", "mlz-c"}, set(self.left()))
        self.assertEqual(([], []), (self.undo(), self.left()))
        for last in range(1, commands + 1):
            for done in (False, True):
                self.journal.end()
                self.journal.begin()
                with self.subTest(last=last, done=done):
                    with self.failing_at(last, done), self.assertRaisesRegex(ScriptError, "no luck"):
                        self.create()
                    self.assertEqual(([], [], []), (self.undo(), self.left(), self.journal.steps()))

    def test_what_cannot_be_undone_is_told_and_undone_the_next_time(self) -> None:
        self.journal.begin()
        self.create()
        with mock.patch.object(namespaces, "delete", side_effect=ScriptError("busy")):
            self.assertEqual(["namespaces: busy"], self.undo())
        self.assertEqual(set(_NAMES), set(self.left()))
        self.assertEqual(([], [], []), (self.undo(), self.left(), self.journal.steps()))


if __name__ == "__main__":
    unittest.main()
