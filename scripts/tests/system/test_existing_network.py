"""Networks with routers: VIPs outside the subnet, by way of the balancer's own addresses, and members behind a router."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest

from lab import balancing
from malob.network import topology
from malob.network.hosts import Host
from malob.system.waiting import wait_until
from tests.system.base import SystemTest

PORT = 8001
ROUTER = "w2"


def _self_addresses() -> list[str]:
    """The 200th host of the subnet of each family, with its prefix length."""
    client = topology.load("single").hosts["c1"]
    subnets = [ipaddress.ip_interface(text).network for text in (client.address, client.address6)]
    return [f"{subnet[200]}/{subnet.prefixlen}" for subnet in subnets]


SELF4, SELF6 = (text.partition("/")[0] for text in _self_addresses())


@pytest.mark.real_time
class ExistingNetworkTest(SystemTest):
    topology_name = "single"
    properties = {"io.malob.balancer.BalancerModule.selfAddresses": ", ".join(_self_addresses())}

    def _route(self, host: str, destination: str, next_hop: str) -> None:
        self.on(host, "ip", "route", "replace", destination, "via", next_hop)
        self.addCleanup(self.on, host, "ip", "route", "del", destination)

    def _curl(self, host: str, address: str, *more: str) -> str:
        shown = f"[{address}]" if ":" in address else address
        return self.on(host, "curl", "-s", "-m", "5", "-w", "%{http_code}", *more, f"http://{shown}:{PORT}/", check=False)

    def _stats(self, key: str) -> list[dict[str, Any]]:
        members: list[dict[str, Any]] = self.controller.rest.get(f"{balancing.BASE}/pools/{key}/stats/")["members"]
        return members

    def test_vip_outside_the_subnet(self) -> None:
        """by a static route, clients reach a VIP in no subnet; members that have no route to it are found, and pass their checks"""
        for number, (vip, next_hop) in enumerate((("203.0.113.10", SELF4), ("2001:db8:100::10", SELF6))):
            with self.subTest(vip=vip):
                key = f"outside{number}"
                self._route("c1", vip, next_hop)
                self.assertEqual((3, 0), self.ping("c1", next_hop))
                virtual = self.virtual(key, vip, PORT)
                self.controller.rest.post(
                    f"{balancing.BASE}/pools/{key}/health_monitors/", {"id": key, "type": "TCP", "delay": 1, "timeout": 1, "rise": 2, "fall": 2}
                )
                self.addCleanup(self.controller.rest.delete, f"{balancing.BASE}/health_monitors/{key}")
                wait_until(
                    lambda key=key: all(member["health"] == "up" for member in self._stats(key)),  # type: ignore[misc]
                    "the checks to pass",
                    15,
                    detail=lambda key=key: str(self._stats(key)),  # type: ignore[misc]
                )
                answers = {self._curl("c1", virtual.address) for _ in range(6)}
                self.assertEqual(len(self.servers), len(answers), answers)
                self.assertTrue(all(answer.endswith("200") for answer in answers), answers)

    def test_member_behind_a_router(self) -> None:
        """a member in another subnet serves by way of its router; a client behind the same router is refused"""
        far = Host("far", "s1", "10.2.0.5/24", ROUTER)
        neighbour = "10.2.0.6"
        for address in (far.ip, neighbour):
            self.on(ROUTER, "ip", "addr", "add", f"{address}/32", "dev", "lo")
            self.addCleanup(self.on, ROUTER, "ip", "addr", "del", f"{address}/32", "dev", "lo")
        router = self.lab.topology.hosts[ROUTER]
        self.controller.rest.post("/wm/malob/routes", {"destination": "10.2.0.0/16", "next_hop": router.ip})
        self.addCleanup(self.controller.rest.delete, "/wm/malob/routes/10.2.0.0/16")
        virtual = self.virtual("routed", "10.0.0.160", PORT, servers=[far])
        for _ in range(5):
            self.assertTrue(self._curl("c1", virtual.address).endswith("200"))
        before = self.controller.rest.get("/wm/malob/refusals")["same_next_hop"]
        self.assertEqual("000", self._curl(ROUTER, virtual.address, "--interface", neighbour))
        self.assertGreater(self.controller.rest.get("/wm/malob/refusals")["same_next_hop"], before)
