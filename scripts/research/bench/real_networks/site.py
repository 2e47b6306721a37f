"""A site of `bench real-networks`: switches, their controller, servers, and what a case attaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab import balancing, site
from lab.attached import loads, networks
from lab.attached.places import Attachments, Place
from malob.network import topology
from malob.network.hosts import Host
from malob.system.waiting import wait_until
from research.bench.readings import packet_ins_in

NAME = "mlr"
VIP, VIP6 = "10.0.0.150", "fd00:a00::96"
PORT = 8700
#: the same servers, without a VIP
DIRECT_PORT = 8701
_KEY = "real"
_LOCATED_S = 20


@dataclass
class Row:
    """The figures of one case. ok: whether what is required was reached; wrong: what went otherwise."""

    case: str
    placement: str
    requests: int = 0
    failed: int = 0
    slow: int = 0
    open: int = 0
    broken: int = 0
    figures: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def add(self, requests: loads.Requests) -> None:
        self.requests += requests.count
        self.failed += requests.failed
        self.slow += requests.slow

    def count(self, requests: int, answered: int) -> None:
        self.requests += requests
        self.failed += requests - answered

    def require(self, condition: bool, otherwise: str) -> None:
        if not condition:
            self.wrong.append(otherwise)

    def document(self) -> dict[str, Any]:
        figures = {"requests": self.requests, "failed": self.failed, "slow": self.slow, "open": self.open, "broken": self.broken, **self.figures}
        return {"case": self.case, "placement": self.placement, "ok": not self.wrong, "wrong": self.wrong, **figures}


class NetworkSite(site.Site):
    """Without links for islands, which a legacy switch joins."""

    attached: Attachments

    def __init__(self, directory: Path, islands: bool = False) -> None:
        network = topology.load(str(networks.ISLANDS if islands else networks.LAN))
        super().__init__(network, NAME, directory)
        self._islands = islands

    def build(self) -> None:
        self.attached = Attachments(self.lab)
        for server in self.servers:
            for port in (PORT, DIRECT_PORT):
                loads.start_server(self.attached.host(server.name), port)

    def wait_for_network(self) -> None:
        if self._islands:
            wait_until(lambda: self.rest.switch_count() == len(self.lab.topology.switches), "all switches", 60)
        else:
            super().wait_for_network()

    @property
    def servers(self) -> list[Host]:
        return self.lab.topology.with_role("server")

    def reach(self, *places: Place) -> None:
        networks.reach(places, self.servers)

    @contextmanager
    def service(
        self,
        placement: str,
        address: str = VIP,
        members: Sequence[str] = (),
        vlan: int = 0,
        members_vlan: int = 0,
        protocol: str = "tcp",
        port: int = PORT,
    ) -> Iterator[None]:
        """A VIP; inside, its members are located, and it is proactive if it shall be. members: addresses; none for all servers.

        vlan, members_vlan: 0 for untagged.
        """
        rest, base = self.rest, balancing.BASE
        fields: dict[str, Any] = {"id": _KEY, "protocol": protocol, "address": address, "port": str(port)}
        rest.post(f"{base}/vips/", {**fields, **balancing.placed(placement), **({"vlan": vlan} if vlan else {})})
        try:
            rest.post(f"{base}/pools/", {"id": _KEY, "protocol": protocol, "vip_id": _KEY, "lb_method": "RR"})
            of_member = {"vlan": members_vlan} if members_vlan else {}
            for number, member in enumerate(members or [server.ip_beside(address) for server in self.servers], start=1):
                rest.post(f"{base}/members/", {"id": f"{_KEY}{number}", "address": member, "port": str(port), "pool_id": _KEY, **of_member})
            wait_until(lambda: all(each["located"] for each in self.members()), "the members to be found", _LOCATED_S)
            if placement == balancing.PROACTIVE:
                balancing.wait_for_proactive(rest, _KEY)
            yield
        finally:
            for kind, name in (("members", "pool_id"), ("pools", "id"), ("vips", "id")):
                for item in rest.get(f"{base}/{kind}/"):
                    if item.get(name) == _KEY:
                        rest.delete(f"{base}/{kind}/{item['id']}")

    def members(self) -> list[dict[str, Any]]:
        """As REST shows them."""
        members: list[dict[str, Any]] = self.rest.get(f"{balancing.BASE}/pools/{_KEY}/stats/")["members"]
        return members

    def monitor(self, kind: str) -> None:
        """Has the members checked each second, until the service is over."""
        check = {"id": _KEY, "type": kind, "delay": 1, "timeout": 1, "rise": 1, "fall": 2}
        self.rest.post(f"{balancing.BASE}/pools/{_KEY}/health_monitors/", check)

    def packet_ins(self) -> int:
        """Those that the balancer has handled so far."""
        return packet_ins_in(self.rest.get_text("/metrics"))
