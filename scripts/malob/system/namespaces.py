"""Hosts, and nodes of switches: network namespaces with one interface, eth0, at the end of a veth pair, and perhaps a VLAN's device
on top of it, eth0.100.

Nodes are no internal ports of Open vSwitch. One that is moved into a namespace does carry packets in the user-space
datapath, but the switch reports it as down, without an address and without counters, to controllers as well.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from malob.errors import ScriptError
from malob.system.cleanup import Cleanup
from malob.system.journal import Journal, Step
from malob.system.processes import ProcessId, run, succeeds


def exists(namespace: str) -> bool:
    return Path("/run/netns", namespace).exists()


def device_exists(device: str) -> bool:
    try:
        return socket.if_nametoindex(device) > 0
    except OSError:
        return False


def vlan_devices() -> bool:
    """Whether a host can tag its frames: whether this kernel has 8021q. Needs root."""
    trial = "ip link add a type veth peer name b && ip link add link a name a.1 type vlan id 1"
    return succeeds(["unshare", "--net", "sh", "-c", trial])


def netem() -> bool:
    """Whether the kernel has netem; tries it on the loopback of a network namespace of its own. Needs root."""
    return succeeds(["unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms", "rate", "1mbit"])


def inside(namespace: str, command: Sequence[str]) -> list[str]:
    """The command that runs another one inside a namespace; it becomes that one, with the same process id."""
    return ["ip", "netns", "exec", namespace, *command]


@dataclass(frozen=True)
class Namespace:
    """A namespace to be made: its name, and the device that leads to it from out here.

    mac: of eth0. address, address6: with prefix length, as in 10.0.0.1/24. interface: what has them, eth0 or a VLAN's device above it.
    """

    name: str
    device: str
    mac: str
    address: str
    address6: str
    interface: str = "eth0"


#: The kernel leaves checksums to hardware that a veth does not have, and a switch in user space passes them on
#: unfinished: TCP would be dead. IPv6 sends little by itself: duplicates are not looked for, nor routers, and eth0
#: below a VLAN's device has none. Where the kernel has no IPv6, or its settings cannot be changed, hosts have IPv4 only.
_INSIDE = """
ethtool -K eth0 tx off
ip link set lo up
[ "$3" = eth0 ] || ip link add link eth0 name "$3" type vlan id "${3#eth0.}"
ip addr add "$1" dev "$3"
if [ -w /proc/sys/net/ipv6/conf/eth0/disable_ipv6 ]; then
  cd /proc/sys/net/ipv6/conf
  echo 1 >eth0/disable_ipv6
  echo 0 >"$3/disable_ipv6"
  echo 0 >"$3/accept_dad"
  echo 0 >"$3/accept_ra"
  ip addr add "$2" dev "$3"
fi
ip link set eth0 up
ip link set "$3" up
"""
#: A switch in user space reads a device beside the kernel, which must not answer by itself: neither by IPv6, nor ARP for an address
#: of a bridge's LOCAL port. What came to the device for such an address would be answered untranslated, by a RST.
_OUT_HERE = """
for device; do
  ethtool -K "$device" tx off
  echo 1 2>/dev/null >"/proc/sys/net/ipv6/conf/$device/disable_ipv6" || true
  echo 8 2>/dev/null >"/proc/sys/net/ipv4/conf/$device/arp_ignore" || true
  ip link set "$device" up
done
"""


def take_up(devices: Sequence[str], namespace: str | None = None) -> None:
    """Takes devices up whose frames are others' to answer: ports of switches, and devices between them. namespace: where they are."""
    command = ["sh", "-ec", _OUT_HERE, "sh", *devices]
    run(command if namespace is None else inside(namespace, command), timeout_s=30 + len(devices))


def create(journal: Journal, wanted: Sequence[Namespace]) -> None:
    """Makes namespaces, and in each an interface eth0; the host's addresses are on that, or on its VLAN's device above it.

    Noted as "hosts", which remove() undoes.
    """
    journal.add("hosts")
    commands = []
    for one in wanted:
        commands.append(f"netns add {one.name}")
        commands.append(f"link add {one.device} type veth peer name eth0 address {one.mac} netns {one.name}")
    _batch(commands)
    take_up([one.device for one in wanted])
    for one in wanted:
        run(inside(one.name, ["sh", "-ec", _INSIDE, "sh", one.address, one.address6, one.interface]))


def add(journal: Journal, names: Sequence[str]) -> None:
    """Makes namespaces with nothing in them but their loopback, which is up. Noted as "namespaces", which delete() undoes."""
    journal.add("namespaces", names=list(names))
    _batch([f"netns add {name}" for name in names])
    for name in names:
        run(["ip", "-n", name, "link", "set", "lo", "up"])


@dataclass(frozen=True)
class End:
    """One end of a veth pair. namespace: None for that of this process."""

    device: str
    namespace: str | None = None


def add_pair(journal: Journal, first: End, second: End, kind: str = "device") -> None:
    """Makes a veth pair. Noted with the name of an end that is out here, which remove_devices() undoes.

    A pair without such an end goes with its namespaces.
    """
    out_here = [end.device for end in (first, second) if end.namespace is None]
    if out_here:
        journal.add(kind, name=out_here[0])
    make_pair(first, second)


def make_pair(first: End, second: End) -> None:
    """The same for callers with their own records."""
    words = [[end.device, *(["netns", end.namespace] if end.namespace else [])] for end in (first, second)]
    run(["ip", "link", "add", *words[0], "type", "veth", "peer", "name", *words[1]])


#: How a journal's steps are undone that this module has noted, but for "hosts".
UNDO: Mapping[str, Callable[[Step], object]] = {
    "namespaces": lambda step: delete(step["names"]),
    "device": lambda step: remove_devices([step["name"]]),
}


def remove(unwanted: Sequence[Namespace]) -> None:
    """Ends what runs in namespaces and removes them and their devices; passes over what is not there.

    Raises ScriptError if something is left, after all has been tried.
    """
    cleanup = Cleanup()
    cleanup.step("namespaces", lambda: delete([one.name for one in unwanted]))
    # a device goes with its namespace, but not necessarily at once
    cleanup.step("interfaces", lambda: remove_devices([one.device for one in unwanted]))
    if cleanup.failures:
        raise ScriptError("; ".join(cleanup.failures))


def remove_devices(devices: Sequence[str]) -> None:
    """Removes interfaces; passes over those that are not there. Raises ScriptError if one is left, after all have been tried."""
    left = []
    for device in devices:
        if device_exists(device):
            run(["ip", "link", "del", device], check=False)
            if device_exists(device):
                left.append(device)
    if left:
        raise ScriptError(f"{', '.join(left)} cannot be removed")


def delete(namespaces: Sequence[str]) -> None:
    """Ends what runs in namespaces and removes them; passes over those that are not there.

    Raises ScriptError if something is left, after all has been tried.
    """
    names = [name for name in namespaces if exists(name)]
    cleanup = Cleanup()
    cleanup.step("processes", lambda: _end_processes(names))
    if names:
        # -force: goes on after the first that cannot be removed
        cleanup.step(
            "ip netns del",
            lambda: run(["ip", "-force", "-batch", "-"], text="".join(f"netns del {name}\n" for name in names), timeout_s=30 + len(names)),
        )
    if cleanup.failures:
        raise ScriptError("; ".join(cleanup.failures))


def _batch(commands: Sequence[str]) -> None:
    if commands:
        run(["ip", "-batch", "-"], text="\n".join(commands) + "\n", timeout_s=30 + len(commands))


def _end_processes(namespaces: Sequence[str]) -> None:
    for number, patience_s in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0)):
        deadline = time.monotonic() + patience_s
        processes = _processes(namespaces)
        for process in processes:
            if process.alive():
                with suppress(ProcessLookupError):  # it has ended just now
                    os.kill(process.pid, number)
        while any(process.alive() for process in processes):
            if time.monotonic() > deadline:
                break
            time.sleep(0.02)
    left = _processes(namespaces)
    if left:
        raise ScriptError(f"process {left[0].pid} in a namespace of the lab does not end")


def _processes(namespaces: Sequence[str]) -> list[ProcessId]:
    """All that run in one of the namespaces, found in one pass over all processes of the machine."""
    marks = {_mark(Path("/run/netns", name)) for name in namespaces} - {None}
    if not marks:
        return []
    numbers = [int(path.name) for path in Path("/proc").glob("[0-9]*") if _mark(path / "ns" / "net") in marks]
    found = (ProcessId.of(number) for number in numbers)
    return [process for process in found if process is not None]


def _mark(path: Path) -> tuple[int, int] | None:
    """What tells one namespace from all others; None if it, or the process, is no more."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
