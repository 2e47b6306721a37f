"""Many clients behind two routers, each of which has a connection of its own; and two IPv6 routers of which one takes over."""

from __future__ import annotations

import time
from typing import ClassVar

import pytest

from lab import balancing
from lab.attached import gateways, loads, networks, routers
from lab.attached.gateways import GatewayPair
from lab.attached.loads import KINDS, EachOnce, Load, Requests
from lab.attached.routers import ClientNetwork, Router
from malob.system.waiting import say
from tests.system.real_networks import DIRECT_PORT, MODES, PORT, VIP, VIP6, RealNetworkTest, broken

FEW, MANY = 20, 300
#: new connections per second, of both routers
RATE = 150
MAX_PAUSE_S = 1.0
_STEADY_S, _AFTER_S = 1.0, 3.0


@pytest.mark.real_time
class RoutersTest(RealNetworkTest):
    """No address of a client is used twice, so none can be known."""

    routers: ClassVar[list[Router]]
    _used: ClassVar[int] = 0

    @classmethod
    def build(cls) -> None:
        cls.routers = []
        for number, switch in enumerate(("s1", "s2")):
            addresses = [f"10.0.0.{241 + number}/24", f"fd00:a00::{0xF1 + number:x}/64"]
            router = routers.single(cls.attached, f"r{number}", switch, addresses, ClientNetwork(number))
            routers.route(cls.attached, cls.lab.topology.with_role("server"), router)
            cls.routers.append(router)
        cls.reach(*(router.clients.place for router in cls.routers))

    def each_once(self, count: int, address: str = VIP) -> Requests:
        """Requests of so many clients, of half of them by each router."""
        used, half = type(self)._used, count // 2
        type(self)._used += half
        running = []
        for router in self.routers:
            network = router.clients.network
            first = network.address6(used) if ":" in address else network.address(used)
            running.append(EachOnce(router.clients.place, address, PORT, RATE / 2, [f"{first}+{half}"]))
        return running[0].result() + running[1].result()

    def assert_rules_stay(self, before: int) -> None:
        """The number of rules that are not a single connection's is the same for many clients as for few."""
        self.assertEqual(before, networks.settled_rules(self.lab))

    def check(self, mode: str) -> None:
        self.service(mode)
        self.assert_prompt(self.each_once(FEW), f"{mode}, {FEW}")
        before = networks.settled_rules(self.lab)
        self.assert_prompt(self.each_once(MANY), f"{mode}, {MANY}")
        self.assert_rules_stay(before)

    def test_reactive(self) -> None:
        self.check(balancing.REACTIVE)

    def test_proactive(self) -> None:
        self.check(balancing.PROACTIVE)

    def test_ipv6(self) -> None:
        # the controller then knows the IPv6 addresses of all, which are more than the global ones
        for router in self.routers:
            for server in self.servers:
                first = loads.each_once(router.clients.place, server.ip6, DIRECT_PORT, 10, [router.clients.network.address6(50_000)])
                self.assertEqual(0, first.failed, f"the routers themselves: {first}")
        for mode in MODES:
            with self.subTest(mode=mode):
                self.service(mode, VIP6)
                self.assert_prompt(self.each_once(FEW, VIP6), f"IPv6, {mode}, {FEW}")
                before = networks.settled_rules(self.lab)
                self.assert_prompt(self.each_once(MANY // 3, VIP6), f"IPv6, {mode}, {MANY // 3}")
                self.assert_rules_stay(before)

    def test_without_a_controller(self) -> None:
        """a proactive VIP serves clients that it has never seen"""
        self.service(balancing.PROACTIVE)
        self.assert_prompt(self.each_once(FEW), f"proactive, {FEW}")
        before = networks.settled_rules(self.lab)
        self.controller.kill()
        try:
            self.assert_prompt(self.each_once(MANY), f"no controller, {MANY}")
            self.assert_rules_stay(before)
        finally:
            self.controller.start()
            self.wait_for_network()


@pytest.mark.real_time
class Ipv6FailoverTest(RealNetworkTest):
    """An IPv6 router takes over from another one, which dies silently, by an unsolicited neighbour advertisement."""

    _count: ClassVar[int] = 0

    def check(self, mode: str) -> None:
        number = type(self)._count
        type(self)._count += 1
        joins = (lambda place: self.attached.join("s1", place), lambda place: self.attached.join("s2", place))
        pair = GatewayPair(self.attached, gateways.SCRIPT, joins, ClientNetwork(number), ipv6=True)
        self.addCleanup(pair.end)
        network, place = pair.clients.network, pair.clients.place
        for server in self.servers:
            self.place(server).run("ip", "-6", "route", "replace", network.prefix6, "via", pair.address)
        first = loads.each_once(place, self.servers[0].ip6, PORT, 1, [network.address6(0)])
        self.assertEqual(0, first.failed, f"the routers themselves: {first}")
        self.service(mode, VIP6)
        direct = Load(place, self.servers[0].ip6, DIRECT_PORT, [network.address6(5000)], KINDS)
        self.addCleanup(direct.end)
        load = Load(place, VIP6, PORT, [f"{network.address6(0)}+2000"], [*KINDS, *KINDS], 50)
        self.addCleanup(load.end)
        time.sleep(_STEADY_S)
        took_s = pair.die()
        time.sleep(_AFTER_S)
        held, _ = direct.finish()
        self.assertEqual([], broken(held), "the routers themselves")
        own_s = max(each.longest_s for each in held)
        say(f"  the second router is the gateway after {took_s:.2f} s, pause of direct connections {own_s:.2f} s")
        self.assert_unbroken(load, own_s + MAX_PAUSE_S, f"IPv6, {mode}")

    def test_reactive(self) -> None:
        self.check(balancing.REACTIVE)

    def test_proactive(self) -> None:
        self.check(balancing.PROACTIVE)
