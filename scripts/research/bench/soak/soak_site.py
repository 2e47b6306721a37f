"""The network of a run with its controller, servers and services, and the faults that can be injected."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab import rules
from lab.faults import links
from lab.site import Site
from malob.network import topology
from malob.system.waiting import wait_until
from research.bench.soak import servers
from research.bench.soak.events import Service, Targets
from research.bench.soak.model import CHECK_S, FALL, IDLE_S

NAME = "mls"
TOPOLOGY = "mesh5"
BASE = "/quantum/v1.0"

_BALANCER = "io.malob.balancer.BalancerModule"
#: Rules expire soon, so that connections often become dormant and are reactivated; maxDormant is small, so that it is soon
#: reached;
#: audits are frequent.
_SETTINGS = {"idleTimeoutTcp": IDLE_S, "maxDormant": 2000, "auditSeconds": 10, "adoptSeconds": 20}
_MAX_CONNECTIONS = 100_000


class SoakSite(Site):
    """Each server has its program, unless that is killed."""

    def __init__(self, directory: Path) -> None:
        """directory: for the controller's log, data and settings."""
        network = topology.load(TOPOLOGY)
        super().__init__(network, NAME, directory, {f"{_BALANCER}.{name}": value for name, value in _SETTINGS.items()})
        self.targets = Targets.of(network)
        self._programs: dict[str, subprocess.Popen[bytes]] = {}

    def prepare_lab(self) -> None:
        for link in self.targets.shaped_links:
            links.make_silenceable(self.lab, *link.split("-"))

    def build(self) -> None:
        for server in self.targets.servers:
            self.serve(server)
        for service in self.targets.services:
            self._configure(service)
        self.wait_for_members()

    def wait_for_members(self) -> None:
        """Returns once all are known and have passed their checks."""
        wait_until(
            lambda: all(each["health"] == "up" for service in self.targets.services for each in self.members(service)), "all members to be up", 20
        )

    def _configure(self, service: Service) -> None:
        key = service.key
        self.rest.post(f"{BASE}/vips/", {"id": key, "name": key, "protocol": "tcp", "address": service.address, "port": str(service.port)})
        self.rest.post(f"{BASE}/pools/", {"id": key, "name": key, "protocol": "tcp", "vip_id": key, "lb_method": service.algorithm})
        self.rest.post(
            f"{BASE}/pools/{key}/health_monitors/", {"id": key, "type": "TCP", "delay": CHECK_S, "timeout": CHECK_S, "rise": 1, "fall": FALL}
        )
        for server in self.targets.servers:
            self.add(service.member(server))

    # --- faults ------------------------------------------------------------------------------------

    def add(self, member: str) -> None:
        service, server = self.targets.members[member]
        self.rest.post(
            f"{BASE}/members/", {"id": member, "address": self._network.hosts[server].ip, "port": str(service.port), "pool_id": service.key}
        )

    def delete(self, member: str) -> None:
        self.rest.delete(f"{BASE}/members/{member}")

    def change(self, member: str, **fields: Any) -> None:
        self.rest.put(f"{BASE}/members/{member}", fields)

    def serve(self, server: str) -> None:
        """Returns once it listens."""
        self._programs[server] = servers.serve(self.lab, server, *(service.port for service in self.targets.services))

    def kill(self, server: str) -> None:
        """Ends a server's program as a crash would."""
        program = self._programs.pop(server)
        program.kill()
        program.wait()

    # --- observations ------------------------------------------------------------------------------

    def members(self, service: Service) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = self.rest.get(f"{BASE}/pools/{service.key}/stats/")["members"]
        return found

    def open_connections(self) -> list[dict[str, Any]]:
        """The connections that have rules, according to the controller."""
        known: list[dict[str, Any]] = self.rest.connections({}, _MAX_CONNECTIONS)["connections"]
        return [each for each in known if each["state"] != "dormant"]

    def rules(self) -> list[str]:
        """The rules of all switches, as ovs-ofctl prints them."""
        return [line for each in self.targets.switches for line in rules.dump(self.lab, each).splitlines() if "cookie=" in line]
