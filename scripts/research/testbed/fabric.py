"""Slices on FABRIC, by its library fablib; geni/fabric.ipynb shows how to use it.

Checked with the calls of fablib 2.0.9. FABRIC's links between sites are Ethernet with the real delays and the rates of the
cards: nothing shapes them. Switches reach the controller over FABRIC's routed network, FABnet.
"""

from __future__ import annotations

import ipaddress
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from malob.errors import ScriptError, UsageError
from research.testbed.slices import CONTROLLER, Node, Slice

IMAGE = "default_ubuntu_22"
#: Shared cards are plentiful; if they do not pass frames for other addresses than their own, use "NIC_ConnectX_5".
CARD = "NIC_Basic"
_DISK_GB = 10
_MIN_RAM_GB = 2
#: MALOB is built there.
_CONTROLLER_RAM_GB = 8
_FABNET = "FABNET"


def places(wanted: Slice, names: Sequence[str]) -> dict[str, str]:
    """A FABRIC site, by name, for each site of the slice. Raises UsageError if there are too few."""
    sites = list(dict.fromkeys(node.site for node in wanted.nodes))
    if len(set(names)) < len(sites):
        raise UsageError(f"'{wanted.name}' needs {len(sites)} sites, but only {len(set(names))} are given")
    return dict(zip(sites, dict.fromkeys(names)))


def add(fabric_slice: Any, wanted: Slice, at: Mapping[str, str], card: str = CARD) -> None:
    """Adds machines and links to a slice of fablib, and does not submit it. at: as returned by places()."""
    ends = {}
    for node in wanted.nodes:
        machine = fabric_slice.add_node(name=node.name, site=at[node.site], cores=node.machine.cores, ram=_ram_gb(node), disk=_DISK_GB, image=IMAGE)
        for interface in node.interfaces:
            component = machine.add_component(model=card, name=_component(interface.name))
            ends[interface.name] = component.get_interfaces()[0]
        if node.role in (CONTROLLER, "switch"):
            machine.add_fabnet(name=_FABNET, net_type="IPv4")
    for connection in wanted.connections:
        fabric_slice.add_l2network(name=connection.name, interfaces=[ends[connection.first], ends[connection.second]])


def address(fabric_slice: Any, wanted: Slice) -> None:
    """Gives interfaces their addresses, once the slice exists."""
    networks = {end: one.name for one in wanted.connections for end in (one.first, one.second)}
    for node in wanted.nodes:
        machine = fabric_slice.get_node(name=node.name)
        for interface in node.interfaces:
            parsed = ipaddress.IPv4Interface(interface.address)
            machine.ip_addr_add(
                addr=parsed.ip, subnet=parsed.network, interface=machine.get_interface(network_name=networks[interface.name]), persistent=False
            )


def controller_address(fabric_slice: Any, wanted: Slice, at: Mapping[str, str]) -> str:
    """The controller's address for switches."""
    network = f"{_FABNET}_IPv4_{at[wanted.node(CONTROLLER).site]}"
    return str(fabric_slice.get_node(name=CONTROLLER).get_interface(network_name=network).get_ip_addr())


def set_up(fabric_slice: Any, commands: Mapping[str, Sequence[str]], archive: str, directory: str) -> dict[str, str]:
    """Unpacks MALOB on each machine, runs the machine's command, and returns the outputs.

    archive: a tar.gz file with the contents of the directory. Raises ScriptError with the last line of the first failed command.
    """
    printed = {}
    for name, command in commands.items():
        machine = fabric_slice.get_node(name=name)
        machine.upload_file(local_file_path=archive, remote_file_path="malob.tar.gz")
        unpack = f"sudo mkdir -p {shlex.quote(directory)} && sudo tar -xzf malob.tar.gz -C {shlex.quote(directory)}"
        # fablib does not return a command's exit code
        out, errors = machine.execute(command=f'{unpack} && sudo {shlex.join(command)}; echo "ended with $?"', quiet=True)
        answer, _, code = out.strip().rpartition("ended with ")
        if code != "0":
            raise ScriptError(f"the set-up of {name} failed: {(errors.strip() or out.strip()).rpartition(chr(10))[2]}")
        printed[name] = answer.strip()
    return printed


def _ram_gb(node: Node) -> int:
    return _CONTROLLER_RAM_GB if node.role == CONTROLLER else max(_MIN_RAM_GB, -(-node.machine.ram_mb // 1024))


def _component(interface: str) -> str:
    return interface.partition(":")[2]
