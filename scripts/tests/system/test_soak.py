"""A minute of what an hour of `bench soak` does."""

from __future__ import annotations

import unittest

import pytest

from malob.system.waiting import say
from research.bench.soak import findings, run

SECONDS = 60
RATE = 10
EVERY_S = 2.0
#: Not those in which the controller stands still or ends: other tests show what becomes of that.
KINDS = ("weight", "drain", "remove", "disable", "kill", "unlink", "flap", "orphan", "restart")
SEED = 5


@pytest.mark.needs("emulator")
@pytest.mark.beside
class SoakTest(unittest.TestCase):
    def test_model_holds_while_everything_comes_and_goes(self) -> None:
        """every connection ends well or for a stated reason, and nothing is left of them on either side"""
        found = findings.document(run.soak(run.Plan(SECONDS, SEED, RATE, KINDS, EVERY_S))[0])
        for line in findings.text(found):
            say(f"  {line}")
        # how soon REST answers beside other tests is no fault of the controller's
        self.assertEqual([], [each for each in found["violations"] if not each["sentence"].startswith("REST: p99")])
        self.assertGreater(found["connections"]["ended_well"], SECONDS * RATE / 2)
        self.assertGreater(found["comparisons"], 0)
