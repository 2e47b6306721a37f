"""Hosts that vanish silently, their ports stay up: what others do goes on."""

from __future__ import annotations

import pytest

from lab import balancing
from lab.attached import loads, routers
from lab.attached.loads import KINDS, Load
from lab.attached.places import Place
from lab.attached.routers import Router
from malob.network.hosts import Host
from malob.system.waiting import wait_until
from tests.system.real_networks import DIRECT_PORT, MODES, PORT, VIP, RealNetworkTest

REQUESTS = 20
OTHER_VIP = "10.0.0.151"


@pytest.mark.real_time
class VanishingTest(RealNetworkTest):
    """What vanishes does not come back: each time it is another host. c1 and the clients of a router are the others."""

    others: Router

    @classmethod
    def build(cls) -> None:
        cls.others = cls.add_router(0, "s2")

    def assert_others_are_served(self, what: str, vip: str = VIP, port: int = PORT) -> None:
        network = self.others.clients.network
        self.assert_prompt(loads.each_once(self.attached.host("c1"), vip, port, 50, ["10.0.0.1"] * REQUESTS), f"{what}, beside it")
        self.assert_prompt(loads.each_once(self.others.clients.place, vip, port, 50, [f"{network.address(0)}+{REQUESTS}"]), f"{what}, router")

    def vanish(self, mode: str, clients: Place, sources: list[str], place: Place, *devices: str) -> None:
        """Clients have open connections when they, or their router, vanish. A VIP that comes then works, too."""
        self.service(mode)
        load = Load(clients, VIP, PORT, sources, KINDS, 20)
        self.addCleanup(load.end)
        place.fall_silent(*devices)
        self.assert_others_are_served(mode)
        self.virtual("later", OTHER_VIP, DIRECT_PORT, placement=mode)
        if mode == balancing.PROACTIVE:
            balancing.wait_for_proactive(self.controller.rest, "later")
        self.assert_others_are_served(f"{mode}, later VIP", OTHER_VIP, DIRECT_PORT)
        self.remove_virtual("later")

    def test_client(self) -> None:
        for number, mode in enumerate(MODES):
            with self.subTest(mode=mode):
                client = self.attached.place(f"vc{number}")
                address = f"10.0.0.{31 + number}"
                self.attached.join("s1", client, addresses=[f"{address}/24"])
                self.reach(client)
                self.vanish(mode, client, [address], client, "eth0")

    def test_next_hop(self) -> None:
        for number, mode in enumerate(MODES, start=1):
            with self.subTest(mode=mode):
                router = self.add_router(number, "s1")
                network = router.clients.network
                self.vanish(mode, router.clients.place, [f"{network.address(0)}+1000"], router.place, "eth0", "eth1")

    def test_member(self) -> None:
        """once its checks have failed, it gets no connection"""
        for number, mode in enumerate(MODES):
            with self.subTest(mode=mode):
                member = Host(f"vm{number}", "s2", f"10.0.0.{41 + number}/24", "server")
                place = self.attached.place(member.name)
                self.attached.join("s2", place, addresses=[member.address])
                routers.route(self.attached, [place], self.others)
                loads.start_server(place, PORT)
                self.service(mode, servers=[*self.servers, member])
                check = {"id": "real", "type": "TCP", "delay": 1, "timeout": 1, "rise": 1, "fall": 2}
                self.controller.rest.post(f"{balancing.BASE}/pools/real/health_monitors/", check)
                self.assert_others_are_served(f"{mode}, with the member")
                place.fall_silent("eth0")
                wait_until(lambda: sorted(self.health()) == ["down", "up", "up"], "the member to be down", 15, detail=lambda: str(self.health()))
                if mode == balancing.PROACTIVE:
                    balancing.wait_for_proactive(self.controller.rest, "real")
                self.assert_others_are_served(f"{mode}, without the member")
                self.controller.rest.delete(f"{balancing.BASE}/health_monitors/real")

    def health(self) -> list[str]:
        return [str(member["health"]) for member in self.controller.rest.get(f"{balancing.BASE}/pools/real/stats/")["members"]]
