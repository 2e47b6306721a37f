"""What clients notice when the network, its switches or the controller fail: docs/reference/reliability.md has the promises."""

from __future__ import annotations

import time

import pytest

from lab import balancing, processes
from lab.balancing import VirtualServer
from lab.faults import links, ownership, pulsing, switches
from lab.faults.pulsing import Beat, Pulse
from malob.system.waiting import say, wait_until
from tests.system import full
from tests.system.base import SystemTest

PORT = 8600
PROBE_INTERVAL_S = 0.5


@pytest.mark.real_time
class FaultsTest(SystemTest):
    """A client at s1 talks to a server at s3 all the time: by the link between them, or by s2, or by s5."""

    properties = {
        "io.malob.controller.network.links.LinkDiscoveryModule.probeIntervalMillis": str(round(1000 * PROBE_INTERVAL_S)),
        "io.malob.balancer.BalancerModule.auditSeconds": "5",
    }
    vip: VirtualServer
    pulse: Pulse

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        rest, server = cls.controller.rest, cls.lab.topology.hosts["w1"]
        pulsing.start_server(cls.lab, server.name, PORT)
        cls.vip = balancing.set_up(rest, "10.0.0.190", PORT, [server], key="fault", algorithm="RR+SPH")
        wait_until(lambda: balancing.all_located(rest, cls.vip), "the server to be found", 10)
        links.make_silenceable(cls.lab, "s1", "s3")
        cls.wait_for_network()

    def setUp(self) -> None:
        super().setUp()
        self.pulse = self.another_pulse()
        self.beat()

    def another_pulse(self) -> Pulse:
        pulse = Pulse(self.lab, "c1", self.vip.address, PORT)
        self.addCleanup(pulse.end)
        return pulse

    def beat(self, seconds: float = 0.5) -> Beat:
        """What the client sees from now on for so long, and has seen since the last beat."""
        time.sleep(seconds)
        beat = self.pulse.since_last()
        self.assertIsNone(beat.error)
        say(f"  {beat}")
        return beat

    def assert_all_owned(self) -> None:
        wait_until(
            lambda: not ownership.differences(self.lab, self.controller.rest),
            "rules to be as they should",
            15,
            detail=lambda: "; ".join(ownership.differences(self.lab, self.controller.rest)),
        )

    def test_link_down(self) -> None:
        """an open connection is led another way long before the link is back"""
        with links.down(self.lab, "s1", "s3"):
            beat = self.beat(1.5)
        self.assertGreater(beat.answers, 10)
        self.assertLess(beat.longest_ms, 1000)
        # one on a machine at rest, as './malob bench faults' measures it
        self.assertLessEqual(max(beat.retransmitted, beat.retransmitted_back), 2)
        self.assert_all_owned()

    def test_port_flap(self) -> None:
        """a link that comes and goes: connections leave it once, and none is placed twice"""
        total = self.placed()
        links.flap(self.lab, "s1", "s3", times=5, pause_s=0.1)
        beat = self.beat(0)
        self.assertLess(beat.longest_ms, 1000)
        self.assert_all_owned()
        self.assertEqual(total, self.placed())

    def test_silent_link(self) -> None:
        """a link carries nothing and no port is down: its paths are replaced within three probe intervals"""
        with links.silent(self.lab, "s1", "s3"):
            began = time.monotonic()
            wait_until(lambda: not self.crosses("s1", "s3"), "the path to be replaced", 3 * PROBE_INTERVAL_S + 1, interval_s=0.02)
            took = time.monotonic() - began
            say(f"  replaced after {took:.2f} s")
            self.assertLess(took, 3 * PROBE_INTERVAL_S)
            self.beat(1)
            self.assertGreater(self.beat().answers, 10)
        self.assert_all_owned()

    def test_switch_comes_back_empty(self) -> None:
        """the client's switch loses its controller, then its rules: what was open goes on when it is back"""
        with switches.without_controller(self.lab, "s1"):
            wait_until(lambda: self.controller.rest.switch_count() == 4, "the switch to be away", 10)
            self.assertGreater(self.beat().answers, 5)
            switches.empty(self.lab, "s1")
        self.beat(2)
        self.assertGreater(self.beat().answers, 5)
        self.assert_all_owned()

    def test_full_table(self) -> None:
        """the client's switch has no room for another connection: that is refused, those that are open stay"""
        before = self.refused_rules()
        with full.full_table(self.lab, "s1", table=1):
            beyond = self.another_pulse().since_last()
        say(f"  {beyond}")
        self.assertEqual((0, "[Errno 104] Connection reset by peer"), (beyond.answers, beyond.error))
        self.assertEqual(before + 1, self.refused_rules())
        self.assertEqual(0, self.beat().retransmitted)
        self.assertIsNone(self.another_pulse().since_last().error)
        self.assert_all_owned()

    def test_partition(self) -> None:
        """the client's switch and the server's are in different parts: connections are reset, and new ones work later"""
        with links.partition(self.lab, {"s1", "s2"}):
            wait_until(lambda: self.pulse.since_last().error is not None, "the connection to be reset", 5)
        self.wait_for_network()
        self.assertIsNone(self.another_pulse().since_last().error)
        self.assert_all_owned()

    def test_controller_stands_still(self) -> None:
        """for longer than a link lives without a probe: no path changes, no connection notices"""
        with processes.stopped(self.controller.pid):
            self.beat(3)
        beat = self.beat(1)
        self.assertEqual(0, beat.retransmitted + beat.retransmitted_back)
        self.assert_all_owned()

    def placed(self) -> int:
        return int(self.controller.rest.get(f"{balancing.BASE}/pools/fault/stats/")["total_connections"])

    def refused_rules(self) -> int:
        """How many rules the client's switch had no room for."""
        refused = self.controller.rest.get("/wm/malob/counters")["refused_rules"]
        return int(refused.get(self.lab.topology.switches["s1"], {}).get("FLOW_MOD_FAILED/TABLE_FULL", 0))

    def crosses(self, first: str, second: str) -> bool:
        """Whether any path leads over a link."""
        dpids = self.lab.topology.switches
        ends = {(dpids[first], dpids[second]), (dpids[second], dpids[first])}
        return any(ends & set(zip(path["switches"], path["switches"][1:])) for path in self.controller.rest.get("/wm/malob/paths"))
