"""Hosts of a topology: values, and how topologies write them. No I/O."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, replace
from typing import Any, Callable, TypeVar

from malob.errors import UsageError

_ROLES = ("client", "server")
_TAGGERS = ("host", "switch")
_Interface = TypeVar("_Interface", ipaddress.IPv4Interface, ipaddress.IPv6Interface)


@dataclass(frozen=True)
class Host:
    """A host with one interface, or the node of a switch. address: with prefix length, as in 10.0.0.1/24.

    address6: the same for IPv6; derived_address6() of the address unless given.
    vlan: the host's VLAN, 1 to 4094, or None. tagged_by: "host" if its frames leave it with that VLAN's
    tag, "switch" if they are plain and its switch gives them one; None without a VLAN.
    """

    name: str
    switch: str
    address: str
    role: str
    vlan: int | None = None
    tagged_by: str | None = None
    address6: str = ""

    def __post_init__(self) -> None:
        if not self.address6:
            object.__setattr__(self, "address6", derived_address6(self.address))

    @property
    def ip(self) -> str:
        return self.address.partition("/")[0]

    @property
    def ip6(self) -> str:
        return self.address6.partition("/")[0]

    def ip_beside(self, address: str) -> str:
        """Its address in the family of another one."""
        return self.ip6 if ":" in address else self.ip

    @property
    def mac(self) -> str:
        """02:00 and the four bytes of the address: easy to recognise in a flow table."""
        return "02:00:" + ":".join(f"{byte:02x}" for byte in ipaddress.IPv4Address(self.ip).packed)

    @property
    def device(self) -> str:
        """The interface that has its address, on the host."""
        return f"eth0.{self.vlan}" if self.tagged_by == "host" else "eth0"

    def tagged_by_switch(self) -> Host:
        """The same with plain frames."""
        return replace(self, tagged_by="switch") if self.tagged_by == "host" else self

    def to_json(self) -> dict[str, Any]:
        """What parse_host() reads."""
        document: dict[str, Any] = {"switch": self.switch, "ip": self.address, "ip6": self.address6, "role": self.role}
        return document if self.vlan is None else {**document, "vlan": self.vlan, "tagged_by": self.tagged_by}


def derived_address6(address: str) -> str:
    """The IPv6 address of a host without its own: fd00:, the address of its IPv4 network, and its IPv4 address.

    10.0.0.11/24 gives fd00:a00::a00:b/64: each IPv4 network has a /64, and the last digits are those of the MAC.
    """
    own = ipaddress.IPv4Interface(address)
    value = 0xFD00 << 112 | int(own.network.network_address) << 80 | int(own.ip)
    return f"{ipaddress.IPv6Address(value)}/64"


def parse_host(at: str, name: str, fields: Any) -> Host:
    """Checks a host and builds it. at: where it stands, for the error. Raises UsageError with the field that is wrong.

    Whether there is such a switch is not checked.
    """
    if not isinstance(fields, dict) or set(fields) - {"ip6", "vlan", "tagged_by"} != {"switch", "ip", "role"}:
        raise UsageError(f"{at}: expected the fields switch, ip and role, optionally ip6, vlan and tagged_by, and no others")
    if fields["role"] not in _ROLES:
        raise UsageError(f"{at}.role: expected one of {', '.join(_ROLES)}, not {fields['role']!r}")
    _check_address(f"{at}.ip", "an IPv4", ipaddress.IPv4Interface, fields["ip"])
    address6 = ""
    if "ip6" in fields:
        address6 = str(_check_address(f"{at}.ip6", "an IPv6", ipaddress.IPv6Interface, fields["ip6"]))
    vlan = fields.get("vlan")
    if vlan is not None:
        check_vlan(f"{at}.vlan", vlan)
    tagged_by = fields.get("tagged_by", None if vlan is None else "host")
    if tagged_by is not None:
        _check_tagger(at, vlan, tagged_by)
    return Host(name, fields["switch"], fields["ip"], fields["role"], vlan, tagged_by, address6)


def check_vlan(at: str, value: Any) -> None:
    """Raises UsageError, naming where it stands, unless it is the number of a VLAN."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 4094:
        raise UsageError(f"{at}: expected a VLAN, a whole number from 1 to 4094, not {value!r}")


def _check_tagger(at: str, vlan: int | None, value: Any) -> None:
    if value not in _TAGGERS:
        raise UsageError(f"{at}.tagged_by: expected one of {', '.join(_TAGGERS)}, not {value!r}")
    if vlan is None:
        raise UsageError(f"{at}.tagged_by: 'vlan' is missing")


def _check_address(at: str, kind: str, read: Callable[[Any], _Interface], value: Any) -> _Interface:
    try:
        if "/" not in value:
            raise ValueError
        return read(value)
    except (TypeError, ValueError):
        raise UsageError(f"{at}: expected {kind} address with prefix length, not {value!r}") from None
