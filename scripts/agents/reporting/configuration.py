"""The configuration file of an agent: one JSON object."""

from __future__ import annotations

import ipaddress
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ID = re.compile(r"[A-Za-z0-9._-]{1,32}")
_KEY = re.compile(r"(?:[0-9a-fA-F]{2}){16,64}")
_UDP = re.compile(r"udp://(\d+\.\d+\.\d+\.\d+|\[[0-9a-fA-F:]+\]):\d{1,5}")
_COMMON = ("id", "key", "address", "controller", "interface", "interval_s")
_TO_CONTROLLER = {"server": "udp://192.168.9.19:9876", "link": "udp://192.168.9.29:9876"}
_INTERVAL_S = {"server": 5, "link": 120}


class AgentError(Exception):
    """The configuration is wrong, or a requirement of the agent is missing. One sentence."""


@dataclass(frozen=True)
class Configuration:
    """The settings of every agent.

    key: shared with the controller. address: the agent's own, from which reports come; empty to let the
    system choose. controller: udp://ADDRESS:PORT or http://HOST:PORT/PATH. interface: the device by which
    UDP leaves regardless of the routes; empty: by the routes. own: the fields of this kind of agent only.
    """

    id: str
    key: bytes
    address: str
    controller: str
    interface: str
    interval_s: float
    own: Mapping[str, Any]


def load(path: Path, kind: str, own_fields: tuple[str, ...]) -> Configuration:
    """Reads the file of an agent of a kind ("server" or "link"), which may have these fields besides the common ones.

    Raises AgentError, naming the field, if anything is wrong with it.
    """
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AgentError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise AgentError(f"{path} is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise AgentError(f"{path}: expected a JSON object")
    try:
        return parse(fields, kind, own_fields)
    except AgentError as error:
        raise AgentError(f"{path}: {error}") from None


def parse(fields: Mapping[str, Any], kind: str, own_fields: tuple[str, ...]) -> Configuration:
    """The same, of what the file says."""
    for name in fields:
        if name not in _COMMON + own_fields:
            raise AgentError(f"unknown field '{name}'; expected {', '.join(_COMMON + own_fields)}")
    return Configuration(
        id=_matching(fields, "id", _ID, "1 to 32 letters, digits, dots, dashes or underscores"),
        key=bytes.fromhex(_matching(fields, "key", _KEY, "32 to 128 hexadecimal digits")),
        address=_address(fields),
        controller=_controller(fields.get("controller", _TO_CONTROLLER[kind])),
        interface=_matching(fields, "interface", re.compile(r"[^\s/]{0,15}"), "the name of a network device", ""),
        interval_s=number(fields, "interval_s", _INTERVAL_S[kind], 1, 3600),
        own={name: fields[name] for name in own_fields if name in fields},
    )


def number(fields: Mapping[str, Any], name: str, default: float, low: float, high: float) -> float:
    """The number in a field. Raises AgentError if it is not a number from low to high."""
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or not low <= value <= high:
        raise AgentError(f"{name}: expected a number from {low:g} to {high:g}, not {value!r}")
    return float(value)


def ports(fields: Mapping[str, Any], name: str) -> list[int]:
    """The TCP ports in a field. Raises AgentError if it is not an array of max 64 ports."""
    value = fields.get(name, [])
    good = (
        isinstance(value, list)
        and len(value) <= 64
        and all(isinstance(port, int) and not isinstance(port, bool) and 0 < port < 65536 for port in value)
    )
    if not good:
        raise AgentError(f"{name}: expected an array of max 64 ports, not {value!r}")
    return sorted(set(value))


def _matching(fields: Mapping[str, Any], name: str, pattern: re.Pattern[str], what: str, default: str | None = None) -> str:
    value = fields.get(name, default)
    if not isinstance(value, str) or not pattern.fullmatch(value):
        shown = "" if name == "key" else f", not {value!r}"
        raise AgentError(f"{name}: expected {what}{shown}")
    return value


def _address(fields: Mapping[str, Any]) -> str:
    value = fields.get("address", "")
    try:
        if not isinstance(value, str):
            raise ValueError
        return str(ipaddress.ip_address(value)) if value else ""
    except ValueError:
        raise AgentError(f"address: expected an IPv4 or IPv6 address, not {value!r}") from None


def _controller(value: Any) -> str:
    good = isinstance(value, str) and (_UDP.fullmatch(value) or re.fullmatch(r"https?://[^/\s]+/\S*", value))
    if not good:
        raise AgentError(f"controller: expected udp://ADDRESS:PORT or http://HOST:PORT/wm/malob/reports, not {value!r}")
    return str(value)
