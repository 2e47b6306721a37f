"""A short run of what an hour of `bench soak` does."""

from __future__ import annotations

import unittest

from base.waiting import say
from bench.soak import findings, run

SECONDS = 15
RATE = 20
#: One event a second, of all kinds that are soon over.
EVERY_S = 1.0
KINDS = ("weight", "drain", "remove", "disable", "kill", "unlink")
SEED = 5


class SoakTest(unittest.TestCase):
    needs = ("emulator",)

    def test_model_holds_while_everything_comes_and_goes(self) -> None:
        """every connection ends well or for a stated reason, and nothing is left of them on either side"""
        found = findings.document(run.soak(run.Plan(SECONDS, SEED, RATE, KINDS, EVERY_S)).record)
        for line in findings.text(found):
            say(f"  {line}")
        # how soon REST answers beside other tests is no fault of the controller's
        self.assertEqual([], [each for each in found["violations"] if not each["sentence"].startswith("REST: p99")])
        self.assertGreater(found["connections"]["ended_well"], SECONDS * RATE / 2)
        self.assertGreater(found["comparisons"], 0)
