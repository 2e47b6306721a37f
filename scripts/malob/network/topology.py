"""Topologies as data: which switches, hosts and links there are. No I/O but reading the file."""

from __future__ import annotations

import ipaddress
import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from malob.errors import UsageError
from malob.network import generators
from malob.network.hosts import Host, parse_host
from malob.network.links import Link, parse_link
from malob.system.place import ROOT

#: Those of the lab, which have names.
DIRECTORY = ROOT / "scripts" / "lab" / "topologies"

#: With a lab's name and a dash before it, a bridge's name is at most 15 characters long, the kernel's limit.
_NAME = re.compile(r"[a-z][a-z0-9-]{0,10}")
_DPID = re.compile(r"([0-9a-f]{2}:){7}[0-9a-f]{2}")

#: Where there are no hosts, nodes are in this network.
_DEFAULT_NETWORK = ipaddress.IPv4Network("10.0.0.0/24")


@dataclass(frozen=True)
class Topology:
    """A network. switches: datapath id (eight bytes, colons) by name.

    A host may have the name of the switch that it is attached to, as a site that is a switch with one host.
    Each switch also has a node: a small host of its own, SWITCH.node, for programs that belong to the switch,
    as agents on sites without a host.
    """

    name: str
    description: str
    switches: dict[str, str]
    hosts: dict[str, Host]
    links: tuple[Link, ...]

    def with_role(self, role: str) -> list[Host]:
        return [host for host in self.hosts.values() if host.role == role]

    @property
    def subnet(self) -> ipaddress.IPv4Network:
        """The network of the first host's address, to which the nodes belong as well."""
        hosts = iter(self.hosts.values())
        return next((ipaddress.IPv4Interface(host.address).network for host in hosts), _DEFAULT_NETWORK)

    @cached_property
    def nodes(self) -> dict[str, Host]:
        """The node of each switch, by the switch's name.

        They have the last addresses of the subnet; up to 54 nodes in a /24, from .201 on.
        """
        subnet = self.subnet
        room = max(len(self.switches), min(54, subnet.num_addresses // 4))
        first = subnet.broadcast_address - room
        return {switch: Host(f"{switch}.node", switch, f"{first + n}/{subnet.prefixlen}", "node") for n, switch in enumerate(self.switches)}

    @cached_property
    def places(self) -> tuple[Host, ...]:
        """All that programs can run on: hosts, then nodes."""
        return (*self.hosts.values(), *self.nodes.values())

    def place(self, name: str) -> Host:
        """A host, or the node that SWITCH.node means, and also SWITCH where no host has that name.

        Raises UsageError if there is none.
        """
        switch = name if name in self.switches else name.removesuffix(".node")
        found = self.hosts.get(name) or self.nodes.get(switch)
        if found is None:
            raise UsageError(
                f"no host or switch '{name}' in topology '{self.name}'; there are: " + ", ".join(dict.fromkeys([*self.hosts, *self.switches]))
            )
        return found

    def ports(self, switch: str) -> dict[str, int]:
        """Port number by neighbour: hosts first, then links, as the file lists them, then the switch's node."""
        return self._ports[switch]

    @cached_property
    def _ports(self) -> dict[str, dict[str, int]]:
        names: dict[str, list[str]] = {switch: [] for switch in self.switches}
        for host in self.hosts.values():
            names[host.switch].append(host.name)
        for link in self.links:
            for end in link.ends:
                names[end].append(link.other(end))
        return {switch: {name: number for number, name in enumerate([*around, self.nodes[switch].name], start=1)} for switch, around in names.items()}

    def link(self, first: str, second: str) -> Link:
        """The link between two switches, in either order. It must exist."""
        return next(link for link in self.links if set(link.ends) == {first, second})

    def neighbours(self, switch: str) -> list[str]:
        """The switches that a link joins to this one."""
        return [link.other(switch) for link in self.links if switch in link.ends]

    def scaled(self, factor: float) -> Topology:
        """The same with all rates of links multiplied."""
        return replace(self, links=tuple(link.scaled(factor) for link in self.links))

    def tagged_by_switches(self) -> Topology:
        """The same with no host that tags its frames itself."""
        return replace(self, hosts={name: host.tagged_by_switch() for name, host in self.hosts.items()})

    def to_json(self) -> dict[str, Any]:
        """What parse() reads."""
        return {
            "description": self.description,
            "switches": self.switches,
            "hosts": {host.name: host.to_json() for host in self.hosts.values()},
            "links": [link.to_json() for link in self.links],
        }


def known_names() -> list[str]:
    """The topologies that come with MALOB."""
    return sorted(path.stem for path in DIRECTORY.glob("*.json"))


def load(name_or_file: str) -> Topology:
    """Reads a topology that comes with MALOB, by name, or any file, by its path; or makes one by rule, as "ring:5".

    Raises UsageError, which names the place and the error.
    """
    if generators.is_generated(name_or_file):
        return parse(name_or_file, generators.generate(name_or_file))
    if name_or_file in known_names():
        path = DIRECTORY / f"{name_or_file}.json"
    elif "/" in name_or_file or name_or_file.endswith(".json"):
        path = Path(name_or_file)
    else:
        known = ", ".join([*known_names(), *generators.FORMS])
        raise UsageError(f"no topology '{name_or_file}'; expected a file or one of {known}")
    return parse(path.stem, read_json(path))


def read_json(path: Path) -> Any:
    """The document in a file. Raises UsageError."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}") from None


def parse(name: str, document: Any) -> Topology:
    """Checks a topology and builds it. Raises UsageError with the field that is wrong."""
    where = f"topology '{name}'"
    if not isinstance(document, dict):
        raise UsageError(f"{where}: expected an object")
    unknown = set(document) - {"description", "switches", "hosts", "links"}
    if unknown:
        raise UsageError(f"{where}: unknown field '{sorted(unknown)[0]}'")
    switches = _switches(where, document.get("switches"))
    hosts = _hosts(where, document.get("hosts"), switches)
    links = _links(where, document.get("links", []), switches)
    network = Topology(name, str(document.get("description", "")), switches, hosts, links)
    _check_room_for_nodes(where, network)
    return network


def _switches(where: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not value:
        raise UsageError(f"{where}: 'switches' must be an object with at least one switch")
    for name, dpid in value.items():
        _check_name(where, "switches", name)
        if not isinstance(dpid, str) or not _DPID.fullmatch(dpid):
            raise UsageError(f"{where}: switches.{name}: a datapath id is eight bytes in hex with colons, not {dpid!r}")
    if len(set(value.values())) < len(value):
        raise UsageError(f"{where}: two switches have the same datapath id")
    return dict(value)


def _hosts(where: str, value: Any, switches: dict[str, str]) -> dict[str, Host]:
    if not isinstance(value, dict):
        raise UsageError(f"{where}: 'hosts' must be an object")
    hosts: dict[str, Host] = {}
    for name, fields in value.items():
        _check_name(where, "hosts", name)
        at = f"{where}: hosts.{name}"
        host = hosts[name] = parse_host(at, name, fields)
        if not isinstance(host.switch, str) or host.switch not in switches:
            raise UsageError(f"{at}.switch: there is no switch {host.switch!r}")
        if name in switches and name != host.switch:
            raise UsageError(f"{at}: a switch other than its own has that name")
    for addresses in ({host.ip for host in hosts.values()}, {host.ip6 for host in hosts.values()}):
        if len(addresses) < len(hosts):
            raise UsageError(f"{where}: two hosts have the same address")
    return hosts


def _check_room_for_nodes(where: str, network: Topology) -> None:
    subnet = network.subnet
    if len(network.switches) + len(network.hosts) > subnet.num_addresses - 2:
        raise UsageError(f"{where}: hosts: {subnet} has no room for {len(network.hosts)} hosts and {len(network.switches)} nodes")
    nodes = {address: node.switch for node in network.nodes.values() for address in (node.ip, node.ip6)}
    for host in network.hosts.values():
        for field, address in (("ip", host.ip), ("ip6", host.ip6)):
            if address in nodes:
                raise UsageError(f"{where}: hosts.{host.name}.{field}: {address} is reserved for the node of {nodes[address]}")


def _links(where: str, value: Any, switches: dict[str, str]) -> tuple[Link, ...]:
    if not isinstance(value, list):
        raise UsageError(f"{where}: 'links' must be an array")
    links: dict[frozenset[str], Link] = {}
    for number, document in enumerate(value):
        at = f"{where}: links[{number}]"
        link = parse_link(at, document)
        for end in link.ends:
            if end not in switches:
                raise UsageError(f"{at}: there is no switch {end!r}")
        if frozenset(link.ends) in links:
            raise UsageError(f"{at}: the link {link.first} - {link.second} exists already")
        links[frozenset(link.ends)] = link
    return tuple(links.values())


def _check_name(where: str, field: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{where}: {field}: '{name}' is not a valid name: expected a lower-case letter and max ten more lower-case letters, digits or '-'"
        )
