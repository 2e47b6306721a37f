"""Runs the commands of a plan on the hosts of a lab."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable

from malob.errors import ScriptError
from malob.network.labs import Lab
from malob.network.topology import Topology
from malob.system.processes import run

#: The commands that a controller may run here as root.
_ALLOWED = (["ip", "addr"], ["ip", "mptcp"])

#: The messages of ip for EEXIST, of addresses and of endpoints.
_THERE_ALREADY = ("File exists", "duplicate one: -17")


def prepare_hosts(
    lab: Lab,
    members: Iterable[Mapping[str, Any]],
    execute: Callable[[Sequence[str]], Any] = run,
) -> dict[str, int]:
    """Gives the lab's hosts that a plan names their addresses and MPTCP endpoints; returns the number of commands, by host.

    members: "hosts" of a plan. Hosts outside the lab are skipped. Existing addresses and endpoints are no error.
    """
    done: dict[str, int] = {}
    for member in members:
        name = host_of(lab.topology, member)
        if name is not None:
            for command in member["commands"]:
                _execute(lab.inside(name, _checked(command)), execute)
            done[name] = len(member["commands"])
    return done


def host_of(network: Topology, member: Mapping[str, Any]) -> str | None:
    """The host of a plan: with that name and address, or else with that address."""
    for host in network.hosts.values():
        if member["address"].partition("/")[0] in (host.ip, host.ip6):
            return host.name
    return None


def _checked(command: str) -> list[str]:
    words = shlex.split(command)
    if words[:2] not in _ALLOWED:
        raise ScriptError(f"the controller asks for '{command}' on a host: only 'ip addr' and 'ip mptcp' are run")
    return words


def _execute(command: Sequence[str], execute: Callable[[Sequence[str]], Any]) -> None:
    try:
        execute(command)
    except ScriptError as error:
        if not any(words in str(error) for words in _THERE_ALREADY):
            raise
