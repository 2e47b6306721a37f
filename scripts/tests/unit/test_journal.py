"""The journal of what is created as root: whatever fails, and wherever, what was created is undone or still known."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from malob.errors import ScriptError
from malob.system.cleanup import Cleanup
from malob.system.journal import Journal, Step
from malob.system.place import ROOT

#: How many files a system of these tests has when all is created.
_N = 6

#: Creates as System does, and ends at once as after kill -9: before it has created file number argv[3], or after.
_KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from malob.system.journal import Journal
place, last, created = Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "after"
journal = Journal(place / "deep" / "journal.json")
journal.begin()
for number in range(last + 1):
    journal.add("file", number=number)
    if number < last or created:
        (place / str(number)).touch()
os._exit(9)
"""


class JournalTest(unittest.TestCase):
    """What is created are files in a directory. self.broken: those that cannot be removed."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        self.path = self.place / "deep" / "journal.json"
        self.journal = Journal(self.path)
        self.broken: set[int] = set()
        self.undone: list[int] = []

    def create(self, failing: int | None = None, error: type[BaseException] = ScriptError) -> None:
        self.journal.begin()
        for number in range(_N):
            self.journal.add("file", number=number)
            if number == failing:
                raise error("no luck")
            (self.place / str(number)).touch()

    def remove(self, step: Step) -> None:
        if step["number"] in self.broken:
            raise OSError(16, "Device or resource busy")
        (self.place / str(step["number"])).unlink(missing_ok=True)
        self.undone.append(step["number"])

    def undo(self, journal: Journal | None = None) -> list[str]:
        cleanup = Cleanup()
        (journal or self.journal).undo({"file": self.remove}, cleanup)
        return cleanup.failures

    def left(self) -> list[str]:
        return sorted(path.name for path in self.place.iterdir() if path.name.isdigit())

    def noted(self) -> list[int]:
        return [step["number"] for step in self.journal.steps()]

    def test_whichever_creation_fails_all_is_undone_in_reverse_order(self) -> None:
        for failing in range(_N):
            for error in (ScriptError, OSError, KeyboardInterrupt):
                with self.subTest(failing=failing, error=error):
                    self.undone = []
                    with self.assertRaises(error):
                        self.create(failing, error)
                    self.assertEqual(failing, len(self.left()))
                    self.assertEqual([], self.undo())
                    self.assertEqual(([], [], list(range(failing, -1, -1))), (self.left(), self.noted(), self.undone))
                    self.journal.end()

    def test_whichever_note_cannot_be_written_nothing_is_created_that_is_not_noted(self) -> None:
        whole = Path.replace
        for failing in range(_N + 1):
            writes = iter(range(_N + 1))

            def replace(path: Path, target: Path, failing: int = failing, writes: object = writes) -> Path:
                if next(writes) == failing:  # type: ignore[call-overload]
                    raise OSError(28, "No space left on device")
                return whole(path, target)

            with self.subTest(failing=failing):
                with (
                    mock.patch.object(Path, "replace", replace),
                    self.assertRaisesRegex(ScriptError, "journal.json cannot be written: No space left on device"),
                ):
                    self.create()
                self.assertEqual(max(0, failing - 1), len(self.left()))
                self.assertEqual([], [path.name for path in self.path.parent.iterdir() if path != self.path])
                if self.journal.exists():
                    self.assertEqual([], self.undo())
                    self.journal.end()
                self.assertEqual([], self.left())

    def test_whichever_undoing_fails_the_others_are_done_and_it_is_told_and_done_the_next_time(self) -> None:
        for failing in range(_N):
            with self.subTest(failing=failing):
                self.create()
                self.broken = {failing}
                [told] = self.undo()
                self.assertRegex(told, "^file: .*Device or resource busy")
                self.assertEqual(([str(failing)], [failing]), (self.left(), self.noted()))
                self.broken = set()
                self.assertEqual([], self.undo())
                self.assertEqual(([], []), (self.left(), self.noted()))
                self.journal.end()

    def test_several_failures_are_all_told(self) -> None:
        self.create()
        self.broken = {1, 4}
        self.assertEqual(2, len(self.undo()))
        self.assertEqual([1, 4], self.noted())

    def test_whenever_the_undoing_is_interrupted_the_next_one_finishes(self) -> None:
        for failing in range(_N):
            with self.subTest(failing=failing):
                self.create()

                def interrupted(step: Step, failing: int = failing) -> None:
                    if step["number"] == failing:
                        raise KeyboardInterrupt
                    self.remove(step)

                with self.assertRaises(KeyboardInterrupt):
                    self.journal.undo({"file": interrupted}, Cleanup())
                self.assertEqual(list(range(failing + 1)), self.noted())
                self.assertEqual([], self.undo())
                self.assertEqual(([], []), (self.left(), self.noted()))
                self.journal.end()

    def test_whichever_forgetting_cannot_be_written_nothing_is_left(self) -> None:
        self.create()
        with mock.patch.object(Path, "write_text", side_effect=OSError(28, "No space left on device")):
            self.assertEqual(_N, len(self.undo()))
        self.assertEqual(([], list(range(_N))), (self.left(), self.noted()))
        self.assertEqual([], self.undo())
        self.assertEqual([], self.noted())

    def test_what_a_killed_process_has_created_another_one_undoes(self) -> None:
        for last, moment in ((0, "before"), (0, "after"), (3, "before"), (3, "after")):
            with self.subTest(last=last, moment=moment):
                killed = subprocess.run([sys.executable, "-c", _KILLED, str(ROOT / "scripts"), str(self.place), str(last), moment])
                self.assertEqual(9, killed.returncode)
                self.assertEqual(last + (moment == "after"), len(self.left()))
                self.assertIsNone(self.journal.owner())
                self.assertEqual([], self.undo(Journal(self.path)))
                self.assertEqual(([], []), (self.left(), self.noted()))
                self.journal.end()

    def test_one_that_is_there_is_not_begun_anew(self) -> None:
        self.create()
        with self.assertRaisesRegex(ScriptError, "lists what to undo first"):
            self.journal.begin()
        self.assertEqual(list(range(_N)), self.noted())

    def test_kind_that_is_not_known_is_told_and_stays(self) -> None:
        self.create()
        self.journal.add("device of a later version", pid=7)
        [told] = self.undo()
        self.assertEqual("device of a later version 7: this version does not know how to undo that", told)
        self.assertEqual(1, len(self.journal.steps()))

    def test_owner_and_facts(self) -> None:
        self.journal.begin(owned=False, color="red")
        self.assertIsNone(self.journal.owner())
        self.journal.take_over(color="blue")
        owner = self.journal.owner()
        self.assertEqual((os.getpid(), "blue"), (owner.pid if owner else None, self.journal.read()["color"]))
        self.journal.disown()
        self.assertIsNone(self.journal.owner())

    def test_journal_of_an_earlier_version_is_undone(self) -> None:
        self.create()
        document = json.loads(self.path.read_text())
        document["supervisor"] = document.pop("owner")
        self.path.write_text(json.dumps(document))
        owner = self.journal.owner()
        self.assertEqual(os.getpid(), owner.pid if owner else None)
        self.assertEqual([], self.undo())
        self.assertEqual(([], []), (self.left(), self.noted()))


if __name__ == "__main__":
    unittest.main()
