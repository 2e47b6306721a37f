"""A lab whose switches have nothing in common: each is the only one of an Open vSwitch of its own, as on machines of their own.

    LAB-SWITCH.vs  the network namespace of a switch, with its daemons and its ports
    LAB-cN         leads from here to the Nth switch's control, which has an address of its own

The bridges of an ordinary lab share one datapath, and with it one table of tracked connections: what one switch has translated,
another one can translate back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from lab import instance
from lab.attached.places import Attachments, Place
from lab.instance import Channel, Instance
from malob.network.hosts import Host
from malob.system import namespaces, ovs, receive_buffers
from malob.system.daemons import DaemonPair
from malob.system.namespaces import End
from malob.system.processes import run
from malob.system.waiting import wait_until

#: Of the controller, seen by the switches. A network for measurements (RFC 2544), which no other one uses.
CONTROLLER = "198.18.255.1"
_CONTROL = "198.18.255.{}"
_READY_S = 20


class ApartSwitches(Attachments):
    """The switches of one lab, and what is attached to them: hosts, and namespaces by join(). Links have no limits.

    The lab's journal has all of it, so that it goes with the lab.
    """

    def __init__(self, lab: Instance) -> None:
        """Takes apart a lab whose controller will be at CONTROLLER, and has not begun."""
        super().__init__(lab)
        switches = lab.topology.switches
        self._daemons = {switch: DaemonPair(lab.directory / switch, lab.directory / switch, self.namespace(switch)) for switch in switches}
        namespaces.add(lab.journal, [self.namespace(switch) for switch in switches])
        for switch in switches:
            self._daemons[switch].start()
        ovs.vsctl(*ovs.joined([["del-br", lab.bridge(switch)] for switch in switches]))
        for link in lab.topology.links:
            ends = [End(lab.link_device(here, link.other(here)), self.namespace(here)) for here in link.ends]
            namespaces.make_pair(*ends)
        for number, switch in enumerate(switches, 1):
            self._control(number, switch)
            self._build(switch)
        for switch in switches:
            self._await_ports(switch)
            receive_buffers.enlarge(self.daemon_pid(switch))

    def namespace(self, switch: str) -> str:
        """That of a switch."""
        return f"{self.lab.name}-{switch}.vs"

    def daemon_pid(self, switch: str) -> int:
        """The process that is this switch."""
        return int((self._daemons[switch].directory / "ovs-vswitchd.pid").read_text())

    def vsctl(self, switch: str, *arguments: str) -> str:
        return ovs.vsctl(f"--db={self._daemons[switch].database}", *arguments)

    def connections(self, switch: str, zone: int) -> list[str]:
        """The connections that a switch tracks in a zone, as ovs-appctl prints them."""
        socket = self._daemons[switch].sockets / f"ovs-vswitchd.{self.daemon_pid(switch)}.ctl"
        return run(["ovs-appctl", "--timeout=5", "-t", str(socket), "dpctl/dump-conntrack", f"zone={zone}"]).splitlines()

    def join(self, switch: str, place: Place, device: str = "eth0", addresses: Sequence[str] = (), mac: str = "") -> str:
        port = self.port_device(place.name, device)
        namespaces.make_pair(End(port, self.namespace(switch)), End(device, place.namespace))
        place.set_up(device, addresses, mac)
        self._add_port(switch, port)
        return port

    def move(self, host: Host, here: str, there: str) -> None:
        """A host is unplugged at a switch and plugged in at another one; it says nothing by itself."""
        device = self.lab.device(host.name)
        self.vsctl(here, "del-port", self.lab.bridge(here), device)
        run(["ip", "-n", self.namespace(here), "link", "set", device, "netns", self.namespace(there)])
        self._add_port(there, device)

    def _add_port(self, switch: str, device: str) -> None:
        namespaces.take_up([device], self.namespace(switch))
        self.vsctl(switch, "add-port", self.lab.bridge(switch), device)
        self._await_ports(switch)

    def _control(self, number: int, switch: str) -> None:
        outer, inner, there = f"{self.lab.name}-c{number}", "control", _CONTROL.format(number + 1)
        namespaces.add_pair(self.lab.journal, End(outer), End(inner, self.namespace(switch)))
        for where, device, address, peer in (([], outer, CONTROLLER, there), (["-n", self.namespace(switch)], inner, there, CONTROLLER)):
            run(["ip", *where, "addr", "add", address, "peer", peer, "dev", device])
            run(["ip", *where, "link", "set", device, "up"])

    def _build(self, switch: str) -> None:
        lab, bridge, namespace = self.lab, self.lab.bridge(switch), self.namespace(switch)
        hosts = [lab.device(place.name) for place in lab.topology.places if place.switch == switch]
        for device in hosts:
            run(["ip", "link", "set", device, "netns", namespace])
        links = {lab.link_device(switch, other): lab.topology.ports(switch)[other] for other in lab.topology.neighbours(switch)}
        namespaces.take_up([*hosts, *links], namespace)
        commands = [["add-br", bridge], ["set", "Bridge", bridge, *instance.columns(lab, switch)]]
        commands += instance.control_and_hosts(lab, switch, Channel(lab.controller))
        for device, number in links.items():
            commands += [["add-port", bridge, device], ["set", "Interface", device, f"ofport_request={number}"]]
        self.vsctl(switch, *ovs.joined(commands))
        # ovs-ofctl finds it by its name
        usual = ovs.socket_directory() / f"{bridge}.mgmt"
        usual.unlink(missing_ok=True)
        usual.symlink_to(self._daemons[switch].sockets / f"{bridge}.mgmt")

    def _await_ports(self, switch: str) -> None:
        """Returns once all have numbers."""

        def ready() -> bool:
            numbers = json.loads(self.vsctl(switch, "--format=json", "--columns=ofport", "list", "Interface"))["data"]
            return all(isinstance(number, int) and number > 0 for (number,) in numbers)

        wait_until(ready, f"the ports of {switch}", _READY_S, 0.02)
