"""The set-up script of each machine, with its options. No I/O."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from malob.errors import UsageError
from research.testbed.rspec import Document
from research.testbed.slices import CONTROLLER, ROLES, TUNNEL, Node, Slice

OPENFLOW_PORT = 6653
#: The MTU of a tunnel over an Ethernet of 1500 bytes: less an IPv4 header, GRE's with a key, and the inner Ethernet's; rounded down.
_TUNNEL_MTU = 1400


def commands(wanted: Slice, controller: str, directory: str, vip: tuple[str, int] | None = None, agents: str | None = None) -> dict[str, list[str]]:
    """The command of each machine by its name, in the recommended order: machines that test others come last.

    controller: its address on the network by which switches reach it. directory: of the checkout on the machines. vip:
    address and port of a virtual server with all servers. agents: the directory of the agents' configurations, NODE.json.
    """
    small = any(one.kind == TUNNEL for one in wanted.connections)
    in_order = [node for role in ROLES for node in wanted.with_role(role)]
    by_node = {node.name: _command(node, wanted, controller, directory, vip, small) for node in in_order}
    for node in in_order if agents else ():
        if node.role in ("switch", "server"):
            by_node[node.name] += ["--agent", f"{agents}/{node.name}.json"]
    return by_node


def over_ssh(document: Document, by_node: dict[str, list[str]], user: str | None) -> list[str]:
    """The same as lines for a shell that has ssh. user: instead of the manifest's. Raises UsageError for a machine without login."""
    lines = []
    for name, command in by_node.items():
        login = document.logins.get(name)
        if login is None:
            raise UsageError(f"{document.slice.name}: node[{name}] has no login: is this a manifest?")
        name_of_user = user or login.user
        target = f"{name_of_user}@{login.host}" if name_of_user else login.host
        lines.append(shlex.join(["ssh", "-n", "-p", str(login.port), target, shlex.join(["sudo", *command])]))
    return lines


def _command(node: Node, wanted: Slice, controller: str, directory: str, vip: tuple[str, int] | None, small: bool) -> list[str]:
    script = f"{directory}/geni/setup/{node.role}.sh"
    mtu = ["--mtu", str(_TUNNEL_MTU)] if small else []
    if node.role == CONTROLLER:
        return [script, "--openflow-port", str(OPENFLOW_PORT), *_virtual(wanted, vip)]
    if node.role == "switch":
        if node.datapath_id is None:
            raise UsageError(f"{wanted.name}: node[{node.name}]: datapath_id is missing")
        ports = [word for number, one in enumerate(node.interfaces, 1) for word in ("--port", f"{number}={one.address}")]
        own = ["--node", f"{len(node.interfaces) + 1}={node.own_address}", *mtu] if node.own_address else []
        return [script, "--datapath-id", node.datapath_id, "--controller", f"{controller}:{OPENFLOW_PORT}", *ports, *own]
    if len(node.interfaces) != 1:
        raise UsageError(f"{wanted.name}: node[{node.name}]: a {node.role} has one interface")
    return [script, "--address", node.interfaces[0].address, *mtu, *_of_role(node, vip)]


def _of_role(node: Node, vip: tuple[str, int] | None) -> Sequence[str]:
    if node.role == "server":
        return ["--name", node.part_of, "--port", str(vip[1] if vip else 80)]
    return ["--try", f"http://{vip[0]}:{vip[1]}/"] if vip else []


def _virtual(wanted: Slice, vip: tuple[str, int] | None) -> list[str]:
    if vip is None:
        return []
    members = [node.interfaces[0].address.partition("/")[0] for node in wanted.with_role("server")]
    return ["--vip", f"{vip[0]}:{vip[1]}", *(word for member in members for word in ("--member", member))]
