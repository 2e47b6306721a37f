"""Tracked placement: switches remember the members of connections, and buckets move at once."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from lab import balancing
from lab.attached import loads
from lab.attached.loads import KINDS, Load
from lab.attached.places import Place
from lab.attached.routers import Router
from lab.faults import links
from malob.system import ovs
from malob.system.waiting import say, wait_until
from tests.system.base import UDP_PORT
from tests.system.real_networks import DIRECT_PORT, PORT, VIP, VIP6, RealNetworkTest

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
        stats = {
            each["id"]: each["total_connections"] for each in self.controller.rest.get(f"{balancing.BASE}/pools/{virtual.pool_id}/stats/")["members"]
        }
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


@pytest.mark.real_time
class BesideTest(RealNetworkTest):
    """Clients of a tracked VIP that also open connections to its members, at a member's switch and elsewhere."""

    near: Place
    ADDRESSES = ("10.0.0.51", "fd00:a00::33")

    @classmethod
    def build(cls) -> None:
        cls.near = cls.attached.place("near")
        cls.attached.join("s2", cls.near, addresses=[f"{cls.ADDRESSES[0]}/24", f"{cls.ADDRESSES[1]}/64"])
        cls.reach(cls.attached.host("c1"), cls.near)

    def assert_served(self, requests: loads.Requests, what: str) -> None:
        """Few wait: a member still knows a client's port that was used for the VIP just before, and answers the first SYN by an ACK."""
        say(f"  {what}: {requests}")
        self.assertEqual(0, requests.failed, f"{what}: {requests}")
        self.assertLess(requests.slow, max(3, requests.count / 20), f"{what}: {requests}")

    def check(self, vip: str, port: int, member_port: int, is_ipv6: bool) -> None:
        c1 = self.lab.topology.hosts["c1"]
        clients = ((self.attached.host("c1"), c1.ip6 if is_ipv6 else c1.ip), (self.near, self.ADDRESSES[is_ipv6]))
        held = []
        for place, address in clients:
            for server in self.servers:
                held.append(Load(place, server.ip_beside(vip), member_port, [address], KINDS, 10))
            held.append(Load(place, vip, port, [address], KINDS, 10))
        for load in held:
            self.addCleanup(load.end)
        for place, address in clients:
            for server in self.servers:
                direct = loads.each_once(place, server.ip_beside(vip), member_port, 50, [address] * REQUESTS, 20_000)
                self.assert_served(direct, f"{place.name} to {server.name}")
            self.assert_served(loads.each_once(place, vip, port, 50, [address] * REQUESTS, 20_000), f"{place.name} to the VIP")
        for load in held:
            self.assert_served(self.assert_unbroken(load, MAX_PAUSE_S), "meanwhile")

    def test_tcp(self) -> None:
        self.service(balancing.TRACKED)
        self.check(VIP, PORT, PORT, is_ipv6=False)

    def test_tcp_ipv6(self) -> None:
        self.service(balancing.TRACKED, VIP6)
        self.check(VIP6, PORT, PORT, is_ipv6=True)

    def test_other_port(self) -> None:
        """the members' port is not the VIP's"""
        self.virtual("real", VIP, 80, placement=balancing.TRACKED, member_port=DIRECT_PORT)
        balancing.wait_for_proactive(self.controller.rest, "real")
        self.check(VIP, 80, DIRECT_PORT, is_ipv6=False)

    def test_udp(self) -> None:
        self.virtual("real", VIP, UDP_PORT, protocol="udp", placement=balancing.TRACKED)
        balancing.wait_for_proactive(self.controller.rest, "real")
        for number in range(4):
            for server in self.servers:
                for again in range(2):
                    text = f"{number} {again}"
                    self.assertIn(text, self.ask_by_udp("c1", server.ip, UDP_PORT, 33000 + number, text), "across switches")
            self.assertIn(str(number), self.ask_by_udp("c1", VIP, UDP_PORT, 34000 + number, str(number)), "the VIP")
        near, far = self.servers
        for first, second in ((near, far), (far, near)):
            self.assertIn("member", self.ask_by_udp(first.name, second.ip, UDP_PORT, 35000, "member"), "a member is the client")


@pytest.mark.real_time
class ReplyPathsTest(RealNetworkTest):
    """A client and a member with two ways between them that are as long as each other."""

    topology_name = str(Path(__file__).parent / "two_equal_ways.json")
    DOWNLOADS, SIZE = 400, 100_000

    @classmethod
    def build(cls) -> None:
        cls.reach(cls.attached.host("c1"))

    def labelled(self, switch: str) -> int:
        """The bytes that have crossed a switch by labels."""
        rules = ovs.ofctl("dump-flows", self.lab.bridge(switch), "table=2").splitlines()
        return sum(int(found[1]) for rule in rules if "dl_dst=0a:4d:4c" in rule and (found := re.search(r"n_bytes=(\d+)", rule)))

    def parts(self) -> list[float]:
        """The part of all bytes of downloads on each way."""
        before = [self.labelled(switch) for switch in ("left", "right")]
        downloads = loads.each_once(self.attached.host("c1"), VIP, PORT, 100, ["10.0.0.1"] * self.DOWNLOADS, self.SIZE)
        say(f"  {downloads}")
        self.assertEqual(0, downloads.failed)
        time.sleep(1)
        each = [self.labelled(switch) - count for switch, count in zip(("left", "right"), before)]
        self.assertGreater(sum(each), self.DOWNLOADS * self.SIZE)
        return [count / sum(each) for count in each]

    def test_bytes(self) -> None:
        """both ways carry about as much; one alone while the other is cut, and open connections stay"""
        self.service(balancing.TRACKED, algorithm="HT-PS")
        wait_until(lambda: max(self.parts()) < 0.6, "both ways to be used", 30)
        parts = [max(self.parts()) for _ in range(3)]
        say(f"  the fuller way has {', '.join(f'{part:.0%}' for part in parts)}")
        self.assertLess(max(parts), 0.6)
        load = Load(self.attached.host("c1"), VIP, PORT, ["10.0.0.1"], KINDS, 10)
        self.addCleanup(load.end)
        time.sleep(1)
        with links.down(self.lab, "left", "far"):
            time.sleep(3)
            self.assertLess(self.parts()[0], 0.05)
        wait_until(lambda: max(self.parts()) < 0.6, "both ways to be used again", 60)
        self.assert_unbroken(load, MAX_PAUSE_S)
