"""The options of `./malob endhost up`: the uplinks, and their use. No I/O."""

from __future__ import annotations

import argparse
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from malob.errors import UsageError

ALGORITHMS = ("RR", "MBW", "WRR", "ADAPTIVE", "GROUP")

#: 198.18.0.0/15 is for measurements inside of networks (RFC 2544): no host of the Internet has an address of it.
DEFAULT_INSIDE = "198.18.255.2/30"

_MAX_RACE_PORTS = 64

#: The kernel's syntax for the name of an interface.
_NAME = re.compile(r"[^\s/:=,]{1,15}")


@dataclass(frozen=True)
class UplinkOption:
    """One `--uplink`. Missing gateways are those of the interface's default routes. weight: 0 if not given."""

    name: str
    gateway_ipv4: str | None = None
    gateway_ipv6: str | None = None
    weight: float = 0

    @staticmethod
    def parse(text: str) -> UplinkOption:
        """NAME[=GATEWAY][,weight=W][,gateway6=ADDRESS]; argparse reports the error."""
        first, *others = text.split(",")
        name, equals, gateway = first.partition("=")
        told: dict[str, Any] = {}
        if not _NAME.fullmatch(name) or name in (".", ".."):
            raise argparse.ArgumentTypeError(f"'{text}': '{name}' is not the name of an interface")
        if equals:
            told["gateway_ipv4"] = _address(text, gateway, 4)
        for other in others:
            key, _, value = other.partition("=")
            if key not in _FIELDS:
                raise argparse.ArgumentTypeError(f"'{text}': expected weight=W or gateway6=ADDRESS, not '{other}'")
            field, parse = _FIELDS[key]
            if field in told:
                raise argparse.ArgumentTypeError(f"'{text}': {key} is given twice")
            told[field] = parse(text, value)
        return UplinkOption(name, **told)


def _address(text: str, value: str, version: int) -> str:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        address = None
    if address is None or address.version != version or address.is_multicast or address.is_unspecified:
        raise argparse.ArgumentTypeError(f"'{text}': '{value}' is not the IPv{version} address of a gateway")
    return str(address)


def _weight(text: str, value: str) -> float:
    try:
        weight = float(value)
    except ValueError:
        weight = 0
    if not 0 < weight <= 1e6:
        raise argparse.ArgumentTypeError(f"'{text}': the weight must be a number above 0 and up to 1000000, not '{value}'")
    return weight


_FIELDS = {
    "weight": ("weight", _weight),
    "gateway6": ("gateway_ipv6", lambda text, value: _address(text, value, 6)),
}


def inside(text: str) -> str:
    """An IPv4 address with the length of its prefix; argparse reports the error."""
    try:
        interface = ipaddress.IPv4Interface(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected ADDRESS/LENGTH, not '{text}'") from None
    network = interface.network
    if "/" not in text or network.prefixlen > 30 or interface.ip in (network.network_address, network.broadcast_address):
        raise argparse.ArgumentTypeError(f"'{text}' is not a host address in a network with room for its gateway")
    return str(interface)


def ports(text: str) -> tuple[int, ...]:
    """PORT,PORT...; argparse reports the error."""
    words = text.split(",")
    if len(words) > _MAX_RACE_PORTS or not all(word.isascii() and word.isdigit() and 0 < int(word) < 65536 for word in words):
        raise argparse.ArgumentTypeError(f"expected up to {_MAX_RACE_PORTS} ports from 1 to 65535, as in 80,443, not '{text}'")
    return tuple(dict.fromkeys(map(int, words)))


@dataclass(frozen=True)
class Settings:
    """All options of `up`. algorithm: None leaves the controller's own. race_ports: destination ports of connections that begin
    over two uplinks. inside: address and length of its prefix."""

    uplinks: tuple[UplinkOption, ...]
    algorithm: str | None = None
    default_uplink: str | None = None
    race_ports: tuple[int, ...] = ()
    inside: str = DEFAULT_INSIDE
    openflow_port: int = 6653
    http_port: int = 8080
    force: bool = False
    allow_ssh: bool = False

    def __post_init__(self) -> None:
        """Raises UsageError for what contradicts itself."""
        names = [uplink.name for uplink in self.uplinks]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"--uplink {name}: given twice")
        if self.default_uplink is not None and self.default_uplink not in names:
            raise UsageError(f"--default-uplink {self.default_uplink}: no --uplink has this name")
        if self.openflow_port == self.http_port:
            raise UsageError(f"--http-port {self.http_port}: that is the OpenFlow port")

    @property
    def inside_address(self) -> str:
        return str(ipaddress.IPv4Interface(self.inside).ip)

    @property
    def inside_gateway(self) -> str:
        """The first address of the inside network that is not the host's own."""
        interface = ipaddress.IPv4Interface(self.inside)
        return next(str(address) for address in interface.network.hosts() if address != interface.ip)

    def goes_on_from(self, earlier: Settings) -> bool:
        """Whether the set-up for earlier ones also serves these."""
        return self._made == earlier._made

    @property
    def _made(self) -> tuple[object, ...]:
        return tuple(uplink.name for uplink in self.uplinks), self.inside, self.openflow_port, self.http_port

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), "uplinks": [asdict(uplink) for uplink in self.uplinks]}

    @staticmethod
    def of(document: Mapping[str, Any]) -> Settings:
        """From what document() made."""
        uplinks = tuple(UplinkOption(**uplink) for uplink in document["uplinks"])
        return Settings(**{**document, "uplinks": uplinks, "race_ports": tuple(document.get("race_ports", ()))})
