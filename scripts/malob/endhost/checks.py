"""Checks before the set-up of an end host, before any change."""

from __future__ import annotations

import ipaddress
import os
import struct
from collections.abc import Mapping
from pathlib import Path

from malob.endhost import policy
from malob.endhost.names import DEVICES
from malob.endhost.network import Interface
from malob.endhost.options import Settings, UplinkOption
from malob.errors import ScriptError, UsageError
from malob.system.waiting import say

_SSH = 22
_ESTABLISHED = "01"


def check(settings: Settings, interfaces: Mapping[str, Interface]) -> None:
    """Raises UsageError for interfaces that cannot be uplinks, and ScriptError for other obstacles.

    --force overrides dangers; --allow-ssh overrides those to ssh sessions.
    """
    for uplink in settings.uplinks:
        _check_uplink(uplink, interfaces)
    for name in DEVICES:
        if name in interfaces:
            raise ScriptError(f"an interface {name} exists already and is not MALOB's; rename it or remove it")
    _check_inside(settings, interfaces)
    if not any(_usable(uplink, interfaces[uplink.name]) for uplink in settings.uplinks):
        raise ScriptError(
            "no uplink has both an address and a gateway, so no traffic could be sent; give a gateway as --uplink NAME=GATEWAY, or wait for DHCP"
        )
    for clause in policy.taken_tables(1 + len(settings.uplinks)):
        raise ScriptError(f"{clause}; remove them, or end that program")
    for danger in policy.overruled():
        _pass_over(danger, settings.force, "--force")
    for danger in _endangered_sessions(settings, interfaces):
        _pass_over(danger, settings.force or settings.allow_ssh, "--force" if settings.force else "--allow-ssh")


def _pass_over(danger: str, allowed: bool, option: str) -> None:
    """Raises ScriptError unless an option allows it."""
    if not allowed:
        raise ScriptError(f"{danger}; {option} continues anyway")
    say(f"malob endhost: {danger}; continuing because of {option}")


def _check_uplink(uplink: UplinkOption, interfaces: Mapping[str, Interface]) -> None:
    name = uplink.name
    if name not in interfaces:
        raise UsageError(f"--uplink {name}: there is no interface {name}; the interfaces are {', '.join(sorted(interfaces))}")
    interface = interfaces[name]
    if name in DEVICES:
        raise UsageError(f"--uplink {name}: it is one of MALOB's own interfaces")
    if interface.loopback or not interface.ethernet:
        raise UsageError(f"--uplink {name}: it carries no Ethernet frames (a modem's, a tunnel's or the loopback interface)")
    if interface.kind in ("bridge", "bond", "team", "openvswitch"):
        raise UsageError(f"--uplink {name}: it is a {interface.kind}, not a single link")
    if interface.master is not None:
        raise UsageError(f"--uplink {name}: it belongs to {interface.master}; use {interface.master} itself, or another interface")
    for gateway, mine in ((uplink.gateway_ipv4, interface.ipv4), (uplink.gateway_ipv6, interface.ipv6)):
        if gateway is not None and gateway in mine:
            raise UsageError(f"--uplink {name}: {gateway} is its own address, not a gateway's")


def _usable(uplink: UplinkOption, interface: Interface) -> bool:
    return bool(
        (interface.ipv4 and (uplink.gateway_ipv4 or interface.gateway_ipv4)) or (interface.ipv6 and (uplink.gateway_ipv6 or interface.gateway_ipv6))
    )


def _check_inside(settings: Settings, interfaces: Mapping[str, Interface]) -> None:
    inside = ipaddress.IPv4Interface(settings.inside).network
    for interface in interfaces.values():
        for address in interface.ipv4:
            if ipaddress.IPv4Address(address) in inside:
                raise UsageError(f"--inside {settings.inside}: {interface.name} has the address {address} in that network")


def _endangered_sessions(settings: Settings, interfaces: Mapping[str, Interface]) -> list[str]:
    """One clause for each uplink with an ssh session."""
    peers = ssh_peers()
    told = os.environ.get("SSH_CONNECTION", "").split()
    if len(told) == 4:
        peers.append((told[2].partition("%")[0], told[0]))
    found = []
    for uplink in settings.uplinks:
        interface = interfaces[uplink.name]
        over = sorted({peer for local, peer in peers if local in interface.ipv4 + interface.ipv6})
        if over:
            found.append(
                f"an ssh session from {over[0]} comes in over {uplink.name}: it stays on that uplink; if the uplink fails, this machine is cut off"
            )
    return found


def ssh_peers() -> list[tuple[str, str]]:
    """The local and the remote address of each established TCP connection to our port 22."""
    found = []
    for path in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        try:
            lines = Path(path).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            _, local, remote, state = line.split()[:4]
            address, _, port = local.partition(":")
            if state == _ESTABLISHED and int(port, 16) == _SSH:
                found.append((_address(address), _address(remote.partition(":")[0])))
    return found


def _address(digits: str) -> str:
    """An address as /proc/net/tcp writes it: words of the machine's own byte order."""
    words = [int(digits[at : at + 8], 16) for at in range(0, len(digits), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    address = ipaddress.ip_address(packed)
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)
