"""Updates the networks in CloudLab's profile.

No I/O. On CloudLab all machines are at one site, and reach the controller by a separate network, so that all addresses are
known before the machines exist.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from malob.errors import UsageError
from malob.network.links import Direction
from research.testbed import roles
from research.testbed.slices import CONTROLLER, Connection, Interface, Node, Slice

_BETWEEN_MARKS = re.compile(r"(?<=# networks: begin\n).*?(?=# networks: end\n)", re.DOTALL)
_CONTROL = ipaddress.IPv4Network("192.168.254.0/24")
#: The location of the profile's repository on CloudLab.
_DIRECTORY = "/local/repository"
_VIP = "10.0.0.100", 80


def updated(profile: str, wanted: Sequence[Slice]) -> str:
    """The profile with its networks replaced by these, all at one site. Raises UsageError if the markers are missing."""
    rows = "".join(f'    "{one.name}": {_network(_with_control(one))},\n' for one in wanted)
    text, count = _BETWEEN_MARKS.subn(lambda _: f"NETWORKS = {{\n{rows}}}\n", profile)
    if count != 1:
        raise UsageError("the profile must have '# networks: begin' and '# networks: end' once")
    return text


def _with_control(wanted: Slice) -> Slice:
    """The slice with an interface in the control network for the controller, which has its first address, and for each
    switch."""
    addresses = (f"{address}/{_CONTROL.prefixlen}" for address in _CONTROL.hosts())
    return replace(
        wanted,
        nodes=tuple(
            replace(node, interfaces=(*node.interfaces, Interface(f"{node.name}:control", next(addresses)))) if _controls(node) else node
            for node in wanted.nodes
        ),
    )


def _controls(node: Node) -> bool:
    return node.role in (CONTROLLER, "switch")


def _network(wanted: Slice) -> str:
    # ports of a switch are all its interfaces except the last, which is in the control network
    bare = replace(wanted, nodes=tuple(replace(node, interfaces=node.interfaces[:-1]) if _controls(node) else node for node in wanted.nodes))
    by_node = roles.commands(bare, str(next(_CONTROL.hosts())), _DIRECTORY, _VIP)
    machines = [_machine(node, by_node[node.name]) for node in wanted.nodes]
    links = [_link(connection) for connection in wanted.connections]
    control = [f"{node.name}:control" for node in wanted.nodes if _controls(node)]
    return (
        f'{{\n        "machines": [{_rows(machines)}        ],\n        "links": [{_rows(links)}        ],\n'
        f'        "control": {json.dumps(control)},\n    }}'
    )


def _rows(rows: Sequence[Any]) -> str:
    return "\n" + "".join(f"            {json.dumps(row)},\n" for row in rows)


def _machine(node: Node, command: list[str]) -> list[Any]:
    interfaces = []
    for one in node.interfaces:
        address = ipaddress.IPv4Interface(one.address)
        interfaces.append([one.name.partition(":")[2], str(address.ip), str(address.netmask)])
    script = command[0].rpartition("/")[2]
    # no machine waits at boot until all others are ready
    arguments = command[1 : command.index("--try")] if "--try" in command else command[1:]
    return [node.name, node.machine.cores, node.machine.ram_mb, interfaces, " ".join([script, *arguments])]


def _link(connection: Connection) -> list[Any]:
    shaped = connection != connection.unshaped()
    shape = [_shape(connection.forward), _shape(connection.reverse)] if shaped else []
    return [connection.name, connection.first, connection.second, shape]


def _shape(direction: Direction) -> list[float]:
    """kbit/s and milliseconds; geni-lib leaves out -1 and 0."""
    rate_kbps = -1 if direction.rate_mbps is None else round(direction.rate_mbps * 1000)
    return [rate_kbps, direction.delay_ms or 0]
