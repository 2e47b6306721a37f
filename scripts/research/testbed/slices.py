"""Slices: the machines and links to request from a testbed, made from a topology of the lab.

No I/O. A switch of the topology becomes a machine with Open vSwitch, SWITCH-switch, and a host a separate machine, both at
the site with the switch's name. A link of the topology becomes a tunnel between two sites.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, replace

from malob.errors import UsageError
from malob.network.hosts import Host
from malob.network.links import Direction, Link
from malob.network.topology import Topology
from research.testbed.sites import Machine, Sites

CONTROLLER = "controller"
#: The recommended order of set-up: machines that test others come last.
ROLES = (CONTROLLER, "switch", "server", "client")
TUNNEL = "egre-tunnel"
LAN = "lan"

#: Each tunnel has a subnet of this network; its addresses only distinguish a machine's interfaces and are in no packet.
_TUNNELS = ipaddress.IPv4Network("192.168.0.0/16")


@dataclass(frozen=True)
class Interface:
    """An interface of a machine. name: NODE:INTERFACE, unique in a slice. address: with prefix length."""

    name: str
    address: str

    @property
    def node(self) -> str:
        return self.name.partition(":")[0]


@dataclass(frozen=True)
class Node:
    """A machine. part_of: the switch or host of the topology that it is, or "controller"; role: what it does.

    interfaces: those of a switch are its ports, from number 1 on. Switches also have a datapath_id and own_address: that of
    the machine as a host in its own network, for programs on the switch; its port is the one after the interfaces.
    """

    name: str
    role: str
    part_of: str
    site: str
    machine: Machine
    interfaces: tuple[Interface, ...] = ()
    datapath_id: str | None = None
    own_address: str | None = None


@dataclass(frozen=True)
class Connection:
    """A link between two interfaces, by name. forward: from the first to the second, as it should be emulated."""

    name: str
    first: str
    second: str
    kind: str
    forward: Direction = Direction()
    reverse: Direction = Direction()

    def unshaped(self) -> Connection:
        """The same slice with the rates and delays of the network between the sites."""
        return replace(self, forward=Direction(), reverse=Direction())


@dataclass(frozen=True)
class Slice:
    """A slice that is requested or was allocated. name: the topology's."""

    name: str
    nodes: tuple[Node, ...]
    connections: tuple[Connection, ...]

    def node(self, name: str) -> Node:
        return next(node for node in self.nodes if node.name == name)

    def with_role(self, role: str) -> list[Node]:
        return [node for node in self.nodes if node.role == role]

    def unshaped(self) -> Slice:
        """The same without shaping of links."""
        return replace(self, connections=tuple(one.unshaped() for one in self.connections))


def build(topology: Topology, sites: Sites) -> Slice:
    """The slice for a topology. Raises UsageError if one of its switches has no site, or if addresses run out."""
    missing = [switch for switch in topology.switches if switch not in sites.racks]
    if missing:
        raise UsageError(f"sites '{sites.name}': no rack for switch '{missing[0]}'")
    return _Builder(topology, sites).build()


class _Builder:
    def __init__(self, topology: Topology, sites: Sites) -> None:
        self._topology = topology
        self._sites = sites
        self._free = self._free_addresses()

    def build(self) -> Slice:
        interfaces: dict[str, list[Interface]] = {switch: [] for switch in self._topology.switches}
        hosts, connections = [], []
        for host in self._topology.hosts.values():
            node, connection, port = self._attach(host)
            hosts.append(node)
            connections.append(connection)
            interfaces[host.switch].append(port)
        for number, link in enumerate(self._topology.links, 1):
            connection, first, second = self._tunnel(number, link)
            connections.append(connection)
            interfaces[link.first].append(first)
            interfaces[link.second].append(second)
        switches = [self._switch(name, interfaces[name]) for name in self._topology.switches]
        controller = Node(CONTROLLER, CONTROLLER, CONTROLLER, self._rack(self._sites.controller), self._sites.machine(CONTROLLER, CONTROLLER))
        return Slice(self._topology.name, (controller, *switches, *hosts), tuple(connections))

    def _switch(self, name: str, ports: list[Interface]) -> Node:
        return Node(
            _switch_node(name),
            "switch",
            name,
            self._rack(name),
            self._sites.machine(name, "switch"),
            tuple(ports),
            self._topology.switches[name],
            self._topology.nodes[name].address,
        )

    def _attach(self, host: Host) -> tuple[Node, Connection, Interface]:
        if host.vlan is not None:
            raise UsageError(f"topology '{self._topology.name}': hosts.{host.name}.vlan: testbeds' links carry no tags")
        inside = Interface(f"{host.name}:lan", host.address)
        prefix = host.address.partition("/")[2]
        port = self._port(host.switch, host.name, f"{next(self._free)}/{prefix}")
        node = Node(host.name, host.role, host.name, self._rack(host.switch), self._sites.machine(host.name, host.role), (inside,))
        return node, Connection(f"{_plain(host.name)}_lan", inside.name, port.name, LAN), port

    def _tunnel(self, number: int, link: Link) -> tuple[Connection, Interface, Interface]:
        network = _TUNNELS.network_address + 256 * number
        first = self._port(link.first, link.second, f"{network + 1}/24")
        second = self._port(link.second, link.first, f"{network + 2}/24")
        kind = LAN if self._rack(link.first) == self._rack(link.second) else TUNNEL
        name = f"{_plain(link.first)}_{_plain(link.second)}"
        return Connection(name, first.name, second.name, kind, link.forward, link.reverse), first, second

    def _port(self, switch: str, neighbour: str, address: str) -> Interface:
        return Interface(f"{_switch_node(switch)}:port{self._topology.ports(switch)[neighbour]}", address)

    def _rack(self, switch: str) -> str:
        return self._sites.racks[switch]

    def _free_addresses(self) -> Iterator[str]:
        """Addresses for the switches' ends of hosts' links: the last unused ones of the hosts' network."""
        subnet = self._topology.subnet
        taken = {place.ip for place in self._topology.places}
        for offset in range(1, subnet.num_addresses - 1):
            address = str(subnet.broadcast_address - offset)
            if address not in taken:
                yield address
        raise UsageError(f"topology '{self._topology.name}': {subnet} has no room for the switches' ends of hosts' links")


def _switch_node(name: str) -> str:
    return f"{name}-switch"


def _plain(name: str) -> str:
    """A name for a link from which testbeds can make names of variables."""
    return name.replace("-", "_")
