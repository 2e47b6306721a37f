"""The findings of `bench real-networks`, the addresses of its clients, and what they say of requests."""

from __future__ import annotations

import unittest

from lab.attached import load
from lab.attached.loads import Held, Requests
from lab.attached.routers import ClientNetwork
from research.bench.real_networks import cases
from research.bench.real_networks.run import RealNetworksCommand
from research.bench.real_networks.site import Row


class LoadsTest(unittest.TestCase):
    def test_requests(self) -> None:
        """what took longer than half a second waited for a retransmission, unless it failed"""
        found = Requests([{"s": 0.1}, {"s": 0.7}, {"s": 10.0, "error": "no answer"}]) + Requests([{"s": 0.2}])
        self.assertEqual((4, 1, 1, 10.0), (found.count, found.failed, found.slow, found.slowest_s))
        self.assertEqual({"no answer": 1}, found.errors)

    def test_held_connections(self) -> None:
        """one that hangs is broken, too"""
        self.assertFalse(Held("download", 2.0, 0.1, 100).broken())
        self.assertTrue(Held("download", 4.0, 4.0, 100).broken())
        self.assertTrue(Held("download", 0.1, 0.0, 100, "ConnectionResetError").broken())

    def test_addresses(self) -> None:
        """the program counts addresses as the network does"""
        network = ClientNetwork(3)
        for first in (network.address(0), network.address(240)):
            self.assertEqual(len(set(load._addresses([f"{first}+600"]))), 600)
        self.assertEqual([network.address(n) for n in range(240, 520)], list(load._addresses([f"{network.address(240)}+280"])))
        self.assertEqual([network.address6(n) for n in range(3)], list(load._addresses([f"{network.address6(0)}+3"])))
        self.assertEqual(["10.0.0.1", "10.0.0.9"], list(load._addresses(["10.0.0.1", "10.0.0.9"])))


class FindingsTest(unittest.TestCase):
    def test_verdict(self) -> None:
        """a run is right if all cases are, and there is one"""
        right, wrong = Row("a", "reactive"), Row("b", "proactive")
        right.require(True, "no")
        wrong.require(False, "it broke")
        self.assertTrue(cases.document([right])["ok"])
        self.assertFalse(cases.document([right, wrong])["ok"])
        self.assertFalse(cases.document([])["ok"])

    def test_lines(self) -> None:
        row = Row("addresses", "reactive")
        row.add(Requests([{"s": 0.7}]))
        row.figures.update(rules_few=20, rules_many=40)
        row.require(False, "the number of rules depends on the number of addresses")
        lines = RealNetworksCommand().lines(cases.document([row]))
        self.assertIn("20, 40", lines[-2])
        self.assertEqual("wrong, addresses, reactive: the number of rules depends on the number of addresses", lines[-1])


if __name__ == "__main__":
    unittest.main()
