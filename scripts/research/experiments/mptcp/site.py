"""A network of `lab run mptcp` with its controller: hosts with aliases, and sub-flows on the paths of a plan."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lab.site import Site
from malob.cli.mptcp import hosting, question
from malob.errors import ScriptError
from malob.network.hosts import Host
from malob.network.topology import Topology
from malob.rest.client import RestClient
from malob.system.processes import run, succeeds
from malob.system.waiting import wait_until
from research.experiments.frame.folder import Folder
from research.experiments.mptcp.methods import ADDRESSES_OF, Method, leading_to, named
from research.experiments.site.site import NAME

BASE = "/wm/malob/mptcp"

#: A queue holds the packets that its link sends in this time in seconds, and at least this number of packets of 1,500 bytes.
QUEUE_S, _MIN_PACKETS = 0.12, 10

#: Cached metrics of destinations would let one case affect the next, so each starts without them. A receiver waits for the
#: slowest sub-flow's data: so little is queued behind its window, and after one timeout others carry it.
_TUNING = """
sysctl -qw net.ipv4.tcp_no_metrics_save=1 net.ipv4.tcp_notsent_lowat=4096 net.mptcp.stale_loss_cnt=1
ip route replace "$1" dev "$2" scope link src "$3" congctl "$4"
"""
#: Limits a host's sending rate to that of its interface: a whole window at once would overflow the socket of a switch.
_INTERFACE = "tc qdisc replace dev eth0 root tbf rate {}mbit burst 6kb limit 1mb"
ACCESS_MBPS = 200

_APPLY_TIMEOUT_S = 60

#: A plan for many switches takes time.
_PLAN_TIMEOUT_S = 180


class MptcpSite(Site):
    """The network of one topology."""

    def __init__(self, network: Topology, scale: float, congestion: str, folder: Folder) -> None:
        super().__init__(with_short_queues(network, scale), NAME, scale=scale)
        self._congestion = congestion
        self._folder = folder
        self._addressing: dict[str, list[str]] = {}
        self._aliases: dict[str, list[str]] = {}
        self._applied: Method | None = None
        self._pairs: Sequence[tuple[str, str]] = ()
        #: by method: the controller's last answer
        self.plans: dict[str, dict[str, Any]] = {}

    @property
    def rest(self) -> RestClient:
        return RestClient(self.controller.rest.target, _PLAN_TIMEOUT_S)

    def prepare_lab(self) -> None:
        for host in self.lab.topology.hosts.values():
            self._tune(host)

    def keep(self) -> None:
        self._folder.keep(self.controller.log)

    def use(self, method: Method, pairs: Sequence[tuple[str, str]]) -> None:
        """Returns once packets are forwarded by the method for these clients and servers, and hosts have the necessary
        addresses."""
        if method == self._applied and (pairs == self._pairs or not method.by_load):
            return
        if method.plan is None:
            if self._applied is not None and self._applied.plan is not None:
                self.rest.delete(BASE)
                self._wait_for("none")
            if method.mptcp:
                self._address(self._plan(named(ADDRESSES_OF)))
        else:
            self.rest.post(f"{BASE}/apply", self._with_hosts(method.request(pairs)))
            self._wait_for("applied")
            self.plans[method.name] = self.rest.get(f"{BASE}/status")["plan"]
            self._address(self.plans[method.name])
        self._applied, self._pairs = method, pairs

    def addresses(self, method: Method, client: str, server: str) -> list[str]:
        """The source addresses of a connection's sub-flows."""
        hosts = self.lab.topology.hosts
        own = hosts[client].ip
        if not method.mptcp:
            return [own]
        all_of_them = [own, *self._aliases[client]]
        if method.plan is None:
            return all_of_them
        return leading_to(self.plans[method.name], all_of_them, self.lab.topology.switches[hosts[server].switch])

    def _plan(self, method: Method) -> dict[str, Any]:
        if method.name not in self.plans:
            self.plans[method.name] = self.rest.post(f"{BASE}/plan", self._with_hosts(method.request(())))
        return self.plans[method.name]

    def _with_hosts(self, request: dict[str, Any]) -> dict[str, Any]:
        return {**request, "hosts": question.hosts(self.lab.topology)}

    def _wait_for(self, state: str) -> None:
        status = f"{BASE}/status"
        wait_until(
            lambda: self.rest.get(status)["state"] == state,
            f"the plan's state to be {state}",
            _APPLY_TIMEOUT_S,
            detail=lambda: str(self.rest.get(status)["state"]),
        )

    def _address(self, plan: dict[str, Any]) -> None:
        """Gives hosts the addresses of a plan by its commands, if they have others."""
        wanted = {host["id"]: host["commands"] for host in plan["hosts"]}
        if wanted == self._addressing:
            return
        for host in plan["hosts"]:
            name = host["id"]
            place = self.lab.topology.hosts[name]
            old = [f"ip addr flush to {alias}/32 dev {place.device}" for alias in self._aliases.get(name, [])]
            run(self.lab.inside(name, ["sh", "-ec", "\n".join(["ip mptcp endpoint flush", *old])]))
            self._aliases[name] = [address["address"] for address in host["addresses"] if address["address"] != place.ip]
        hosting.prepare_hosts(self.lab, plan["hosts"])
        self._addressing = wanted

    def _tune(self, host: Host) -> None:
        subnet = str(ipaddress.IPv4Interface(host.address).network)
        run(self.lab.inside(host.name, ["sh", "-ec", _TUNING, "sh", subnet, host.device, host.ip, self._congestion]))
        if not succeeds(self.lab.inside(host.name, _INTERFACE.format(ACCESS_MBPS).split())):
            raise ScriptError("this kernel has no token bucket filter (tbf), which limits what hosts send")


def with_short_queues(network: Topology, scale: float) -> Topology:
    """The same with queues that hold the same time on all links, after scaling the rates."""
    links = []
    for link in network.links:
        directions: dict[str, Any] = {
            name: replace(direction, queue_packets=max(_MIN_PACKETS, round((direction.rate_mbps or 0) * scale * 1e6 * QUEUE_S / 12_000)))
            for name, direction in (("forward", link.forward), ("reverse", link.reverse))
        }
        links.append(replace(link, **directions))
    return replace(network, links=tuple(links))
