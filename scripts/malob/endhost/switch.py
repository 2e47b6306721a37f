"""The end host's switch: a bridge of Open vSwitch in user space, to which uplinks and the inside are ports.

In user space Open vSwitch reads copies of an uplink's frames. The kernel still receives all of them, so that addresses, DHCP,
ARP and sessions to the host stay as they are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from malob.endhost.names import BRIDGE, DATAPATH_ID, INSIDE_PORT
from malob.endhost.place import Place
from malob.errors import MissingError
from malob.system import ovs
from malob.system.daemons import DaemonPair
from malob.system.journal import Journal
from malob.system.processes import ProcessId, find_program, run, succeeds
from malob.system.waiting import wait_until

_MARK = "external_ids:malob-endhost=yes"


def daemons(place: Place) -> DaemonPair:
    """The daemons that are started if none are running. Sockets are in their own directory: /run is shared between network namespaces."""
    directory = place.directory / "openvswitch"
    return DaemonPair(directory, directory)


def machine_has_daemons() -> bool:
    """Whether Open vSwitch runs in this network namespace, started by others.

    Raises MissingError if it does and does not answer.
    """
    running = list(_in_this_namespace("ovs-vswitchd"))
    if not running:
        return False
    if not (ovs.database_runs() and ovs.switch_daemon_runs() and ovs.switch_daemon_pid() in running):
        raise MissingError("ovs-vswitchd runs in this network namespace, but does not answer at Open vSwitch's usual sockets; only one can run")
    return True


def _in_this_namespace(program: str) -> list[int]:
    here = os.stat("/proc/self/ns/net")
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if (
                (directory / "comm").read_text().strip() == program[:15]
                and os.path.samestat(os.stat(directory / "ns/net"), here)
                and ProcessId.of(int(directory.name))
            ):
                found.append(int(directory.name))
        except OSError:
            continue
    return found


def address_own(place: Place) -> None:
    """Makes Open vSwitch's programs of this process use MALOB's own daemons."""
    os.environ["OVS_RUNDIR"] = str(daemons(place).sockets)


def start_daemons(place: Place) -> None:
    """Starts MALOB's own daemons, as far as they are not running."""
    if not find_program("ovs-vsctl") or not find_program("ovs-vswitchd"):
        raise MissingError("Open vSwitch is not installed (package openvswitch-switch)")
    daemons(place).start()
    wait_until(ovs.switch_daemon_runs, "ovs-vswitchd to answer", 10)


def stop_daemons(place: Place) -> None:
    """Stops MALOB's own daemons, and removes the interfaces that they leave behind."""
    daemons(place).stop()
    for name in (BRIDGE, "ovs-netdev"):
        # they keep their interfaces for the next ones
        if succeeds(["ip", "link", "show", name]):
            run(["ip", "link", "delete", name])


def make_bridge(journal: Journal, own: bool, uplinks: Sequence[str], openflow_port: int) -> None:
    """Creates the bridge with all of its ports.

    Missing uplinks become ports when they appear. own: whether the daemons are MALOB's.
    """
    columns = [
        "datapath_type=netdev",
        "fail_mode=secure",
        "protocols=OpenFlow13",
        f"other_config:datapath-id={DATAPATH_ID}",
        "other_config:disable-in-band=true",
        _MARK,
    ]
    more = [
        *(_port(name, at) for at, name in enumerate((INSIDE_PORT, *uplinks), 1)),
        ["set-controller", BRIDGE, f"tcp:127.0.0.1:{openflow_port}"],
        ["set", "Controller", BRIDGE, "max_backoff=1000", "inactivity_probe=5000"],
    ]
    ovs.make_bridges(journal, {"kind": "bridge", "own": own}, {BRIDGE: columns}, more)


def attach_again(name: str, number: int) -> None:
    """Adds a recreated interface as a port again: the switch still reads the removed one.

    number: counted from 1, the inside's; the same as before.
    """
    ovs.vsctl("--if-exists", "del-port", BRIDGE, name)
    ovs.vsctl(*_port(name, number))


def _port(name: str, number: int) -> list[str]:
    return ["add-port", BRIDGE, name, "--", "set", "Interface", name, f"ofport_request={number}"]


def remove_bridge() -> None:
    """Removes it if it exists and is MALOB's."""
    if BRIDGE in ovs.vsctl("--bare", "--no-headings", "--columns=name", "find", "Bridge", _MARK).split():
        ovs.vsctl("--if-exists", "del-br", BRIDGE)
