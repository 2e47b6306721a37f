"""Hosts of a topology: values, and how topologies write them. No I/O."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, replace
from typing import Any

from malob.errors import UsageError

_ROLES = ("client", "server")
_TAGGERS = ("host", "switch")


@dataclass(frozen=True)
class Host:
    """A host with one interface, or the node of a switch. address: with prefix length, as in 10.0.0.1/24.

    vlan: the host's VLAN, 1 to 4094, or None. tagged_by: "host" if its frames leave it with that VLAN's
    tag, "switch" if they are plain and its switch gives them one; None without a VLAN.
    """

    name: str
    switch: str
    address: str
    role: str
    vlan: int | None = None
    tagged_by: str | None = None

    @property
    def ip(self) -> str:
        return self.address.partition("/")[0]

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
        document: dict[str, Any] = {"switch": self.switch, "ip": self.address, "role": self.role}
        return document if self.vlan is None else {**document, "vlan": self.vlan, "tagged_by": self.tagged_by}


def parse_host(at: str, name: str, fields: Any) -> Host:
    """Checks a host and builds it. at: where it stands, for the error. Raises UsageError with the field that is wrong.

    Whether there is such a switch is not checked.
    """
    if not isinstance(fields, dict) or set(fields) - {"vlan", "tagged_by"} != {"switch", "ip", "role"}:
        raise UsageError(f"{at}: expected the fields switch, ip and role, optionally vlan and tagged_by, and no others")
    if fields["role"] not in _ROLES:
        raise UsageError(f"{at}.role: expected one of {', '.join(_ROLES)}, not {fields['role']!r}")
    _check_address(at, fields["ip"])
    vlan = fields.get("vlan")
    if vlan is not None:
        check_vlan(f"{at}.vlan", vlan)
    tagged_by = fields.get("tagged_by", None if vlan is None else "host")
    if tagged_by is not None:
        _check_tagger(at, vlan, tagged_by)
    return Host(name, fields["switch"], fields["ip"], fields["role"], vlan, tagged_by)


def check_vlan(at: str, value: Any) -> None:
    """Raises UsageError, naming where it stands, unless it is the number of a VLAN."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 4094:
        raise UsageError(f"{at}: expected a VLAN, a whole number from 1 to 4094, not {value!r}")


def _check_tagger(at: str, vlan: int | None, value: Any) -> None:
    if value not in _TAGGERS:
        raise UsageError(f"{at}.tagged_by: expected one of {', '.join(_TAGGERS)}, not {value!r}")
    if vlan is None:
        raise UsageError(f"{at}.tagged_by: 'vlan' is missing")


def _check_address(at: str, value: Any) -> None:
    try:
        if "/" not in value:
            raise ValueError
        ipaddress.IPv4Interface(value)
    except (TypeError, ValueError):
        raise UsageError(f"{at}.ip: expected an IPv4 address with prefix length, not {value!r}") from None
