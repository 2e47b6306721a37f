"""Writes a slice as a request RSpec, version 3, for aggregates that run Emulab. No I/O."""

from __future__ import annotations

import ipaddress
import xml.etree.ElementTree as ElementTree
from xml.etree.ElementTree import Element, SubElement

from malob.network.links import Direction
from research.testbed.names import PREFIXES, RSPEC, XSI, emulab, malob, rspec
from research.testbed.slices import CONTROLLER, Connection, Interface, Node, Slice

#: Its packages include Python 3.10, Open vSwitch 2.17 and OpenJDK 17.
IMAGE = "urn:publicid:IDN+emulab.net+image+emulab-ops:UBUNTU22-64-STD"


def write(wanted: Slice, source: str | None = None) -> str:
    """The document. source: the URL of a packed checkout, which each machine should unpack into /local; None for none."""
    for prefix, uri in PREFIXES.items():
        ElementTree.register_namespace(prefix, uri)
    root = Element(rspec("rspec"), {"type": "request", "generated_by": "MALOB", f"{{{XSI}}}schemaLocation": f"{RSPEC} {RSPEC}/request.xsd"})
    for node in wanted.nodes:
        root.append(_node(node, source))
    sites = {interface.name: node.site for node in wanted.nodes for interface in node.interfaces}
    for connection in wanted.connections:
        root.append(_link(connection, sites))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _node(node: Node, source: str | None) -> Element:
    element = Element(rspec("node"), {"client_id": node.name, "component_manager_id": node.site, "exclusive": "false"})
    sliver = SubElement(element, rspec("sliver_type"), name="emulab-xen")
    SubElement(sliver, emulab("xen"), cores=str(node.machine.cores), ram=str(node.machine.ram_mb))
    SubElement(sliver, rspec("disk_image"), name=IMAGE)
    if source is not None:
        SubElement(SubElement(element, rspec("services")), rspec("install"), url=source, install_path="/local")
    for interface in node.interfaces:
        element.append(_interface(interface))
    if node.role == CONTROLLER:
        # switches at other sites must reach it; virtual machines have private addresses otherwise
        SubElement(element, emulab("routable_control_ip"))
    of_malob = {"role": node.role, "part_of": node.part_of}
    for name in ("datapath_id", "own_address"):
        if getattr(node, name) is not None:
            of_malob[name] = getattr(node, name)
    SubElement(element, malob("node"), of_malob)
    return element


def _interface(interface: Interface) -> Element:
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
