"""Tracked placement while the controller is killed, frozen or cut off, and what the next one knows."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from lab import balancing, processes
from lab.attached import loads
from lab.attached.loads import KINDS, Load
from malob.rest.client import RestError
from malob.system.processes import run
from malob.system.waiting import wait_until
from tests.system.real_networks import PORT, VIP, RealNetworkTest

#: longer than a switch takes to notice that its controller is silent, which is ten seconds
OUTAGE_S = float(os.environ.get("MALOB_OUTAGE_S", "20"))
RATE = 20
#: from then on, no connection may fail
ACCEPTED_S = 2.0
#: A controller that was frozen or cut off has lost all links, and with them its members, until it has probed again.
MAX_PAUSE_S = 5.0
SETTLE_S = 5.0
HELD = 20
#: in which the balancer polls the counters of buckets
COUNTED_S = 12.0

_CUT = "table inet cut {{ chain in {{ type filter hook input priority 0; tcp dport {0} drop; tcp sport {0} drop; }}; }}"


@pytest.mark.real_time
@pytest.mark.beside
class TrackedOutageTest(RealNetworkTest):
    @classmethod
    def build(cls) -> None:
        cls.reach(cls.attached.host("c1"))

    # --- outages ---------------------------------------------------------------------------------

    @contextmanager
    def killed(self) -> Iterator[None]:
        self.controller.kill()
        try:
            yield
        finally:
            self.controller.start()

    @contextmanager
    def cut(self) -> Iterator[None]:
        """Nothing passes between switches and controller, and neither is told."""
        run(["nft", _CUT.format(self.controller.openflow_port)])
        try:
            yield
        finally:
            run(["nft", "delete table inet cut"])

    def check(self, outage: AbstractContextManager[None]) -> None:
        self.service(balancing.TRACKED)
        load = Load(self.attached.host("c1"), VIP, PORT, [self.own_address()], KINDS, RATE)
        self.addCleanup(load.end)
        time.sleep(1)
        began = time.monotonic()
        with outage:
            time.sleep(OUTAGE_S)
            over = time.monotonic()
        self.wait_for_network()
        time.sleep(SETTLE_S)
        requests = self.assert_unbroken(load, MAX_PAUSE_S, f"{OUTAGE_S:g} s")
        meanwhile = loads.Requests([each for each in requests.each if began + ACCEPTED_S < each["began"] < over - ACCEPTED_S])
        self.assertGreater(meanwhile.count, RATE * (OUTAGE_S - 2 * ACCEPTED_S) / 2)
        self.assert_prompt(meanwhile, f"from {ACCEPTED_S:g} s on")

    def test_controller_is_killed(self) -> None:
        """connections open and go on, and the next controller takes over"""
        self.check(self.killed())

    def test_controller_is_frozen(self) -> None:
        """the same without a notice"""
        self.check(processes.stopped(self.controller.pid))

    def test_controller_is_cut_off(self) -> None:
        """the same, and it works on"""
        self.check(self.cut())

    # --- the next controller ----------------------------------------------------------------------

    def known(self) -> tuple[int, int]:
        """How many open connections the balancer knows of, and how many that switches have placed."""
        stats = self.controller.rest.get(f"{balancing.BASE}/pools/real/stats/")
        self.assertEqual("estimate", stats["counted_by"])
        opened = sum(sum(vip["opened"].values()) for vip in balancing.placement_state(self.controller.rest))
        return stats["active_connections"], opened

    def buckets(self) -> list[dict[str, int]]:
        return [edge["members"] for vip in balancing.placement_state(self.controller.rest) for edge in vip["edges"]]

    def test_next_controller(self) -> None:
        """it has the buckets, drains, and counts what opens from now on, but knows none of the connections that are open"""
        virtual = self.service(balancing.TRACKED)
        # counts begin with the first poll
        time.sleep(COUNTED_S)
        load = Load(self.attached.host("c1"), VIP, PORT, [self.own_address()], ["asks"] * HELD)
        self.addCleanup(load.end)
        wait_until(lambda: self.known() == (HELD, HELD), "all to be counted", 2 * COUNTED_S, detail=lambda: str(self.known()))
        buckets = self.buckets()
        with self.killed():
            pass
        self.wait_for_network()
        balancing.wait_for_proactive(self.controller.rest, "real")
        time.sleep(COUNTED_S)
        self.assertEqual((0, 0), self.known())
        self.assertEqual(buckets, self.buckets())
        with self.assertRaisesRegex(RestError, "no known client"):
            self.controller.rest.get("/wm/malob/explain?vip=real&client=10.0.0.1")
        self.attached.host("c1").run("ip", "neigh", "flush", "all")
        requests = loads.each_once(self.attached.host("c1"), VIP, PORT, 50, ["10.0.0.1"] * HELD)
        self.assert_prompt(requests)
        self.assertIsNone(self.controller.rest.get("/wm/malob/explain?vip=real&client=10.0.0.1")["refused"])
        wait_until(lambda: self.known()[1] == HELD, "the new ones to be counted", 2 * COUNTED_S, detail=lambda: str(self.known()))
        first = next(iter(virtual.members))
        self.controller.rest.put(f"{balancing.BASE}/members/{first}", {"admin_state": "drain"})
        wait_until(lambda: all(first not in each for each in self.buckets()), "the member to be drained", 10)
        self.assert_unbroken(load, MAX_PAUSE_S, "next controller")
