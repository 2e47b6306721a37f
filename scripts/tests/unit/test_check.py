from __future__ import annotations

import unittest

from lab.check import Result
from lab.linking import parse_limit
from lab.saturation import Saturation
from lab.shaping import trace
from malob.errors import UsageError
from malob.network import topology
from malob.network.links import Direction


def result(rtt_ms: float | None = 20, mbps: float | None = 10, rate: float | None = 10) -> Result:
    return Result("a > b", rtt_ms, 20, mbps, rate, {}, [])


class ResultTest(unittest.TestCase):
    def test_round_trip_may_be_half_a_millisecond_and_three_percent_off(self) -> None:
        for rtt_ms, good in ((20, True), (21.09, True), (18.91, True), (21.11, False), (18.89, False), (None, False)):
            with self.subTest(rtt_ms=rtt_ms):
                self.assertEqual(good, result(rtt_ms=rtt_ms).good)

    def test_throughput_with_its_headers_may_be_five_percent_off(self) -> None:
        # a perfect link of 10 Mbit/s carries 9.653 Mbit/s of data
        for mbps, good in ((9.653, True), (9.18, True), (10.13, True), (9.16, False), (10.14, False), (None, False)):
            with self.subTest(mbps=mbps):
                self.assertEqual(good, result(mbps=mbps).good)

    def test_link_without_a_rate_needs_no_throughput(self) -> None:
        self.assertTrue(result(mbps=None, rate=None).good)


class StrainTest(unittest.TestCase):
    def test_machine_that_keeps_up_is_not_complained_about(self) -> None:
        self.assertEqual([], Saturation({"ovs-vswitchd": 0.94}, {"ovs-vswitchd": 0.04}, 0.009, 3).complaints)

    def test_each_thing_that_is_too_much_is_named(self) -> None:
        words = Saturation({"x": 0.97, "y": 0.2}, {"x": 0, "y": 0.2}, 0.02, 7).complaints
        self.assertEqual(["x used 97% of a core", "y waited 20% of the time for a core", "2.0% of packets came more than 2 ms late, one 7 ms"], words)


class LimitTest(unittest.TestCase):
    def test_options_are_numbers_or_none(self) -> None:
        self.assertEqual(2.5, parse_limit("rate", "rate_mbps", "2.5"))
        self.assertEqual(50, parse_limit("queue", "queue_packets", "50"))
        self.assertIsNone(parse_limit("rate", "rate_mbps", "none"))

    def test_wrong_option_is_named(self) -> None:
        for name, field, text in (
            ("rate", "rate_mbps", "fast"),
            ("rate", "rate_mbps", "0"),
            ("delay", "delay_ms", "-1"),
            ("delay", "delay_ms", "nan"),
            ("queue", "queue_packets", "1.5"),
            ("queue", "queue_packets", "inf"),
            ("loss", "loss", "2"),
        ):
            with self.subTest(name=name, text=text), self.assertRaisesRegex(UsageError, f"--{name}: .*{text}"):
                parse_limit(name, field, text)


class ScaleTest(unittest.TestCase):
    def test_scale_multiplies_rates_and_nothing_else(self) -> None:
        network = topology.parse(
            "t",
            {
                "switches": {name: f"00:00:00:00:00:00:00:0{n}" for n, name in enumerate("abc", start=1)},
                "hosts": {},
                "links": [{"ends": ["a", "b"], "rate_mbps": [10, 4], "delay_ms": 5}, ["b", "c"]],
            },
        ).scaled(0.5)
        self.assertEqual(Direction(5, 5), network.link("b", "a").forward)
        self.assertEqual(Direction(2, 5), network.link("a", "b").reverse)
        self.assertFalse(network.link("b", "c").limited)

    def test_rates_of_traces_are_scaled_too(self) -> None:
        scaled = trace.parse("t", "seconds,rate_mbps,delay_ms\n0,10,7\n").scaled(0.5)
        self.assertEqual((5, 7), (scaled.steps[0].rate_mbps, scaled.steps[0].delay_ms))


if __name__ == "__main__":
    unittest.main()
