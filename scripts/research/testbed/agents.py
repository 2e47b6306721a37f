"""Agents of a slice: one on each server, and one on each switch that measures the links to its neighbours."""

from __future__ import annotations

from typing import Any

from malob.cli.agents import AgentsFile
from research.testbed.slices import Node, Slice


def enter(wanted: Slice, file: AgentsFile, port: int = 80) -> dict[str, dict[str, Any]]:
    """Registers all of them with new keys, and returns the configuration of each, by machine.

    port: that of the servers' counted connections. Agents already registered with these names get new keys.
    """
    return {node.name: _enter(node, wanted, file, port) for node in wanted.nodes if node.role == "server" or node.own_address}


def _enter(node: Node, wanted: Slice, file: AgentsFile, port: int) -> dict[str, Any]:
    if node.name in {agent["id"] for agent in file.entries}:
        file.remove(node.name)
    if node.role == "server":
        address = _bare(node.interfaces[0].address)
        return {"id": node.name, "key": file.add(node.name, "server", address), "address": address, "ports": [port]}
    address = _bare(node.own_address)
    return {"id": node.name, "key": file.add(node.name, "link", address), "address": address, "neighbours": _neighbours(node, wanted)}


def _neighbours(node: Node, wanted: Slice) -> list[str]:
    """The own addresses of the switches at the other ends of its links."""
    found = []
    for one in wanted.connections:
        machines = [end.partition(":")[0] for end in (one.first, one.second)]
        if node.name in machines:
            machines.remove(node.name)
            found += [_bare(address) for other in machines if (address := wanted.node(other).own_address)]
    return found


def _bare(address: str | None) -> str:
    return (address or "").partition("/")[0]
