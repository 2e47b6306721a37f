"""ICMP errors of routers behind which packets must be smaller: path MTU discovery through VIPs."""

from __future__ import annotations

import pytest

from lab import balancing
from lab.attached import loads, routers
from lab.attached.places import Place
from lab.attached.routers import ClientNetwork, Router
from malob.network.hosts import Host
from tests.system.real_networks import MODES, PORT, VIP, VIP6, RealNetworkTest

MTU = 1300
SIZE = 1_000_000
_TIMES = 5
ALL_MODES = (*MODES, balancing.AUTO)


@pytest.mark.real_time
class PathMtuTest(RealNetworkTest):
    """Clients behind a router, and a member behind another one."""

    clients: Router
    members: Router

    @classmethod
    def build(cls) -> None:
        cls.clients = routers.single(cls.attached, "r0", "s1", ["10.0.0.241/24", "fd00:a00::f1/64"])
        cls.members = routers.single(cls.attached, "r1", "s2", ["10.0.0.242/24", "fd00:a00::f2/64"], ClientNetwork(1))
        for router, others in ((cls.clients, cls.lab.topology.with_role("server")), (cls.members, cls.lab.topology.with_role("client"))):
            router.limit(MTU)
            routers.route(cls.attached, others, router)
        for vip in (VIP, VIP6):
            cls.clients.place.run("ip", "route", "add", vip, "dev", "eth0", "mtu", str(MTU))
        loads.start_server(cls.members.clients.place, PORT)
        cls.reach(cls.clients.clients.place)

    def check(self, place: Place, vip: str, source: str, senders: list[tuple[Place, str]], what: str, upload: bool) -> None:
        """A transfer of 1 MB; afterwards, one of the senders knows the path MTU to the address beside it, which it did not know before."""
        for sender, _ in senders:
            for family in ("-4", "-6"):
                sender.run("ip", family, "route", "flush", "cache")
        size, sent = (2, SIZE) if upload else (SIZE, 0)
        self.assert_prompt(loads.each_once(place, vip, PORT, _TIMES, [source] * _TIMES, size, sent), what)
        found = [sender.run("ip", "route", "get", to) for sender, to in senders]
        self.assertTrue(any(f"mtu {MTU}" in each for each in found), f"{what}: {found}")

    def test_clients_behind_a_router(self) -> None:
        """the router of the clients tells the members and, of uploads, the clients"""
        network, place = self.clients.clients.network, self.clients.clients.place
        for number, mode in enumerate(ALL_MODES):
            for vip, client_at in ((VIP, network.address), (VIP6, network.address6)):
                with self.subTest(mode=mode, vip=vip):
                    self.service(mode, vip)
                    senders = [(self.place(server), client_at(number)) for server in self.servers]
                    self.check(place, vip, client_at(number), senders, f"download, {mode}, {vip}", False)
                    # another address: members tell those that they know the path MTU to
                    self.check(place, vip, client_at(100 + number), [(place, vip)], f"upload, {mode}, {vip}", True)

    def test_member_behind_a_router(self) -> None:
        """the router of the member tells the client, which knows the VIP only; with such a member, a VIP is never proactive"""
        network = self.members.clients.network
        member = Host("far", "s2", f"{network.address(0)}/24", "server", address6=f"{network.address6(0)}/64")
        for prefix, address in zip((network.prefix, network.prefix6), self.members.addresses):
            self.controller.rest.post("/wm/malob/routes", {"destination": prefix, "next_hop": address.partition("/")[0]})
        host = self.lab.topology.hosts["c1"]
        client = self.attached.host("c1")
        for vip in (VIP, VIP6):
            with self.subTest(vip=vip):
                self.service(balancing.REACTIVE, vip, servers=[member])
                self.check(client, vip, host.ip_beside(vip), [(client, vip)], f"upload, {vip}", True)
