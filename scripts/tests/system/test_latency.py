"""What the controller measures of links, on real switches; tolerances are those of a machine that is busy."""

from __future__ import annotations

import json

import pytest

from lab import latency
from lab.latency import Result
from tests.system.base import SystemTest


@pytest.mark.real_time
@pytest.mark.needs("emulator")
class LatencyTest(SystemTest):
    topology_name = "geni-wan"
    control_delays_ms = {"kansas": 40}

    def test_links_have_their_latencies(self) -> None:
        """idle, with the control channel of one switch 40 ms long"""
        self.assert_near(latency.measure(self.lab, self.controller.rest, seconds=10), 28)

    def test_link_under_load_has_its_latency(self) -> None:
        """both directions of a link carry half of what they can"""
        link = self.lab.topology.link("kansas", "kentucky")
        with latency.traffic(self.lab, link, 0.5):
            results = latency.measure(self.lab, self.controller.rest, seconds=10)
        loaded = [result for result in results if set(result.link.split(" > ")) == set(link.ends)]
        self.assert_near(loaded, 2)

    def test_probes_are_nobodys_packets(self) -> None:
        """no host is learned from them, and no rule is made for them"""
        self.assertNotIn("0e:4d:4c", json.dumps(self.controller.rest.get("/wm/device/")))
        for switch in self.lab.topology.switches:
            self.assertFalse([rule for rule in self.rules(switch) if "88b5" in rule or "0e:4d:4c" in rule], switch)

    def assert_near(self, results: list[Result], count: int) -> None:
        self.assertEqual(count, len(results))
        for result in results:
            with self.subTest(link=result.link, measured=result.measured_ms):
                assert result.median_ms is not None
                self.assertAlmostEqual(result.expected_ms, result.median_ms, delta=3 + 0.2 * result.expected_ms)
