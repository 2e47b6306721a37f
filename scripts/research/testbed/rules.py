"""Checks request RSpecs against the rules of version 3, and against the requirements of a working slice.

request.xsd defines the allowed elements, attributes and values; lxml checks it. The rules here are those that a schema cannot
express: unique names, references to interfaces, addresses, and that a link between sites is a tunnel.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from research.testbed.rspec import RSPEC, emulab, rspec

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_SCHEMA = Path(__file__).with_name("request.xsd")
_TUNNELS = ("gre-tunnel", "egre-tunnel")


def faults(document: str) -> list[str]:
    """The violated rules of a request, one sentence each. Needs lxml (research.preparation)."""
    # imported here, so that command lines are parsed and documented without it
    from lxml import etree

    try:
        root = etree.fromstring(document.encode("utf-8"), etree.XMLParser(encoding="utf-8", resolve_entities=False))
    except etree.XMLSyntaxError as error:
        return [f"not XML: {error}"]
    if root.tag != rspec("rspec"):
        return [f"the document is not an rspec of {RSPEC}, but {root.tag}"]
    schema = etree.XMLSchema(file=str(_SCHEMA))
    if not schema.validate(root):
        return [f"line {error.line}: {error.message.replace(f'{{{RSPEC}}}', '')}" for error in schema.error_log]
    return [*_faults_of_names(root), *_faults_of_nodes(root), *_faults_of_links(root)]


def _called(element: Element, name: str) -> str:
    """The name of an element in messages."""
    return f"{name}[{element.get('client_id')}]" if element.get("client_id") else name


def _faults_of_names(root: Element) -> Iterator[str]:
    for kind, path in (("nodes", "node"), ("links", "link"), ("interfaces", "node/interface")):
        elements = root.findall("/".join(rspec(step) for step in path.split("/")))
        for name, count in Counter(element.get("client_id") for element in elements).items():
            if count > 1:
                yield f"{count} {kind} have the client_id '{name}'"


def _faults_of_nodes(root: Element) -> Iterator[str]:
    for node in root.findall(rspec("node")):
        at = _called(node, "node")
        if len(node.findall(rspec("sliver_type"))) > 1:
            yield f"{at}: it can have one sliver_type"
        addresses = []
        for address in node.iter(rspec("ip")):
            try:
                parsed = ipaddress.IPv4Interface(f"{address.get('address')}/{address.get('netmask', '32')}")
            except ValueError:
                yield f"{at}: no IPv4 address with netmask: '{address.get('address')}', '{address.get('netmask')}'"
                continue
            addresses.append(parsed.ip)
        for doubled, count in Counter(addresses).items():
            if count > 1:
                yield f"{at}: two of its interfaces have the address {doubled}"


def _faults_of_links(root: Element) -> Iterator[str]:
    sites = {
        interface.get("client_id"): node.get("component_manager_id")
        for node in root.findall(rspec("node"))
        for interface in node.findall(rspec("interface"))
    }
    uses = Counter(end for link in root.findall(rspec("link")) for end in _ends(link))
    for interface, count in uses.items():
        if count > 1:
            yield f"interface '{interface}' is in {count} links"
    for link in root.findall(rspec("link")):
        at = _called(link, "link")
        unknown = [end for end in _ends(link) if end not in sites]
        if unknown:
            yield f"{at}: there is no interface '{unknown[0]}'"
            continue
        yield from _faults_of_sites(link, at, {sites[end] for end in _ends(link)})
        yield from _faults_of_properties(link, at)
        for attribute in link.findall(emulab("link_attribute")):
            if not (attribute.get("key") and attribute.get("value")):
                yield f"{at}: a link_attribute has a key and a value"


def _ends(link: Element) -> list[str | None]:
    return [reference.get("client_id") for reference in link.findall(rspec("interface_ref"))]


def _faults_of_sites(link: Element, at: str, sites: set[str | None]) -> Iterator[str]:
    kinds = [kind.get("name") for kind in link.findall(rspec("link_type"))]
    managers = {manager.get("name") for manager in link.findall(rspec("component_manager"))}
    if len(kinds) > 1:
        yield f"{at}: it can have one link_type"
    if None not in sites and managers != sites:
        yield f"{at}: its component_managers are not those of its interfaces' nodes"
    if len(sites) > 1 and not set(kinds) & {*_TUNNELS}:
        yield f"{at}: between sites its link_type must be one of {', '.join(_TUNNELS)}"
    if set(kinds) & {*_TUNNELS} and len(_ends(link)) != 2:
        yield f"{at}: a tunnel has two ends, not {len(_ends(link))}"


def _faults_of_properties(link: Element, at: str) -> Iterator[str]:
    directions: Counter[tuple[str | None, str | None]] = Counter()
    for one in link.findall(rspec("property")):
        ends = one.get("source_id"), one.get("dest_id")
        directions[ends] += 1
        if ends[0] == ends[1] or not set(ends) <= {*_ends(link)}:
            yield f"{at}: a property leads from one of the link's interfaces to another, not from '{ends[0]}' to '{ends[1]}'"
    for (source, destination), count in directions.items():
        if count > 1:
            yield f"{at}: {count} properties from '{source}' to '{destination}'"
