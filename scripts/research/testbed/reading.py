"""Reads requests and manifests back. No I/O.

A manifest is the aggregate's answer: the request, with the allocated resources added.
"""

from __future__ import annotations

import ipaddress
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from malob.errors import UsageError
from malob.network.links import Direction
from research.testbed.names import emulab, malob, rspec
from research.testbed.sites import Machine
from research.testbed.slices import ROLES, Connection, Interface, Node, Slice

#: Valid values for parts of paths and command lines.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")
_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*:[A-Za-z0-9-]+")
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:-]*")
_USER = re.compile(r"[A-Za-z_][A-Za-z0-9._-]*")
_ROLES = re.compile("|".join(ROLES))


@dataclass(frozen=True)
class Login:
    """How to reach a machine by SSH."""

    host: str
    port: int
    user: str | None


@dataclass(frozen=True)
class Document:
    """The contents of an RSpec. logins and addresses (on the control network): of manifests, by node."""

    slice: Slice
    logins: Mapping[str, Login]
    control_addresses: Mapping[str, str]


def read(name: str, text: str) -> Document:
    """The slice of a request that MALOB wrote, or of its manifest. name: for errors. Raises UsageError."""
    try:
        root = ElementTree.fromstring(text)
        if root.tag != rspec("rspec"):
            raise ValueError("not an RSpec of version 3")
        nodes = [_node(element) for element in root.findall(rspec("node"))]
        connections = [_connection(element) for element in root.findall(rspec("link"))]
        logins = {element.attrib["client_id"]: login for element in root.findall(rspec("node")) if (login := _login(element))}
    except ElementTree.ParseError as error:
        raise UsageError(f"{name} is not XML: {error}") from None
    except KeyError as error:
        raise UsageError(f"{name}: attribute {error} is missing; see 'malob testbed check'") from None
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None
    hosts = {
        element.attrib["client_id"]: host.attrib["ipv4"]
        for element in root.findall(rspec("node"))
        for host in element.findall(rspec("host"))
        if "ipv4" in host.attrib
    }
    return Document(Slice(name, tuple(nodes), tuple(connections)), logins, hosts)


def _node(element: Element) -> Node:
    name = _checked("client_id of a node", element.attrib["client_id"], _NAME)
    of_malob = element.find(malob("node"))
    if of_malob is None:
        raise ValueError(f"node[{name}]: its role in MALOB is missing: no element 'node' of {malob('')[1:-1]}")
    xen = element.find(f"{rspec('sliver_type')}/{emulab('xen')}")
    machine = Machine(0, 0) if xen is None else Machine(int(xen.get("cores", 0)), int(xen.get("ram", 0)))
    return Node(
        name,
        _checked(f"node[{name}]: role", of_malob.attrib["role"], _ROLES),
        of_malob.attrib["part_of"],
        element.get("component_manager_id", ""),
        machine,
        tuple(_interface(one) for one in element.findall(rspec("interface"))),
        of_malob.get("datapath_id"),
        of_malob.get("own_address"),
    )


def _interface(element: Element) -> Interface:
    address = element.find(rspec("ip"))
    if address is None:
        raise ValueError(f"interface[{element.get('client_id')}]: it has no address")
    parsed = ipaddress.IPv4Interface(f"{address.attrib['address']}/{address.attrib['netmask']}")
    return Interface(_checked("client_id of an interface", element.attrib["client_id"], _INTERFACE), parsed.with_prefixlen)


def _connection(element: Element) -> Connection:
    name = element.attrib["client_id"]
    ends = [reference.attrib["client_id"] for reference in element.findall(rspec("interface_ref"))]
    if len(ends) != 2:
        raise ValueError(f"link[{name}]: expected two interfaces")
    directions = {one.attrib["source_id"]: _direction(one) for one in element.findall(rspec("property"))}
    kind = element.find(rspec("link_type"))
    return Connection(
        name,
        ends[0],
        ends[1],
        "lan" if kind is None else kind.attrib["name"],
        directions.get(ends[0], Direction()),
        directions.get(ends[1], Direction()),
    )


def _direction(element: Element) -> Direction:
    capacity, latency, loss = (element.get(name) for name in ("capacity", "latency", "packet_loss"))
    return Direction(
        None if capacity is None else float(capacity) / 1000, None if latency is None else float(latency), None, None if loss is None else float(loss)
    )


def _login(element: Element) -> Login | None:
    login = element.find(f"{rspec('services')}/{rspec('login')}")
    if login is None or "hostname" not in login.attrib:
        return None
    user = login.get("username")
    return Login(
        _checked("hostname of a login", login.attrib["hostname"], _HOST),
        int(login.get("port", 22)),
        None if user is None else _checked("username of a login", user, _USER),
    )


def _checked(what: str, value: str, pattern: re.Pattern[str]) -> str:
    if not pattern.fullmatch(value):
        raise ValueError(f"{what}: cannot be '{value}'")
    return value
