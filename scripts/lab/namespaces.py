"""Hosts: network namespaces with one interface, eth0, at the end of a veth pair."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Sequence

from base.commands import ProcessId, run
from base.errors import ScriptError
from lab.topology import Host


def exists(namespace: str) -> bool:
    return Path("/run/netns", namespace).exists()


def device_exists(device: str) -> bool:
    return Path("/sys/class/net", device).exists()


def inside(namespace: str, command: Sequence[str]) -> list[str]:
    """The command that runs another one inside a namespace; it becomes that one, with the same process id."""
    return ["ip", "netns", "exec", namespace, *command]


def create(namespace: str, device: str, host: Host) -> None:
    """Makes a namespace whose eth0 has the host's addresses; device is the other end, out here."""
    run(["ip", "netns", "add", namespace])
    run(["ip", "link", "add", device, "type", "veth",
         "peer", "name", "eth0", "address", host.mac, "netns", namespace])
    _without_ipv6(device)
    # the kernel leaves checksums to hardware that a veth does not have, and a switch in user space
    # passes them on unfinished: TCP would be dead
    run(["ethtool", "-K", device, "tx", "off"])
    run(inside(namespace, ["ethtool", "-K", "eth0", "tx", "off"]))
    run(inside(namespace, ["sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6 2>/dev/null || true"]))
    commands = ["link set lo up", f"addr add {host.address} dev eth0", "link set eth0 up"]
    run(["ip", "-n", namespace, "-batch", "-"], text="\n".join(commands) + "\n")
    run(["ip", "link", "set", device, "up"])


def _without_ipv6(device: str) -> None:
    """Keeps the kernel from sending its own IPv6 messages into the lab."""
    try:
        Path(f"/proc/sys/net/ipv6/conf/{device}/disable_ipv6").write_text("1")
    except OSError:
        pass


def remove(namespace: str, device: str) -> None:
    """Ends what runs in the namespace and removes both; does nothing if they are not there."""
    if exists(namespace):
        _end_processes(namespace)
        run(["ip", "netns", "del", namespace])
    if device_exists(device):
        # it goes with the namespace, but not necessarily at once
        run(["ip", "link", "del", device], check=False)


def _end_processes(namespace: str) -> None:
    for number, patience_s in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0)):
        deadline = time.monotonic() + patience_s
        processes = _processes(namespace)
        for process in processes:
            if process.alive():
                os.kill(process.pid, number)
        while any(process.alive() for process in processes):
            if time.monotonic() > deadline:
                break
            time.sleep(0.02)
    left = _processes(namespace)
    if left:
        raise ScriptError(f"process {left[0].pid} in {namespace} does not end")


def _processes(namespace: str) -> list[ProcessId]:
    numbers = run(["ip", "netns", "pids", namespace], check=False).split()
    found = (ProcessId.of(int(number)) for number in numbers)
    return [process for process in found if process is not None]
