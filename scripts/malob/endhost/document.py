"""The controller's configuration, in the form of its REST interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from malob.endhost.names import DATAPATH_ID, GATEWAY_IPV6, GATEWAY_MAC, INSIDE_IPV6, INSIDE_PORT
from malob.endhost.network import Interface
from malob.endhost.options import Settings, UplinkOption
from malob.endhost.policy import Way


@dataclass(frozen=True)
class UplinkState:
    """The current state of an uplink.

    mac: empty while its interface was never seen. up: whether the interface exists and is up; if not, the rest is its last
    state. addresses, gateways: of IPv4 and of IPv6; the preferred address first.
    """

    option: UplinkOption
    mac: str = ""
    up: bool = False
    addresses: tuple[tuple[str, ...], ...] = ((), ())
    gateways: tuple[str | None, ...] = (None, None)

    @property
    def name(self) -> str:
        return self.option.name

    def way(self, version: int) -> Way:
        """The usable part of it for this version of IP."""
        at = 0 if version == 4 else 1
        return Way(self.name, self.addresses[at] if self.up else (), self.gateways[at] if self.up else None)

    def seen(self, interface: Interface | None) -> UplinkState:
        """As it is now, if this is how it was.

        A default route goes when its interface is switched off, and not all programs put it back when that comes again: a
        gateway is remembered while one of the addresses that it went with is still there.
        """
        if interface is None or not interface.up:
            return replace(self, up=False)
        addresses = (interface.ipv4, interface.ipv6)
        found = (self.option.gateway_ipv4 or interface.gateway_ipv4, self.option.gateway_ipv6 or interface.gateway_ipv6)
        gateways = tuple(
            now or (before if set(then) & set(mine) else None) for now, before, then, mine in zip(found, self.gateways, self.addresses, addresses)
        )
        return UplinkState(self.option, interface.mac, True, addresses, gateways)

    def document(self) -> dict[str, Any]:
        told: dict[str, Any] = {"name": self.name, "port": self.name, "mac": self.mac, "weight": self.option.weight}
        for version in (4, 6):
            way = self.way(version)
            told[f"ipv{version}"] = way.addresses[0] if way.addresses else None
            told[f"gateway_ipv{version}"] = way.gateway if way.addresses else None
        return told


def has_ipv6(uplinks: Sequence[UplinkState]) -> bool:
    """Whether one of them can be used with IPv6."""
    ways = [uplink.way(6) for uplink in uplinks]
    return any(way.addresses and way.gateway for way in ways)


def others(interfaces: Mapping[str, Interface], settings: Settings) -> tuple[str, ...]:
    """The IPv6 addresses of interfaces other than uplinks and the inside."""
    names = {uplink.name for uplink in settings.uplinks}
    return tuple(address for interface in interfaces.values() if interface.name not in names for address in interface.ipv6 if address != INSIDE_IPV6)


def configuration(settings: Settings, inside_mac: str, ipv6: bool, uplinks: Sequence[UplinkState]) -> dict[str, Any]:
    """The whole document without the algorithm; then the current one stays. ipv6: whether the inside has it."""
    pairs = [DATAPATH_ID[at : at + 2] for at in range(0, 16, 2)]
    return {
        "switch": ":".join(pairs),
        "default_uplink": settings.default_uplink,
        "race_ports": list(settings.race_ports),
        "inside": {
            "port": INSIDE_PORT,
            "mac": inside_mac,
            "gateway_mac": GATEWAY_MAC,
            "ipv4": settings.inside_address,
            "gateway_ipv4": settings.inside_gateway,
            "ipv6": INSIDE_IPV6 if ipv6 else None,
            "gateway_ipv6": GATEWAY_IPV6 if ipv6 else None,
        },
        "uplinks": [uplink.document() for uplink in uplinks if uplink.mac],
    }
