"""`bench tracked`: the changes that are drawn, the flood's frames, reading the connection table, the report, and wrong use."""

from __future__ import annotations

import contextlib
import io
import random
import socket
import unittest
from collections import Counter
from unittest import mock

from lab.faults import flood
from malob.errors import UsageError
from research.bench.proactive import findings
from research.bench.proactive.clients import Load
from research.bench.proactive.findings import Record, Step, Totals
from research.bench.soak.model import Failure
from research.bench.tracked import idling
from research.bench.tracked.changing import ALGORITHMS, Changing
from research.bench.tracked.run import TrackedCommand

_MAC = bytes.fromhex("02000a000001")
_TABLE = """Connections Stats:
    Total: 49943
        TCP: 49943
"""


class ChangingTest(unittest.TestCase):
    def draw(self, seed: int, count: int) -> tuple[mock.Mock, list[str]]:
        """The site, and the names of changes, which have been made."""
        site = mock.Mock(servers=["w1", "w2"])
        changing, chance, names = Changing(site, Load(1, 1)), random.Random(seed), []
        for _ in range(count):
            name, change = changing.draw(chance)
            change()
            names.append(name)
        return site, names

    def test_all_kinds_of_changes_happen_and_a_seed_repeats_them(self) -> None:
        site, names = self.draw(3, 300)
        self.assertEqual((site.mock_calls, names), (lambda again: (again[0].mock_calls, again[1]))(self.draw(3, 300)))
        self.assertEqual({"weight", "drain", "undrain", "algorithm"}, set(names))
        self.assertEqual(set(ALGORITHMS), {call.args[0] for call in site.place_by.mock_calls})
        self.assertTrue(all(len(call.args[0]) == 2 and min(call.args[0]) >= 1 for call in site.weigh.mock_calls))

    def test_member_is_drained_and_comes_back_in_turn(self) -> None:
        _, names = self.draw(1, 300)
        drains = [name for name in names if name.endswith("drain")]
        self.assertEqual(["drain", "undrain"] * (len(drains) // 2), drains[: len(drains) // 2 * 2])
        self.assertGreater(Counter(drains)["drain"], 10)


class FloodTest(unittest.TestCase):
    def frame(self, right: bool) -> bytes:
        return flood.syn(_MAC, socket.inet_aton("10.0.0.100"), 80, 0x0B000001, right)

    def test_checksums_of_a_right_frame_hold(self) -> None:
        frame = self.frame(True)
        head, tcp = frame[14:34], frame[34:]
        self.assertEqual(0, flood.checksum(head))
        # the sum includes addresses, the protocol and the length
        self.assertEqual(0, flood.checksum(head[12:20] + bytes([0, socket.IPPROTO_TCP, 0, len(tcp)]) + tcp))

    def test_checksum_of_tcp_is_wrong_otherwise(self) -> None:
        right, wrong = self.frame(True), self.frame(False)
        self.assertEqual(54, len(wrong))
        self.assertEqual([50, 51], [place for place in range(54) if right[place] != wrong[place]])


class TableTest(unittest.TestCase):
    def test_entries_are_those_of_the_whole_table(self) -> None:
        self.assertEqual(49_943, idling.entries_in(_TABLE))
        self.assertEqual(0, idling.entries_in("Connections Stats:\n"))


class CommandTest(unittest.TestCase):
    def found(self, *failures: Failure) -> dict[str, object]:
        steps = [Step(idling.SILENCE, 0, 0), Step(idling.FLOOD, 10, 0)]
        record = Record(0, 40, steps, 128, Totals(0, 0, 800, 3.5, 20), failures)
        return {**findings.document(record), "forged": 420_000, "entries": 210_000}

    def test_report_has_the_flood_and_broken_connections_by_what_came_before(self) -> None:
        told = {"kind": "silent", "outcome": "reset", "began": 0, "progress": 1, "ended": 39, "server": "w1"}
        each = self.found(Failure.of("c1", "proactive", told))
        self.assertFalse(each["ok"])
        shown = "\n".join(TrackedCommand().lines({"ok": False, "cases": {"idle": each}}))
        for words in ("idle:", "20 silent ones", "1 reset", "420,000 forged SYNs; then 210,000 entries in the connection table"):
            self.assertIn(words, shown)

    def test_flood_is_within_the_silence(self) -> None:
        with self.assertRaisesRegex(UsageError, "--flood: longer than --silence"):
            TrackedCommand().options(["--silence", "1", "--flood", "61"])
        self.assertEqual(["idle"], TrackedCommand().options(["--silence", "1", "--flood", "60", "--case", "idle"]).case)

    def test_wrong_options_are_refused_by_name(self) -> None:
        for words in (["--changes", "0"], ["--pace", "x"], ["--case", "flood"]):
            with self.subTest(words=words), contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertRaises(SystemExit, TrackedCommand().options, words)
                self.assertIn(words[0], said.getvalue())


if __name__ == "__main__":
    unittest.main()
