"""The findings of `bench failover`, and its command line."""

from __future__ import annotations

import argparse
import unittest

from research.bench.failover import findings, run
from research.bench.failover.findings import Fault, Record
from research.bench.proactive.clients import Slow
from research.bench.proactive.findings import Totals
from research.bench.soak.model import Failure


def failure(ended: float, outcome: str = "reset", progress: float = 0) -> Failure:
    told = {"kind": "short", "server": None, "outcome": outcome, "began": 0.0, "progress": progress, "ended": ended}
    return Failure.of("c1", "failover", told)


def record(faults: list[Fault], failures: list[Failure], slow: list[Slow]) -> Record:
    return Record(100.0, 60.0, faults, Totals(short=1000, downloads=20, bytes=5_000_000, connect_max_ms=0), failures, slow)


class FindingsTest(unittest.TestCase):
    FAULTS = [Fault("kill", 100.0, 1000, 0.5), Fault("no-quorum", 130.0, 200)]

    def test_nothing_broken_and_nothing_too_slow_is_right(self) -> None:
        found = findings.document(record(self.FAULTS, [], [Slow(101.0, 990), Slow(140.0, 150)]))
        self.assertTrue(found["ok"])
        self.assertEqual([(1, 990, 0.5), (1, 150, None)], [(each["slow"], each["slowest_ms"], each["takeover_s"]) for each in found["faults"]])

    def test_connection_counts_for_the_fault_before_it(self) -> None:
        found = findings.document(record(self.FAULTS, [failure(129.9), failure(130.1)], [Slow(129.0, 1001)]))
        self.assertFalse(found["ok"])
        self.assertEqual([{"reset": 1}, {"reset": 1}], [each["broken"] for each in found["faults"]])
        self.assertEqual([1001, 0], [each["slowest_ms"] for each in found["faults"]])

    def test_connection_that_timed_out_was_broken_when_it_last_made_progress(self) -> None:
        found = findings.document(record(self.FAULTS, [failure(150.0, "timeout", 120.0)], []))
        self.assertEqual([{"timeout": 1}, {}], [each["broken"] for each in found["faults"]])

    def test_broken_promises_are_told(self) -> None:
        slow = findings.document(record(self.FAULTS, [], [Slow(140.0, 201)]))
        self.assertEqual([True, False], [each["ok"] for each in slow["faults"]])
        wrong = findings.document(record([Fault("kill", 100.0, 1000, 0.5, ["they disagree"])], [], []))
        self.assertFalse(wrong["ok"])
        self.assertIn("wrong, kill: they disagree", findings.text(wrong))


class CommandTest(unittest.TestCase):
    def test_faults_by_name(self) -> None:
        self.assertEqual(("kill", "cut"), run._faults("kill,cut"))
        with self.assertRaisesRegex(argparse.ArgumentTypeError, "no fault 'fire'; there are: kill, "):
            run._faults("kill,fire")
