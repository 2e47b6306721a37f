"""Tracked placement: switches remember the members of connections, and buckets move at once."""

from __future__ import annotations

import time

import pytest

from lab import balancing
from lab.attached import loads
from lab.attached.loads import KINDS, Load
from lab.attached.routers import Router
from malob.system.waiting import say
from tests.system.real_networks import PORT, VIP, VIP6, RealNetworkTest

REQUESTS = 60
MAX_PAUSE_S = 1.0


@pytest.mark.real_time
class TrackedTest(RealNetworkTest):
    """Clients are a host and those behind a router; the members are at other switches."""

    router: Router

    @classmethod
    def build(cls) -> None:
        cls.router = cls.add_router(0, "s1")
        cls.reach(cls.attached.host("c1"))

    def known_connections(self) -> int:
        """Those that the controller has placed, which have rules or had some."""
        return len(self.controller.rest.get("/wm/malob/connections?limit=1000")["connections"])

    def test_requests(self) -> None:
        """none passes the controller, and none has rules of its own"""
        client = self.lab.topology.hosts["c1"]
        for vip, address in ((VIP, client.ip), (VIP6, client.ip6)):
            with self.subTest(vip=vip):
                self.service(balancing.TRACKED, vip, algorithm="WRR")
                self.assert_prompt(loads.each_once(self.attached.host("c1"), vip, PORT, 50, [address] * REQUESTS), "first")
                known, packet_ins = self.known_connections(), sum(self.packet_ins().values())
                self.assert_prompt(loads.each_once(self.attached.host("c1"), vip, PORT, 50, [address] * REQUESTS), "c1")
                if vip == VIP:
                    network = self.router.clients.network
                    self.assert_prompt(loads.each_once(self.router.clients.place, vip, PORT, 50, [f"{network.address(0)}+{REQUESTS}"]), "router")
                self.assertLess(sum(self.packet_ins().values()) - packet_ins, 10)
                self.assertEqual(known, self.known_connections())

    def test_weights_change(self) -> None:
        """open connections stay with their members, without rules of their own"""
        virtual = self.service(balancing.TRACKED, algorithm="WRR")
        first = next(iter(virtual.members))
        known = self.known_connections()
        load = Load(self.attached.host("c1"), VIP, PORT, ["10.0.0.1"], KINDS, 50)
        self.addCleanup(load.end)
        for weight in (9, 1, 5, 0, 1):
            time.sleep(1.5)
            self.controller.rest.put(f"{balancing.BASE}/members/{first}", {"weight": weight})
        time.sleep(2)
        moves = sum(edge["moving"] for vip in balancing.placement_state(self.controller.rest) for edge in vip["edges"])
        self.assertEqual((0, known), (moves, self.known_connections()))
        requests = self.assert_unbroken(load, MAX_PAUSE_S, "weights")
        self.assertEqual(0, requests.slow)

    def test_without_controller(self) -> None:
        """open connections go on, new ones open, and the next controller takes the buckets over"""
        self.service(balancing.TRACKED)
        load = Load(self.attached.host("c1"), VIP, PORT, ["10.0.0.1"], KINDS, 20)
        self.addCleanup(load.end)
        time.sleep(2)
        self.controller.kill()
        time.sleep(3)
        self.controller.start()
        self.wait_for_network()
        time.sleep(3)
        requests = self.assert_unbroken(load, MAX_PAUSE_S, "without controller")
        say(f"  {requests}")
        self.assertEqual(0, requests.slow)

    def test_exact(self) -> None:
        """the controller chooses each connection exactly; no connection has rules or records"""
        virtual = self.service(balancing.EXACT, algorithm="WRR")
        first, second = virtual.members
        self.controller.rest.put(f"{balancing.BASE}/members/{first}", {"weight": 3})
        time.sleep(1.5)
        requests = loads.each_once(self.attached.host("c1"), VIP, PORT, 10, [self.lab.topology.hosts["c1"].ip] * REQUESTS)
        self.assert_prompt(requests, "exact")
        self.assertEqual(0, self.known_connections())
        time.sleep(2.5)
        stats = {each["id"]: each["total_connections"] for each in self.controller.rest.get(f"{balancing.BASE}/pools/{virtual.pool_id}/stats/")["members"]}
        say(f"  {stats}")
        self.assertEqual((REQUESTS * 3 // 4, REQUESTS // 4), (stats[first], stats[second]))

    def test_exact_without_controller(self) -> None:
        """after two seconds at most, buckets place connections"""
        self.service(balancing.EXACT)
        load = Load(self.attached.host("c1"), VIP, PORT, ["10.0.0.1"], KINDS, 20)
        self.addCleanup(load.end)
        time.sleep(2)
        self.controller.kill()
        time.sleep(6)
        self.controller.start()
        self.wait_for_network()
        time.sleep(3)
        requests = self.assert_unbroken(load, MAX_PAUSE_S, "exact without controller")
        say(f"  {requests}")
        self.assertEqual(0, requests.failed)
