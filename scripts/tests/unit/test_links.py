from __future__ import annotations

import re
import unittest
from typing import Any

from lab.instance import Instance
from malob.errors import UsageError
from malob.network.links import Direction, Link, parse_link
from malob.network.topology import parse


class LinksTest(unittest.TestCase):
    def test_pair_has_no_limits(self) -> None:
        link = parse_link("links[0]", ["a", "b"])
        self.assertEqual(Link("a", "b"), link)
        self.assertFalse(link.limited)

    def test_one_value_is_for_both_directions_and_a_pair_for_each(self) -> None:
        link = parse_link("links[0]", {"ends": ["a", "b"], "rate_mbps": [57.8, 58.1], "delay_ms": 15, "queue_packets": [None, 20], "loss": 0.01})
        self.assertEqual(Direction(57.8, 15, None, 0.01), link.direction("a"))
        self.assertEqual(Direction(58.1, 15, 20, 0.01), link.direction("b"))
        self.assertTrue(link.limited)

    def test_what_is_written_reads_the_same(self) -> None:
        links = [
            Link("a", "b"),
            Link("a", "b", Direction(rate_mbps=10), Direction(rate_mbps=10)),
            Link("a", "b", Direction(rate_mbps=10, delay_ms=0), Direction(rate_mbps=10, loss=0.5)),
            Link("a", "b", reverse=Direction(queue_packets=3)),
        ]
        for link in links:
            with self.subTest(link=link):
                self.assertEqual(link, parse_link("links[0]", link.to_json()))
        self.assertEqual(["a", "b"], links[0].to_json())
        self.assertEqual({"ends": ["a", "b"], "rate_mbps": 10}, links[1].to_json())

    def test_mistakes_are_named(self) -> None:
        mistakes: list[tuple[Any, str]] = [
            ("a-b", "links[0]: expected a pair"),
            (["a"], "links[0]: expected a pair"),
            (["a", 1], "links[0]: expected a pair"),
            ({}, "links[0].ends"),
            ({"ends": ["a", "a"]}, "links[0].ends: connects a to itself"),
            ({"ends": ["a", "b"], "speed": 1}, "links[0]: unknown field 'speed'"),
            ({"ends": ["a", "b"], "rate_mbps": 0}, "links[0].rate_mbps: expected Mbit/s, more than 0, not 0"),
            ({"ends": ["a", "b"], "rate_mbps": True}, "links[0].rate_mbps"),
            ({"ends": ["a", "b"], "rate_mbps": float("inf")}, "links[0].rate_mbps"),
            ({"ends": ["a", "b"], "delay_ms": [1, -1]}, "links[0].delay_ms[1]"),
            ({"ends": ["a", "b"], "delay_ms": [1]}, "links[0].delay_ms: expected one value, or a pair"),
            ({"ends": ["a", "b"], "delay_ms": "1"}, "links[0].delay_ms"),
            ({"ends": ["a", "b"], "queue_packets": 1.5}, "links[0].queue_packets"),
            ({"ends": ["a", "b"], "queue_packets": 0}, "links[0].queue_packets"),
            ({"ends": ["a", "b"], "loss": 1.1}, "links[0].loss"),
        ]
        for value, words in mistakes:
            with self.subTest(value=value), self.assertRaisesRegex(UsageError, re.escape(words)):
                parse_link("links[0]", value)


class NamesTest(unittest.TestCase):
    """a site "kansas-city" with a host of that name, joined to "lawrence"."""

    def setUp(self) -> None:
        self.lab = Instance(
            "mlt",
            parse(
                "t",
                {
                    "switches": {"lawrence": "00:00:00:00:00:00:00:01", "kansas-city": "00:00:00:00:00:00:00:02"},
                    "hosts": {"kansas-city": {"switch": "kansas-city", "ip": "10.0.0.1/24", "role": "client"}},
                    "links": [["lawrence", "kansas-city"]],
                },
            ),
            "127.0.0.1:6653",
            "netdev",
        )

    def test_devices_are_named_by_switch_and_port(self) -> None:
        self.assertEqual("mlt-2p1", self.lab.device("kansas-city"))
        self.assertEqual("mlt-1p1", self.lab.link_device("lawrence", "kansas-city"))
        self.assertEqual("mlt-2p2", self.lab.link_device("kansas-city", "lawrence"))
        self.assertEqual("mlt-2p3", self.lab.device("kansas-city.node"))
        self.assertEqual("mlt-1p2", self.lab.device("lawrence"))

    def test_bridges_and_namespaces_have_names_that_tell_what_they_are(self) -> None:
        self.assertEqual("mlt-kansas-city", self.lab.bridge("kansas-city"))
        self.assertEqual("mlt-kansas-city", self.lab.namespace("kansas-city"))
        self.assertEqual("mlt-kansas-city.node", self.lab.namespace("kansas-city.node"))
        self.assertEqual("mlt-lawrence.node", self.lab.namespace("lawrence"))

    def test_link_that_is_not_there_has_no_device(self) -> None:
        with self.assertRaisesRegex(UsageError, "no link lawrence - lawrence"):
            self.lab.link_device("lawrence", "lawrence")


if __name__ == "__main__":
    unittest.main()
