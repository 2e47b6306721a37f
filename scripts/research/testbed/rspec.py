"""Request RSpecs, version 3, for aggregates that run Emulab: writes a slice, and reads requests and manifests back. No I/O.

A manifest is the aggregate's answer: the request, with the allocated resources added.
"""

from __future__ import annotations

import ipaddress
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from malob.errors import UsageError
from malob.network.links import Direction
from research.testbed.sites import Machine
from research.testbed.slices import CONTROLLER, ROLES, Connection, Interface, Node, Slice

RSPEC = "http://www.geni.net/resources/rspec/3"
#: Extensions of Emulab, which InstaGENI racks and CloudLab run.
EMULAB = "http://www.protogeni.net/resources/rspec/ext/emulab/1"
#: The role of a machine, for MALOB's set-up. Aggregates return unknown elements unchanged, as RSpec v3 requires.
MALOB = "urn:x-malob:rspec:1"
XSI = "http://www.w3.org/2001/XMLSchema-instance"

PREFIXES = {"": RSPEC, "emulab": EMULAB, "malob": MALOB, "xsi": XSI}

#: Its packages include Python 3.10, Open vSwitch 2.17 and OpenJDK 17.
IMAGE = "urn:publicid:IDN+emulab.net+image+emulab-ops:UBUNTU22-64-STD"

#: Valid values for parts of paths and command lines.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")
_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*:[A-Za-z0-9-]+")
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:-]*")
_USER = re.compile(r"[A-Za-z_][A-Za-z0-9._-]*")
_ROLES = re.compile("|".join(ROLES))


def rspec(name: str) -> str:
    return f"{{{RSPEC}}}{name}"


def emulab(name: str) -> str:
    return f"{{{EMULAB}}}{name}"


def malob(name: str) -> str:
    return f"{{{MALOB}}}{name}"


def write(wanted: Slice, source: str | None = None) -> str:
    """The document. source: the URL of a packed checkout, which each machine should unpack into /local; None for none."""
    for prefix, uri in PREFIXES.items():
        ElementTree.register_namespace(prefix, uri)
    root = Element(rspec("rspec"), {"type": "request", "generated_by": "MALOB", f"{{{XSI}}}schemaLocation": f"{RSPEC} {RSPEC}/request.xsd"})
    for node in wanted.nodes:
        root.append(_node_element(node, source))
    sites = {interface.name: node.site for node in wanted.nodes for interface in node.interfaces}
    for connection in wanted.connections:
        root.append(_link(connection, sites))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _node_element(node: Node, source: str | None) -> Element:
    element = Element(rspec("node"), {"client_id": node.name, "component_manager_id": node.site, "exclusive": "false"})
    sliver = SubElement(element, rspec("sliver_type"), name="emulab-xen")
    SubElement(sliver, emulab("xen"), cores=str(node.machine.cores), ram=str(node.machine.ram_mb))
    SubElement(sliver, rspec("disk_image"), name=IMAGE)
    if source is not None:
        SubElement(SubElement(element, rspec("services")), rspec("install"), url=source, install_path="/local")
    for interface in node.interfaces:
        element.append(_interface_element(interface))
    if node.role == CONTROLLER:
        # switches at other sites must reach it; virtual machines have private addresses otherwise
        SubElement(element, emulab("routable_control_ip"))
    of_malob = {"role": node.role, "part_of": node.part_of}
    for name in ("datapath_id", "own_address"):
        if getattr(node, name) is not None:
            of_malob[name] = getattr(node, name)
    SubElement(element, malob("node"), of_malob)
    return element


def _interface_element(interface: Interface) -> Element:
    address = ipaddress.IPv4Interface(interface.address)
    element = Element(rspec("interface"), client_id=interface.name)
    SubElement(element, rspec("ip"), address=str(address.ip), netmask=str(address.netmask), type="ipv4")
    return element


def _link(connection: Connection, sites: dict[str, str]) -> Element:
    ends = connection.first, connection.second
    element = Element(rspec("link"), client_id=connection.name)
    for site in dict.fromkeys(sites[end] for end in ends):
        SubElement(element, rspec("component_manager"), name=site)
    for end in ends:
        SubElement(element, rspec("interface_ref"), client_id=end)
    for source, destination, direction in ((*ends, connection.forward), (*ends[::-1], connection.reverse)):
        limits = _limits(direction)
        if limits:
            SubElement(element, rspec("property"), {"source_id": source, "dest_id": destination, **limits})
    SubElement(element, rspec("link_type"), name=connection.kind)
    # a learning bridge of the aggregate would learn wrong ports, because paths are not a tree and labels are moving addresses
    SubElement(element, emulab("link_attribute"), key="nomac_learning", value="yep")
    return element


def _limits(direction: Direction) -> dict[str, str]:
    """A property's attributes: capacity in kbit/s, latency in ms, packet_loss as a share."""
    limits = {}
    if direction.rate_mbps is not None:
        limits["capacity"] = str(round(direction.rate_mbps * 1000))
    if direction.delay_ms is not None:
        limits["latency"] = f"{direction.delay_ms:g}"
    if direction.loss is not None:
        limits["packet_loss"] = f"{direction.loss:g}"
    return limits


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
