"""The state of the parts that a run can break, and which events it allows. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from malob.network.topology import Topology


@dataclass(frozen=True)
class Service:
    """A VIP with its pool, which has a member on each server: POOL-SERVER. The port is that of both."""

    key: str
    address: str
    port: int
    algorithm: str

    def member(self, server: str) -> str:
        return f"{self.key}-{server}"


#: Two services that share servers, with least connections and round robin, so that weights matter.
SERVICES = (Service("least", "10.0.0.100", 80, "LC+SPH"), Service("turns", "10.0.0.101", 8001, "WRR+SPH"))

#: A shaped link needs more processor time than others.
_SHAPED = 2


@dataclass(frozen=True)
class World:
    """servers and links by name, a link as FIRST-SECOND. shaped_links: those that can fall silent with their ports up."""

    services: tuple[Service, ...]
    servers: tuple[str, ...]
    switches: tuple[str, ...]
    links: tuple[str, ...]
    shaped_links: tuple[str, ...]

    @staticmethod
    def of(network: Topology) -> World:
        links = tuple("-".join(link.ends) for link in network.links)
        return World(SERVICES, tuple(host.name for host in network.with_role("server")), tuple(network.switches), links, links[:_SHAPED])

    @property
    def members(self) -> Mapping[str, tuple[Service, str]]:
        """Service and server by the member's id."""
        return {service.member(server): (service, server) for service in self.services for server in self.servers}

    def connected_without(self, gone: Iterable[str]) -> bool:
        """Whether the remaining links connect all switches."""
        left = [link.split("-") for link in self.links if link not in set(gone)]
        reached, more = set(self.switches[:1]), True
        while more:
            found = {end for ends in left if reached & set(ends) for end in ends} | reached
            more, reached = found != reached, found
        return reached == set(self.switches)
