"""The kernel's state of the host's network. Read-only."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from malob.system.processes import run

#: The main routing table.
MAIN = 254

#: The mark of MALOB's rules and routes ("protocol" in ip): no name in /etc/iproute2/rt_protos has this number.
OURS = 77

#: What `ip -N` prints for link types and scopes; with and without -N, because not all versions of ip replace the same names.
_ETHERNET, _LOOPBACK, _GLOBAL = ("ether", "[1]"), ("loopback", "[772]"), ("global", "0")


@dataclass(frozen=True)
class Interface:
    """One interface as it is now.

    up: switched on; there may be no carrier. kind: the kernel's ("veth", "bridge", "tun"...), empty for hardware.
    master: the bridge or bond that it belongs to.
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
    master: str | None
    mtu: int
    ipv4: tuple[str, ...]
    ipv6: tuple[str, ...]
    gateway_ipv4: str | None
    gateway_ipv6: str | None


def read() -> dict[str, Interface]:
    """All interfaces, by name."""
    links = _ip_json("-details", "address", "show")
    gateways = {version: _gateways(version) for version in (4, 6)}
    found = (_interface(link, gateways) for link in links if link.get("ifname"))
    return {interface.name: interface for interface in found}


def _interface(link: Mapping[str, Any], gateways: Mapping[int, Mapping[str, str]]) -> Interface:
    name = link["ifname"]
    return Interface(
        name,
        link["ifindex"],
        link.get("address", ""),
        "UP" in link["flags"],
        "PROMISC" in link["flags"],
        link["link_type"] in _ETHERNET,
        link["link_type"] in _LOOPBACK,
        link.get("linkinfo", {}).get("info_kind", ""),
        link.get("master"),
        link["mtu"],
        _addresses(link, "inet"),
        _addresses(link, "inet6"),
        gateways[4].get(name),
        gateways[6].get(name),
    )


def _addresses(link: Mapping[str, Any], family: str) -> tuple[str, ...]:
    """Those that can be used from everywhere. Of several, those of the Internet, then those that stay."""
    usable = [
        one
        for one in link["addr_info"]
        if one.get("family") == family
        and one.get("scope") in _GLOBAL
        and "local" in one
        and not any(one.get(flag) for flag in ("tentative", "dadfailed", "deprecated"))
    ]
    usable.sort(key=lambda one: (not ipaddress.ip_address(one["local"]).is_global, bool(one.get("secondary")), bool(one.get("temporary"))))
    return tuple(one["local"] for one in usable)


def _gateways(version: int) -> dict[str, str]:
    routes = _ip_json(f"-{version}", "route", "show", "default", "table", str(MAIN))
    found: dict[str, str] = {}
    for route in sorted(routes, key=lambda one: one.get("metric", 0)):
        for hop in route.get("nexthops", [route]):
            if "gateway" in hop and "dev" in hop:
                found.setdefault(hop["dev"], hop["gateway"])
    return found


def rules(version: int) -> list[dict[str, Any]]:
    """The policy rules of IPv4 or IPv6, as `ip -json rule` lists them, with numbers for all names."""
    return _ip_json(f"-{version}", "rule", "show")


def default_route(version: int, table: int) -> tuple[str, str] | None:
    """The device and the gateway of our default route in a table."""
    shown = _routes(version, "default", "table", str(table), "protocol", str(OURS))
    found = re.match(r"default via (\S+) dev (\S+)", shown)
    return (found.group(2), found.group(1)) if found else None


def has_our_routes(version: int, table: int) -> bool:
    return bool(_routes(version, "table", str(table), "protocol", str(OURS)).strip())


def has_foreign_routes(version: int, table: int) -> bool:
    """Whether a table has routes that we did not add."""
    shown = _routes(version, "table", str(table)).splitlines()
    return any(f" proto {OURS} " not in f"{route} " for route in shown if route.strip())


def _routes(version: int, *selectors: str) -> str:
    # ip reports an unused table as an error, and then prints invalid JSON
    return run(["ip", "-N", f"-{version}", "route", "show", *selectors], check=False)


def _ip_json(*words: str) -> list[dict[str, Any]]:
    """The output of `ip`. -N: without it, names from /etc/iproute2 stand in place of numbers of tables, scopes and protocols."""
    listed: list[dict[str, Any]] = json.loads(run(["ip", "-N", "-json", *words]) or "[]")
    return listed
