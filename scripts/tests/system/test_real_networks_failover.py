"""Two routers, of which one takes over from the other while connections are open and new ones come."""

from __future__ import annotations

import time
from typing import ClassVar

import pytest

from lab import balancing
from lab.attached import gateways
from lab.attached.gateways import GatewayPair
from lab.attached.loads import KINDS, Load
from lab.attached.routers import ClientNetwork, Join
from lab.attached.segments import Segment
from malob.system.waiting import say, wait_until
from tests.system.real_networks import DIRECT_PORT, PORT, VIP, RealNetworkTest, broken

OPEN = 20
NEW_PER_S = 100
#: after the routers' own switch-over
MAX_PAUSE_S = 1.0
_SETTINGS = "io.malob.balancer.BalancerModule."
_STEADY_S, _AFTER_S = 1.0, 3.0


class PairTest(RealNetworkTest):
    """Each test has routers of its own, with clients of their own."""

    _count: ClassVar[int] = 0

    def pair(self, kind: str, one_port: bool) -> GatewayPair:
        """New routers; the members use them for their clients. one_port: they are behind a legacy switch, not at two switches."""
        number = type(self)._count
        type(self)._count += 1
        joins = self.behind_one_port(number) if one_port else (self.at("s1"), self.at("s2"))
        pair = GatewayPair(self.attached, kind, joins, ClientNetwork(number))
        self.addCleanup(pair.end)
        for server in self.servers:
            self.place(server).run("ip", "route", "replace", pair.clients.network.prefix, "via", pair.address)
        return pair

    def at(self, switch: str) -> Join:
        return lambda place: self.attached.join(switch, place)

    def behind_one_port(self, number: int) -> tuple[Join, Join]:
        segment = Segment(self.attached, f"sw{number}")
        segment.join_switch("s1")
        return segment.join, segment.join

    def check(self, mode: str, event: str, kind: str = gateways.ADDRESS, one_port: bool = False) -> None:
        """Connections are open and new ones come while the second router takes over."""
        pair = self.pair(kind, one_port)
        self.reach(pair.clients.place)
        self.service(mode)
        self.take_over(pair, mode, event)

    def take_over(self, pair: GatewayPair, mode: str, event: str) -> None:
        """The same, for a VIP that is ready."""
        network, place = pair.clients.network, pair.clients.place
        direct = Load(place, self.servers[0].ip, DIRECT_PORT, [f"{network.address(5000)}+8"], KINDS)
        self.addCleanup(direct.end)
        load = Load(place, VIP, PORT, [f"{network.address(0)}+5000"], [*KINDS, *["download"] * (OPEN - len(KINDS))], NEW_PER_S)
        self.addCleanup(load.end)
        time.sleep(_STEADY_S)
        took_s = getattr(pair, event)()
        time.sleep(_AFTER_S)
        held, _ = direct.finish()
        self.assertEqual([], broken(held), "the routers themselves")
        own_s = max(each.longest_s for each in held)
        say(f"  the second router is the gateway after {took_s:.2f} s, pause of direct connections {own_s:.2f} s")
        new = self.assert_unbroken(load, own_s + MAX_PAUSE_S, f"{pair.kind}, {mode}, {event}")
        # a SYN that was lost meanwhile is sent again after one second
        self.assertLessEqual(new.slowest_s, own_s + MAX_PAUSE_S + 1)


@pytest.mark.needs("routers")
@pytest.mark.real_time
class FailoverTest(PairTest):
    """Buckets of both routers' switches lead to the same members, since nothing has made them move."""

    def test_dies_reactive(self) -> None:
        self.check(balancing.REACTIVE, "die")

    def test_dies_proactive(self) -> None:
        self.check(balancing.PROACTIVE, "die")

    def test_unplugged_reactive(self) -> None:
        self.check(balancing.REACTIVE, "unplug")

    def test_unplugged_proactive(self) -> None:
        self.check(balancing.PROACTIVE, "unplug")

    def test_hands_over_reactive(self) -> None:
        """the first router lives, and requests of open connections do not pass the controller one by one"""
        before = self.packet_ins()
        self.check(balancing.REACTIVE, "hand_over")
        after = self.packet_ins()
        placed = after["placed"] - before["placed"]
        # each new connection may be seen twice
        self.assertLess(sum(after.values()) - sum(before.values()), 3 * placed + 20 * OPEN)

    def test_hands_over_proactive(self) -> None:
        self.check(balancing.PROACTIVE, "hand_over")

    def test_virtual_mac_reactive(self) -> None:
        """forwarded packets carry the routers' own MACs"""
        self.check(balancing.REACTIVE, "die", gateways.VIRTUAL_MAC)

    def test_virtual_mac_proactive(self) -> None:
        self.check(balancing.PROACTIVE, "die", gateways.VIRTUAL_MAC)

    def test_script_reactive(self) -> None:
        """another router takes the address, with its own MAC"""
        self.check(balancing.REACTIVE, "die", gateways.SCRIPT)

    def test_script_proactive(self) -> None:
        self.check(balancing.PROACTIVE, "die", gateways.SCRIPT)

    def test_one_port_reactive(self) -> None:
        """both routers are behind one legacy switch at one OpenFlow port"""
        self.check(balancing.REACTIVE, "die", one_port=True)

    def test_one_port_proactive(self) -> None:
        self.check(balancing.PROACTIVE, "die", one_port=True)


@pytest.mark.needs("routers")
@pytest.mark.real_time
class MovedBucketsTest(PairTest):
    """Buckets of the first router's switch have moved before the second router comes."""

    properties = {
        _SETTINGS + "bucketMoveSeconds": "2",
        _SETTINGS + "bucketHoldSeconds": "1",
        _SETTINGS + "routers": "10.0.0.80, 10.0.0.81, 10.0.0.82",
    }

    def test_weights_changed(self) -> None:
        """the second switch has the buckets of the first one, and not a new assignment"""
        self.reach(self.attached.host("c1"))
        virtual = self.service(balancing.PROACTIVE, algorithm="WRR")
        first = next(iter(virtual.members))
        for weight, part in ((7, 7 / 8), (1, 1 / 2), (3, 3 / 4)):
            self.controller.rest.put(f"{balancing.BASE}/members/{first}", {"weight": weight})
            wait_until(lambda part=part: self.has_part("s1", first, part), f"a weight of {weight}", 60)  # type: ignore[misc]
        pair = self.pair(gateways.ADDRESS, False)
        self.reach(pair.clients.place, pair.second.place)
        balancing.wait_for_proactive(self.controller.rest, virtual.pool_id, switches=[self.lab.topology.switches["s2"]])
        self.take_over(pair, balancing.PROACTIVE, "die")

    def has_part(self, switch: str, member: str, part: float) -> bool:
        """Whether a member has that part of a switch's buckets, and none moves."""
        dpid = self.lab.topology.switches[switch]
        edges = [edge for vip in balancing.placement_state(self.controller.rest) for edge in vip["edges"] if edge["switch"] == dpid]
        return all(edge["moving"] == 0 and abs(edge["members"].get(member, 0) / edge["buckets"] - part) < 0.03 for edge in edges)
