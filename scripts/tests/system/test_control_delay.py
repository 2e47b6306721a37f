"""Control channels that are emulated as long wires."""

from __future__ import annotations

import time

import pytest

from tests.system.base import SystemTest

SLOW_MS = 300


@pytest.mark.needs("emulator")
@pytest.mark.real_time
class ControlDelayTest(SystemTest):
    topology_name = "thesis-two-servers"
    control_delays_ms = {"server-1": SLOW_MS, "server-2": 10}

    def test_slow_switch_answers_late(self) -> None:
        """the controller asks switches for their description: the slow one needs a round trip of its long wire"""
        self.assertGreaterEqual(self.answer_s("server-1"), 2 * SLOW_MS / 1000)
        for switch in ("client", "server-2"):
            fastest = min(self.answer_s(switch) for _ in range(5))
            self.assertLess(fastest, SLOW_MS / 1000, switch)

    def test_hosts_reach_each_other(self) -> None:
        """packets that wait for rules on the slow switch arrive all the same"""
        for server in self.servers:
            self.assertEqual((3, 0), self.ping("client", server.ip))

    def test_restarted_controller_is_found(self) -> None:
        """with the controller away the switches go on trying, and find it when it comes back"""
        self.controller.stop()
        time.sleep(1)
        self.controller.start()
        self.wait_for_network()

    def answer_s(self, switch: str) -> float:
        began = time.monotonic()
        self.controller.rest.get(f"/wm/core/switch/{self.lab.topology.switches[switch]}/desc/json")
        return time.monotonic() - began
