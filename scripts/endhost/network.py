"""What the kernel knows of the host's network. Reads, changes nothing."""

from __future__ import annotations

import ipaddress
import json
import re
from dataclasses import dataclass
from typing import Any, Mapping

from base.commands import run


@dataclass(frozen=True)
class Interface:
    """One interface as it is now.

    up: switched on; there may be no carrier. kind: the kernel's ("veth", "bridge", "tun"...), empty for hardware. master: the bridge or bond that it belongs to.
    ipv4, ipv6: its global addresses, the preferred one first. gateways: those of its default routes in the main table,
    by the smallest metric.
    """

    name: str
    index: int
    mac: str
    up: bool
    promiscuous: bool
    ethernet: bool
    loopback: bool
    kind: str
    master: "str | None"
    mtu: int
    ipv4: "tuple[str, ...]"
    ipv6: "tuple[str, ...]"
    gateway_ipv4: "str | None"
    gateway_ipv6: "str | None"


def read() -> "dict[str, Interface]":
    """All interfaces, by name."""
    links = json.loads(run(["ip", "-json", "-details", "address", "show"]) or "[]")
    gateways = {version: _gateways(version) for version in (4, 6)}
    found = (_interface(link, gateways) for link in links if link.get("ifname"))
    return {interface.name: interface for interface in found}


def _interface(link: "Mapping[str, Any]", gateways: "Mapping[int, Mapping[str, str]]") -> Interface:
    name = link["ifname"]
    return Interface(
        name, link["ifindex"], link.get("address", ""), "UP" in link["flags"], "PROMISC" in link["flags"],
        link["link_type"] == "ether", link["link_type"] == "loopback",
        link.get("linkinfo", {}).get("info_kind", ""), link.get("master"), link["mtu"],
        _addresses(link, "inet"), _addresses(link, "inet6"), gateways[4].get(name), gateways[6].get(name))


def _addresses(link: "Mapping[str, Any]", family: str) -> "tuple[str, ...]":
    """Those that can be used from everywhere. Of several, those of the Internet, then those that stay."""
    usable = [
        one for one in link["addr_info"]
        if one.get("family") == family and one.get("scope") == "global" and "local" in one
        and not any(one.get(flag) for flag in ("tentative", "dadfailed", "deprecated"))
    ]
    usable.sort(key=lambda one: (
        not ipaddress.ip_address(one["local"]).is_global, bool(one.get("secondary")), bool(one.get("temporary"))))
    return tuple(one["local"] for one in usable)


def _gateways(version: int) -> "dict[str, str]":
    routes = json.loads(run(["ip", f"-{version}", "-json", "route", "show", "default", "table", "main"]) or "[]")
    found: "dict[str, str]" = {}
    for route in sorted(routes, key=lambda one: one.get("metric", 0)):
        for hop in route.get("nexthops", [route]):
            if "gateway" in hop and "dev" in hop:
                found.setdefault(hop["dev"], hop["gateway"])
    return found


def rules(version: int) -> "list[dict[str, Any]]":
    """The policy rules of IPv4 or IPv6, as `ip -json rule` tells them."""
    return json.loads(run(["ip", f"-{version}", "-json", "rule", "show"]) or "[]")


def default_route(version: int, table: int) -> "tuple[str, str] | None":
    """The device and the gateway of the default route in a table of ours."""
    # a table that was never used is an error to ip, and spoils its JSON
    shown = run(["ip", f"-{version}", "route", "show", "default", "table", str(table)], check=False)
    found = re.match(r"default via (\S+) dev (\S+)", shown)
    return (found.group(2), found.group(1)) if found else None


def table_is_empty(version: int, table: int) -> bool:
    # a table that was never used is an error to ip
    return not run(["ip", f"-{version}", "route", "show", "table", str(table)], check=False).strip()
