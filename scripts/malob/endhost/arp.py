"""ARP at uplinks: each asks from and answers for its own addresses only.

By default, Linux answers at each interface for the addresses of all. With two uplinks on one network, their router would
send the packets of one to the other, where they belong to no flow.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_CONF = Path("/proc/sys/net/ipv4/conf")
_WANTED = {"arp_ignore": 1, "arp_announce": 2}


def lenient_at(device: str) -> dict[str, int]:
    """The settings of an interface that are to change, as they are now."""
    values = {name: int(_path(device, name).read_text()) for name in _WANTED}
    return {name: value for name, value in values.items() if value < _WANTED[name]}


def tighten(device: str) -> None:
    _write(device, _WANTED)


def restore(device: str, values: Mapping[str, int]) -> None:
    """values: those that lenient_at() found."""
    _write(device, values)


def _write(device: str, values: Mapping[str, int]) -> None:
    for name, value in values.items():
        _path(device, name).write_text(f"{value}\n")


def _path(device: str, name: str) -> Path:
    return _CONF / device / name
