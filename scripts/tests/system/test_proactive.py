"""A minute of what `bench proactive` does: no connection breaks when buckets move, or while there is no controller."""

from __future__ import annotations

import unittest
from typing import Any

import pytest

from malob.system.waiting import say
from research.bench.proactive import findings, run
from research.bench.proactive.clients import Load
from research.bench.proactive.findings import Record

LOAD = Load(rate=60, downloads=5)
DOWN_S = 10


@pytest.mark.long
class ProactiveTest(unittest.TestCase):
    def test_moves_break_no_connection(self) -> None:
        """weights, a member that is added, drained and removed, and a link that fails, each once"""
        found = self.check(run.move_buckets(LOAD, wanted=1))
        self.assertEqual({"steady": 1, "weight": 1, "add": 1, "drain": 1, "remove": 1, "link": 1}, found["steps"])
        for cause in ("weight", "add", "drain"):
            self.assertGreater(found["moved_by_cause"][cause], 10, cause)
        self.assertGreater(found["connections"]["downloads"], 2 * LOAD.downloads)

    def test_connections_go_on_without_a_controller(self) -> None:
        """kill -9, then a restart: old and new connections work all the time, and no bucket moves"""
        found = self.check(run.without_controller(LOAD, DOWN_S))
        self.assertEqual(0, found["moved_by_cause"]["restart"])

    def check(self, record: Record) -> dict[str, Any]:
        found = findings.document(record)
        for line in findings.text(found):
            say(f"  {line}")
        self.assertEqual(([], []), (found["failures"], found["wrong"]))
        self.assertGreater(found["connections"]["short"], LOAD.rate * found["seconds"] / 2)
        self.assertGreaterEqual(found["buckets"], 2 * 64, "at two switches")
        return found
