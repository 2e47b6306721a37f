"""Members that see an address of the client's switch: they reach themselves, and may be behind any router."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from lab import balancing
from lab.attached import loads, routers
from lab.attached.loads import KINDS, Capture, Load
from lab.attached.places import Place
from lab.attached.routers import Router
from malob.network.hosts import Host
from malob.system.waiting import wait_until
from tests.system.base import UDP_PORT
from tests.system.real_networks import PORT, VIP, VIP6, RealNetworkTest

REQUESTS = 40
MTU = 1300
SOURCES = tuple(f"10.0.0.{number}" for number in range(201, 204))
SOURCES6 = tuple(f"fd00:a00::c{number}" for number in range(1, 4))


@pytest.mark.real_time
class SourceNatTest(RealNetworkTest):
    """A client at s1, members at s2 and s3, and one behind a router at s1, whose clients it also has."""

    properties = {
        "io.malob.balancer.BalancerModule.sourceAddresses": ", ".join([f"{each}/24" for each in SOURCES] + [f"{each}/64" for each in SOURCES6])
    }
    router: Router

    @classmethod
    def build(cls) -> None:
        cls.router = routers.single(cls.attached, "r0", "s1", ["10.0.0.241/24", "fd00:a00::f1/64"])
        routers.route(cls.attached, cls.lab.topology.with_role("server"), cls.router)
        loads.start_server(cls.router.clients.place, PORT)
        cls.reach(cls.attached.host("c1"), cls.router.clients.place)

    def tracked(self, vip: str, members: Sequence[str], protocol: str = "tcp", port: int = PORT, placement: str = balancing.TRACKED) -> None:
        """A VIP over members with these addresses."""
        rest = self.controller.rest
        self.remove_virtual("real")
        self.addCleanup(self.remove_virtual, "real")
        rest.post(
            f"{balancing.BASE}/vips/",
            {"id": "real", "name": "real", "protocol": protocol, "address": vip, "port": str(port), **balancing.placed(placement)},
        )
        rest.post(
            f"{balancing.BASE}/pools/",
            {"id": "real", "name": "real", "protocol": protocol, "vip_id": "real", "lb_method": "RR", "source_nat": True},
        )
        for number, address in enumerate(members):
            rest.post(f"{balancing.BASE}/members/", {"id": f"m{number}", "address": address, "port": str(port), "pool_id": "real"})

    def assert_served(self, place: Place, vip: str, source: str, what: str, placement: str = balancing.TRACKED) -> None:
        """The first may come before the place is known as a client; none of the others passes the controller, if that does not place them."""
        loads.each_once(place, vip, PORT, 10, [source] * 2)
        balancing.wait_for_proactive(self.controller.rest, "real")
        before = sum(self.packet_ins().values())
        self.assert_prompt(loads.each_once(place, vip, PORT, 50, [source] * REQUESTS), what)
        if placement != balancing.EXACT:
            self.assertLess(sum(self.packet_ins().values()) - before, 10)

    def test_member_reaches_itself(self) -> None:
        """the only member of a pool is a client of its VIP"""
        member = self.lab.topology.hosts["w1"]
        for vip, address, sources, placement in (
            (VIP, member.ip, SOURCES, balancing.TRACKED),
            (VIP6, member.ip6, SOURCES6, balancing.TRACKED),
            (VIP, member.ip, SOURCES, balancing.EXACT),
        ):
            with self.subTest(vip=vip, placement=placement):
                self.tracked(vip, [address], placement=placement)
                capture = Capture(self.place(member))
                self.assert_served(self.place(member), vip, address, f"itself, {vip}", placement)
                seen = {frame["ip_src"] for frame in self.to_member(capture, address)}
                self.assertEqual(1, len(seen & set(sources)), seen)
                self.assertLessEqual(seen, set(sources))

    @staticmethod
    def to_member(capture: Capture, address: str) -> list[dict[str, Any]]:
        return [frame for frame in capture.end() if not frame["out"] and frame["ip_dst"] == address and frame["port_dst"] == PORT]

    def test_clients_of_other_switches(self) -> None:
        """open connections of all kinds go on, also while the controller is away"""
        client = self.lab.topology.hosts["c1"]
        for vip, address in ((VIP, client.ip), (VIP6, client.ip6)):
            with self.subTest(vip=vip):
                self.tracked(vip, [server.ip_beside(vip) for server in self.servers])
                self.assert_served(self.place(client), vip, address, f"c1, {vip}")
        load = Load(self.place(client), VIP6, PORT, [client.ip6], KINDS, 50)
        self.addCleanup(load.end)
        self.assert_unbroken(load, 1.0, "open")

    def test_member_behind_a_router(self) -> None:
        """serves hosts at the switches and those beside it, which its router would answer directly"""
        network, place = self.router.clients.network, self.router.clients.place
        client = self.lab.topology.hosts["c1"]
        for vip, family, prefix, next_hop, at in (
            (VIP, 4, network.prefix, "10.0.0.241", network.address),
            (VIP6, 6, network.prefix6, "fd00:a00::f1", network.address6),
        ):
            with self.subTest(vip=vip):
                self.controller.rest.post("/wm/malob/routes", {"destination": prefix, "next_hop": next_hop})
                self.tracked(vip, [at(0)])
                self.assert_served(self.place(client), vip, client.ip if family == 4 else client.ip6, f"c1, {vip}")
                self.assert_served(place, vip, at(5), f"beside the member, {vip}")
                wait_until(lambda: not self.problems(), "no problem", 10, detail=lambda: str(self.problems()))

    def test_path_mtu(self) -> None:
        """a router before the member tells the client, as it would without translation"""
        network = self.router.clients.network
        self.controller.rest.post("/wm/malob/routes", {"destination": network.prefix, "next_hop": "10.0.0.241"})
        self.tracked(VIP, [network.address(0)])
        self.router.limit(MTU)
        self.addCleanup(self.router.limit, 1500)
        for host in ("c1", "w1"):
            with self.subTest(host=host):
                client = self.lab.topology.hosts[host]
                place = self.place(client)
                loads.each_once(place, VIP, PORT, 10, [client.ip] * 2)
                balancing.wait_for_proactive(self.controller.rest, "real")
                self.assert_prompt(loads.each_once(place, VIP, PORT, 5, [client.ip] * 5, 2, 1_000_000), f"upload, {host}")
                self.assertIn(f"mtu {MTU}", place.run("ip", "route", "get", VIP))

    def test_datagrams(self) -> None:
        """each client's come to the member from one port, and answers go back"""
        member, client = self.lab.topology.hosts["w1"], self.lab.topology.hosts["c1"]
        self.tracked(VIP, [member.ip], "udp", UDP_PORT)
        for host, source in ((client, 30001), (member, 30002)):
            with self.subTest(host=host.name):
                self.ask(host, source + 10)  # may come before the buckets
                balancing.wait_for_proactive(self.controller.rest, "real")
                capture = Capture(self.place(member))
                self.assertEqual(["w1"] * 20, [self.ask(host, source) for _ in range(20)])
                sources = {frame["ip_src"] for frame in capture.end() if not frame["out"] and frame["port_dst"] == UDP_PORT}
                self.assertEqual(1, len(sources & set(SOURCES)), sources)

    def ask(self, host: Host, port: int) -> str:
        """The name of the server that answers a datagram from this port."""
        return self.ask_by_udp(host.name, VIP, UDP_PORT, port, "x").partition(" ")[0]

    def problems(self) -> list[str]:
        return [problem["problem"] for problem in self.controller.rest.get("/wm/malob/problems")]
