from __future__ import annotations

import unittest

from lab.shaping import trace
from lab.shaping.trace import Step
from malob.errors import UsageError


class TraceTest(unittest.TestCase):
    def test_rows_become_steps(self) -> None:
        parsed = trace.parse("t", "# a walk\n# through town\nseconds,rate_mbps,delay_ms\n0,10,5\n# later\n1.5,2.5,40\n")
        self.assertEqual("a walk through town", parsed.description)
        self.assertEqual((Step(0, 10, 5), Step(1.5, 2.5, 40)), parsed.steps)

    def test_last_row_lasts_as_long_as_the_one_before(self) -> None:
        self.assertEqual(5, trace.parse("t", "seconds,rate_mbps\n0,1\n2,2\n3.5,3\n").period_s)
        self.assertEqual(1, trace.parse("t", "seconds,rate_mbps\n0,1\n").period_s)

    def test_plan_is_in_whole_numbers(self) -> None:
        parsed = trace.parse("t", "seconds,rate_mbps,delay_ms,loss\n0,10,0.25,0.01\n1,0.5,1,0\n")
        self.assertEqual("2000000000\n0 10000000 250000 10000\n1000000000 500000 1000000 0\n", parsed.plan())
        self.assertEqual("1000000000\n0 10000000 -1 -1\n", trace.parse("t", "seconds,rate_mbps\n0,10\n").plan())

    def test_wrong_file_is_refused_with_line_and_field(self) -> None:
        for text, words in (
            ("", "no rows"),
            ("seconds,rate_mbps\n", "no rows"),
            ("0,10\n", "line 1: expected the columns"),
            ("seconds,delay_ms\n0,1\n", "line 1: expected the columns"),
            ("seconds,rate_mbps\n0\n", "line 2: expected 2 values, not 1"),
            ("seconds,rate_mbps\n1,10\n", "line 2: seconds: the first row"),
            ("seconds,rate_mbps\n0,10\n\n0,11\n", "line 4: seconds: must be more"),
            ("seconds,rate_mbps\n0,fast\n", "line 2: rate_mbps: expected a number, not 'fast'"),
            ("seconds,rate_mbps\n0,nan\n", "line 2: rate_mbps: expected a number"),
            ("seconds,rate_mbps\n0,0\n", "line 2: rate_mbps: expected Mbit/s"),
            ("seconds,rate_mbps,delay_ms\n0,1,-1\n", "line 2: delay_ms: expected milliseconds"),
            ("seconds,rate_mbps,delay_ms,loss\n0,1,1,2\n", "line 2: loss: expected a share"),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(UsageError, words):
                trace.parse("t", text)

    def test_traces_that_come_with_malob_can_be_read(self) -> None:
        self.assertTrue(trace.known_names())
        for name in trace.known_names():
            with self.subTest(name=name):
                self.assertTrue(trace.load(name).description)

    def test_unknown_name_lists_the_known_ones(self) -> None:
        with self.assertRaisesRegex(UsageError, trace.known_names()[0]):
            trace.load("no-such-trace")


if __name__ == "__main__":
    unittest.main()
