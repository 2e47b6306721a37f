"""Open vSwitch: its daemons and its bridges.

Daemons that run already are used and left alone. Where none run, we start a pair of our own, with a
database of its own under /run/malob/ovs, but on Open vSwitch's usual sockets, so that `ovs-vsctl show`
and `ovs-ofctl` work without options. Only the processes that we started are ended, by number.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from malob.errors import MissingError, ScriptError
from malob.system.daemons import DaemonPair
from malob.system.journal import Journal
from malob.system.place import RUN_DIRECTORY
from malob.system.processes import find_program, run, succeeds
from malob.system.waiting import wait_until


def socket_directory() -> Path:
    """Where Open vSwitch's programs look for its daemons."""
    return Path(os.environ.get("OVS_RUNDIR", "/var/run/openvswitch"))


def _ours() -> DaemonPair:
    return DaemonPair(RUN_DIRECTORY / "ovs", socket_directory())


def vsctl(*arguments: str, timeout_s: int = 20, check: bool = True) -> str:
    """Runs ovs-vsctl; with several commands, separated by "--", all happen at once or none."""
    return run(["ovs-vsctl", f"--timeout={timeout_s}", *arguments], timeout_s + 5, check)


def joined(commands: Sequence[Sequence[str]]) -> list[str]:
    """One ovs-vsctl command line of several commands."""
    return [word for command in commands for word in ["--", *command]]


def make_bridges(
    journal: Journal, step: Mapping[str, Any], bridges: Mapping[str, Sequence[str]], more: Sequence[Sequence[str]], timeout_s: int = 20
) -> None:
    """Makes bridges, all at once or none. step: as what they are noted. bridges: what is set of each, by name. more: commands that come after."""
    journal.add(**step)
    commands = [command for name, columns in bridges.items() for command in (["add-br", name], ["set", "Bridge", name, *columns])]
    vsctl(*joined([*commands, *more]), timeout_s=timeout_s)


def ofctl(*arguments: str) -> str:
    """Runs ovs-ofctl with OpenFlow 1.3."""
    return run(["ovs-ofctl", "-O", "OpenFlow13", *arguments])


def database_runs() -> bool:
    return succeeds(["ovs-vsctl", "--no-wait", "--timeout=3", "get", "Open_vSwitch", ".", "_uuid"])


def database_listens() -> bool:
    """Whether a database is there, though it may not answer."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1)
        return connection.connect_ex(str(socket_directory() / "db.sock")) == 0


def refuse_silence() -> None:
    """Raises ScriptError: for when the database is there and does not answer."""
    raise ScriptError("Open vSwitch's database does not answer")


def switch_daemon_runs() -> bool:
    return succeeds(["ovs-appctl", "--timeout=3", "-t", "ovs-vswitchd", "version"])


def switch_daemon_pid() -> int:
    """The number of the process that is all switches."""
    return int((socket_directory() / "ovs-vswitchd.pid").read_text())


def keep_punctual() -> None:
    """Lets the thread that forwards packets run before other programs, if the daemon is ours, and if that is permitted.

    Otherwise emulated switches wait for a core whenever the machine is busy. Real ones have cores of their own.
    """
    for process in _ours().processes():
        if process.pid == switch_daemon_pid():
            try:
                os.sched_setscheduler(process.pid, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
            except OSError:
                # SaturationMeter will tell if it matters
                pass


def kernel_datapath() -> bool:
    """Whether the kernel has Open vSwitch's datapath; tries to load the module."""
    if find_program("modprobe") and not Path("/sys/module/openvswitch").exists():
        succeeds(["modprobe", "-q", "openvswitch"])
    return succeeds(["ovs-dpctl", "dump-dps"])


def datapath_type() -> str:
    """The datapath that bridges get: "system" is the kernel's, "netdev" the one in user space."""
    return "system" if kernel_datapath() else "netdev"


def ensure_running() -> None:
    """Starts the daemons if none run. Raises MissingError if Open vSwitch is not installed."""
    if not find_program("ovs-vsctl") or not find_program("ovs-vswitchd"):
        raise MissingError("Open vSwitch is not installed (package openvswitch-switch)")
    database, switch = database_runs(), switch_daemon_runs()
    if database and switch:
        return
    if database and not _ours().processes():
        raise MissingError("Open vSwitch's database runs, but ovs-vswitchd does not; start the service openvswitch-switch")
    stop_ours()
    _ours().start()
    wait_until(switch_daemon_runs, "ovs-vswitchd to answer", 10)


def stop_ours() -> None:
    """Ends the daemons if we started them, and removes what they left. Otherwise does nothing."""
    _ours().stop()


def flush_connections() -> None:
    """Empties the flows and the connection table of the only datapath, if it is in user space.

    The kernel's table of connections stays: it is the host's, too.
    """
    # by its name, Open vSwitch 3.1 does not find the datapath
    if run(["ovs-appctl", "dpctl/dump-dps"]).split() == ["netdev@ovs-netdev"]:
        run(["ovs-appctl", "dpctl/flush-conntrack"])
    run(["ovs-appctl", "revalidator/purge"])


def bridges_of(instance: str) -> list[str]:
    """The bridges that a lab instance made, as their mark in the database says."""
    found = vsctl("--no-headings", "--bare", "--columns=name", "find", "Bridge", f"external_ids:malob-lab={instance}")
    return [line for line in found.splitlines() if line]


def bridge_names() -> set[str]:
    return set(vsctl("list-br").split())
