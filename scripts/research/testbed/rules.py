"""Checks request RSpecs against the rules of version 3, and against what makes a slice work.

The first part is what GENI's schema says (http://www.geni.net/resources/rspec/3/request.xsd and request-common.xsd): which
elements may stand where, and with which attributes. Elements and attributes of other namespaces may stand everywhere; those
of no namespace or of RSpec's own only where the schema has them. The second part no schema can say: that names are unique and
lead to something, and that a link between sites is asked of both as a tunnel.
"""

from __future__ import annotations

import ipaddress
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from research.testbed.names import RSPEC, emulab, rspec

_TUNNELS = ("gre-tunnel", "egre-tunnel")


@dataclass(frozen=True)
class _Form:
    """What an element may hold: children, attributes that it must have, and that it may have."""

    children: frozenset[str] = frozenset()
    must: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()


def _form(children: str = "", must: str = "", may: str = "") -> _Form:
    return _Form(*(frozenset(words.split()) for words in (children, must, may)))


_FORMS = {
    "rspec": _form("node link", "type", "generated generated_by expires"),
    "node": _form(
        "relation location services interface hardware_type sliver_type",
        "client_id",
        "component_id component_manager_id component_name exclusive colocate",
    ),
    "sliver_type": _form("disk_image", "name"),
    "disk_image": _form("", "name", "os version description"),
    "hardware_type": _form("", "name"),
    "relation": _form("", "type client_id"),
    "location": _form("", "country", "longitude latitude"),
    "services": _form("login install execute"),
    "login": _form("", "authentication", "hostname port"),
    "install": _form("", "url install_path"),
    "execute": _form("", "shell command"),
    "interface": _form("ip", "client_id", "component_id"),
    "ip": _form("", "address", "netmask type"),
    "link": _form("property link_type interface_ref component_manager component_hop", "client_id"),
    "property": _form("", "source_id dest_id", "capacity latency packet_loss"),
    "link_type": _form("", "name", "class"),
    "interface_ref": _form("", "client_id"),
    "component_manager": _form("", "name"),
    "component_hop": _form("component_manager interface_ref", "", "component_id"),
    # within a component_hop, which names interfaces that exist
    "component_hop/interface_ref": _form("", "component_id component_manager_id", "client_id"),
}

_DATE_TIME = re.compile(r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")
_VALUES = {
    ("rspec", "type"): re.compile("request"),
    ("rspec", "generated"): _DATE_TIME,
    ("rspec", "expires"): _DATE_TIME,
    ("node", "exclusive"): re.compile("true|false|1|0"),
}


def faults(document: str) -> list[str]:
    """What is wrong with a request, one sentence each; none if it keeps the rules."""
    try:
        root = ElementTree.fromstring(document)
    except ElementTree.ParseError as error:
        return [f"not XML: {error}"]
    if root.tag != rspec("rspec"):
        return [f"the document is no rspec of {RSPEC}, but {root.tag}"]
    return list(_faults_of_form(root, "rspec", "rspec")) or [*_faults_of_names(root), *_faults_of_nodes(root), *_faults_of_links(root)]


def _faults_of_form(element: Element, form_name: str, at: str) -> Iterator[str]:
    form = _FORMS[form_name]
    for missing in sorted(form.must - set(element.attrib)):
        yield f"{at}: attribute '{missing}' is missing"
    for name, value in element.attrib.items():
        if name.startswith(f"{{{RSPEC}}}") or (not name.startswith("{") and name not in form.must | form.may):
            yield f"{at}: attribute '{name}' is not allowed here"
        elif (pattern := _VALUES.get((form_name, name))) and not pattern.fullmatch(value):
            yield f"{at}: attribute '{name}' cannot be '{value}'"
    for text in (element.text, *(child.tail for child in element)):
        if text and text.strip():
            yield f"{at}: text is not allowed here: '{text.strip()}'"
    for child in element:
        yield from _faults_of_child(child, form, form_name, at)


def _faults_of_child(child: Element, form: _Form, parent: str, at: str) -> Iterator[str]:
    namespace, _, name = child.tag[1:].rpartition("}") if child.tag.startswith("{") else ("", "", child.tag)
    if namespace not in (RSPEC, ""):
        return
    if not namespace or name not in form.children:
        yield f"{at}: element '{name}' is not allowed here"
        return
    nested = f"{parent}/{name}"
    yield from _faults_of_form(child, nested if nested in _FORMS else name, f"{at}/{_called(child, name)}")


def _called(element: Element, name: str) -> str:
    """How faults name an element."""
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
        for name, most in (("capacity", None), ("latency", None), ("packet_loss", 1.0)):
            value = one.get(name)
            if value is not None and not _number(value, most):
                yield f"{at}: {name} cannot be '{value}'"
    for (source, destination), count in directions.items():
        if count > 1:
            yield f"{at}: {count} properties from '{source}' to '{destination}'"


def _number(text: str, most: float | None) -> bool:
    return bool(re.fullmatch(r"\d+(\.\d+)?", text)) and (most is None or float(text) <= most)
