from __future__ import annotations

import argparse
import unittest
from collections.abc import Sequence
from typing import Any

from lab import latency
from lab.latency import Result
from malob.network.links import Direction


def result(expected_ms: float, measured_ms: Sequence[float | None]) -> Result:
    return Result("a > b", 0, expected_ms, list(measured_ms))


class VerdictTest(unittest.TestCase):
    def test_tolerance_is_a_millisecond_and_a_tenth(self) -> None:
        self.assertEqual(1, result(10, [8.01, 11.99]).right)
        self.assertEqual(0, result(10, [7.99, 12.01]).right)

    def test_one_of_ten_may_be_wrong(self) -> None:
        self.assertTrue(result(10, [10.0] * 9 + [50.0]).good)
        self.assertFalse(result(10, [10.0] * 8 + [50.0] * 2).good)

    def test_unknown_values_are_wrong(self) -> None:
        self.assertEqual(0.5, result(10, [10.0, None]).right)
        unknown = result(10, [None])
        self.assertFalse(unknown.good)
        self.assertIsNone(unknown.median_ms)
        self.assertIsNone(unknown.worst_error_ms)

    def test_worst_error_has_its_sign(self) -> None:
        self.assertEqual(-3, result(10, [11.0, 7.0, 12.0]).worst_error_ms)
        self.assertEqual(11, result(10, [11.0, 7.0, 12.0]).median_ms)


class ExpectationTest(unittest.TestCase):
    def test_a_probe_takes_the_delay_and_the_time_to_send_it(self) -> None:
        self.assertAlmostEqual(5 + 0.368, latency._expected_ms(Direction(rate_mbps=1, delay_ms=5)))
        self.assertEqual(0, latency._expected_ms(Direction()))

    def test_answers_are_found_by_switch_and_port(self) -> None:
        links: list[dict[str, Any]] = [
            {"src": {"switch": "1", "port": 2}, "latency_ms": {"value": 7.5, "age_s": 0.1, "source": "probe"}},
            {"src": {"switch": "1", "port": 3}, "latency_ms": None},
        ]
        self.assertEqual({("1", 2): 7.5, ("1", 3): None}, latency._latencies(links))


class TableTest(unittest.TestCase):
    def test_latency_below_what_can_be_measured_is_said_to_be_below(self) -> None:
        _, near, far, unknown = latency._table([result(0, [0.09, 0.02, 0.05]), result(0.1, [0.1]), result(5, [None])])
        self.assertEqual(["<", "0.1", "<", "0.1", "0.05", "0.09"], near.split()[4:10])
        self.assertEqual(["0.10", "0.10", "0.00"], far.split()[4:7])
        self.assertEqual(["5.00", "0%"], unknown.split()[4:6])


class OptionsTest(unittest.TestCase):
    def test_load_is_a_share(self) -> None:
        self.assertEqual(0.5, latency._share("0.5"))
        for text in ("1", "-0.1", "half", "nan"):
            with self.subTest(text=text), self.assertRaises(argparse.ArgumentTypeError):
                latency._share(text)
