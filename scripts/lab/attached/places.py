"""Network namespaces beside a lab's hosts, and the cables that join them to its switches."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.instance import Instance
from malob.system import namespaces, ovs
from malob.system.namespaces import End
from malob.system.processes import bound_to_us, run
from malob.system.waiting import wait_until

#: The kernel leaves checksums to hardware, which a veth does not have.
_DEVICE = """
ethtool -K "$1" tx off
[ -z "$2" ] || ip link set "$1" address "$2"
if [ -w /proc/sys/net/ipv6/conf/"$1"/accept_dad ]; then
  echo 0 >/proc/sys/net/ipv6/conf/"$1"/accept_dad
  echo 0 >/proc/sys/net/ipv6/conf/"$1"/accept_ra
fi
ip link set "$1" up
device=$1
shift 2
for address; do
  ip addr add "$address" dev "$device"
done
"""
#: Packets come back by another router than they went; hosts are not told of a better one.
_LOOSE = """
cd /proc/sys/net/ipv4/conf
for group in all default; do
  echo 0 >$group/rp_filter
  echo 0 >$group/send_redirects
  echo 0 >$group/accept_redirects
done
"""

#: A dead machine: it neither hears nor speaks, and its carrier is there.
_SILENT = """
table netdev dead {{
  chain hears {{ type filter hook ingress devices = {{ {devices} }} priority -500; policy drop; }}
  chain speaks {{ type filter hook egress devices = {{ {devices} }} priority -500; policy drop; }}
}}
"""


@dataclass(frozen=True)
class Place:
    """Where programs run. namespace: None for the network that the switches themselves are in."""

    name: str
    namespace: str | None

    def inside(self, command: Sequence[str]) -> list[str]:
        """The command that runs another one there."""
        return list(command) if self.namespace is None else namespaces.inside(self.namespace, command)

    def run(self, *command: str, timeout_s: float = 30, check: bool = True) -> str:
        """What a command prints there."""
        return run(self.inside(command), timeout_s, check)

    def script(self, path: Path, *arguments: str) -> list[str]:
        """The command that runs one of our scripts there, which needs only Python."""
        return self.inside([sys.executable, "-I", str(path), *arguments])

    def start(self, command: Sequence[str], **more: Any) -> subprocess.Popen[Any]:
        """Starts a program there, which ends with the lab, and with this process."""
        return subprocess.Popen(bound_to_us(self.inside(command)), stdin=subprocess.DEVNULL, start_new_session=True, **more)

    def set_up(self, device: str, addresses: Sequence[str] = (), mac: str = "") -> None:
        """Takes a device up, with addresses as in 10.0.0.1/24 and fd00::1/64."""
        self.run("sh", "-ec", _DEVICE, "sh", device, mac, *addresses)

    def fall_silent(self, *devices: str) -> None:
        """From now on it neither hears nor speaks, and its ports are up."""
        run(self.inside(["nft", "-f", "-"]), text=_SILENT.format(devices=", ".join(devices)))


class Attachments:
    """What is attached to one lab. One thread at a time."""

    def __init__(self, lab: Instance) -> None:
        self.lab = lab

    def host(self, name: str) -> Place:
        """A host of the lab's topology."""
        return Place(name, self.lab.namespace(name))

    def place(self, name: str) -> Place:
        """A new network namespace. name: max eight characters, and no host's."""
        namespace = f"{self.lab.name}-{name}"
        namespaces.add(self.lab.journal, [namespace])
        made = Place(name, namespace)
        made.run("sh", "-ec", _LOOSE)
        return made

    def local(self, switch: str, addresses: Sequence[str]) -> Place:
        """The bridge itself as a host: the addresses are on its LOCAL port, and programs run beside the switches."""
        made = Place(switch, None)
        made.set_up(self.lab.bridge(switch), addresses)
        return made

    def join(self, switch: str, place: Place, device: str = "eth0", addresses: Sequence[str] = (), mac: str = "") -> str:
        """Joins a place to a switch, by a port that the switch gets last. Returns the port's device at the switch."""
        return self.join_bridge(self.lab.bridge(switch), place, device, addresses, mac)

    def join_bridge(self, bridge: str, place: Place, device: str = "eth0", addresses: Sequence[str] = (), mac: str = "") -> str:
        """The same for any bridge of this machine."""
        port = self.port_device(place.name, device)
        namespaces.add_pair(self.lab.journal, End(port), End(device, place.namespace))
        place.set_up(device, addresses, mac)
        self.add_ports(bridge, [port])
        return port

    def cable(self, first: tuple[Place, str], second: tuple[Place, str]) -> None:
        """Joins two places, each at the device named; set_up() is the caller's."""
        namespaces.make_pair(End(first[1], first[0].namespace), End(second[1], second[0].namespace))

    def pair(self, first: str, second: str) -> None:
        """A cable between two bridges of the machine, by its ends' devices; both are up."""
        namespaces.add_pair(self.lab.journal, End(first), End(second))
        namespaces.take_up([first, second])

    def add_ports(self, bridge: str, devices: Sequence[str]) -> None:
        """Adds devices of this machine to a bridge; returns once they have port numbers."""
        namespaces.take_up(devices)
        ovs.vsctl(*ovs.joined([["add-port", bridge, device] for device in devices]))
        self.wait_for_ports(devices)

    def wait_for_ports(self, devices: Sequence[str]) -> None:
        """Returns once the switches have given all of them numbers."""
        wait_until(lambda: all(port_number(device) for device in devices), f"the ports {', '.join(devices)}", 10, 0.02)

    def port_device(self, place: str, device: str) -> str:
        """The name of the device at a switch that leads to a place's device."""
        return f"{self.lab.name}-{place}{device.removeprefix('eth')}"


def port_number(device: str) -> int:
    """The OpenFlow number of a port; 0 as long as it has none."""
    text = ovs.vsctl("--if-exists", "get", "Interface", device, "ofport").strip()
    return int(text) if text.isdigit() else 0
