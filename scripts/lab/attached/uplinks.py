"""Hosts that tag their frames, or have several ports: a bridge of Open vSwitch plays their network card.

    switch ==  LAB-NAMEs1 -- LAB-NAMEh1  the host's bridge, LAB-NAMEb  LAB-NAMEe -- eth0 of the host

The kernel here need not have VLAN devices or bonds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lab.attached.places import Attachments, port_number
from malob.errors import UsageError
from malob.system import ovs
from malob.system.processes import run
from malob.system.waiting import wait_until

#: How a host uses its ports.
ACTIVE_BACKUP, BALANCE_XOR, LACP = "active-backup", "balance-xor", "802.3ad"
MODES = (ACTIVE_BACKUP, BALANCE_XOR, LACP)


class HostUplinks:
    """A host with one port or more, at these switches, in this order; the same switch may come twice.

    place: where its programs run.
    """

    def __init__(
        self,
        attached: Attachments,
        name: str,
        addresses: Sequence[str],
        switches: Sequence[str],
        vlan: int | None = None,
        mode: str = ACTIVE_BACKUP,
        numbers: Sequence[int] = (),
    ) -> None:
        """vlan: the tag of its frames on the wire; None for plain ones. mode: how it uses several ports.

        numbers: those of its ports at the switches; free ones unless given.
        """
        if mode not in MODES:
            raise UsageError(f"uplinks: expected one of {', '.join(MODES)}, not '{mode}'")
        self._attached, self.vlan, self.mode = attached, vlan, mode
        lab = attached.lab
        self.bridge = f"{lab.name}-{name}b"
        #: by uplink: its device at the switch, and at the host's bridge
        self.at_switch = [f"{lab.name}-{name}s{n}" for n in range(1, len(switches) + 1)]
        self.at_host = [f"{lab.name}-{name}h{n}" for n in range(1, len(switches) + 1)]
        lab.journal.add("bridges")
        ovs.vsctl("add-br", self.bridge, "--", "set", "Bridge", self.bridge, *self._columns())
        run(["ip", "link", "set", self.bridge, "up"], check=False)
        self.place = attached.place(name)
        self._inner = attached.join_bridge(self.bridge, self.place, addresses=addresses)
        if vlan is not None:
            ovs.vsctl("set", "Port", self._inner, f"tag={vlan}")
        for here, there in zip(self.at_switch, self.at_host):
            attached.pair(here, there)
        self._plug()
        for switch, device in zip(switches, self.at_switch):
            attached.add_ports(lab.bridge(switch), [device])
        for number, device in zip(numbers, self.at_switch):
            ovs.vsctl("set", "Interface", device, f"ofport_request={number}")

    def _columns(self) -> list[str]:
        lab = self._attached.lab
        return [f"datapath_type={lab.datapath}", "fail_mode=standalone", "protocols=OpenFlow13,OpenFlow15", f"external_ids:malob-lab={lab.name}"]

    def _plug(self) -> None:
        if len(self.at_host) == 1:
            self._attached.add_ports(self.bridge, self.at_host)
        elif self.mode == BALANCE_XOR:
            self._attached.add_ports(self.bridge, self.at_host)
            self.share()
        else:
            options = ["bond_mode=balance-tcp", "lacp=active"] if self.mode == LACP else ["bond_mode=active-backup", "lacp=off"]
            ovs.vsctl("add-bond", self.bridge, self._bond, *self.at_host, *options, "bond_updelay=0", "bond_downdelay=0")
            self._attached.wait_for_ports(self.at_host)

    def share(self, uplinks: Sequence[int] = ()) -> None:
        """As balance-xor with xmit_hash_policy layer3+4: one port for each flow. uplinks: those that it uses; all unless given."""
        inner = port_number(self._inner)
        outer = [port_number(device) for index, device in enumerate(self.at_host) if not uplinks or index in uplinks]
        push = f"push_vlan:0x8100,set_field:{0x1000 | self.vlan}->vlan_vid," if self.vlan is not None else ""
        pop = "pop_vlan," if self.vlan is not None else ""
        flows = [f"priority=10,in_port={inner},actions=multipath(symmetric_l4,0,modulo_n,{len(outer)},0,NXM_NX_REG0[0..15]),resubmit(,1)"]
        flows += [f"priority=10,in_port={number},actions={pop}output:{inner}" for number in outer]
        flows += [f"table=1,reg0={index},actions={push}output:{number}" for index, number in enumerate(outer)]
        run(["ovs-ofctl", "-O", "OpenFlow13", "del-flows", self.bridge])
        run(["ovs-ofctl", "-O", "OpenFlow13", "add-flows", self.bridge, "-"], text="\n".join(flows) + "\n")

    @property
    def _bond(self) -> str:
        return f"{self.bridge}ond"

    def active(self) -> int:
        """The number of the active uplink, from 0."""
        shown = run(["ovs-appctl", "bond/show", self._bond])
        found = re.search(r"(?m)^active-backup primary.*|^active (?:slave|member)(?: mac)?: .*\((\S+)\)", shown)
        name = next((match[1] for match in re.finditer(r"\(([\w-]+)\)", shown) if match[1] in self.at_host), None)
        if found is None or name is None:
            return -1
        return self.at_host.index(name)

    def sent(self) -> list[int]:
        """The packets that the host has sent so far over each uplink."""
        return [int(ovs.vsctl("get", "Interface", device, "statistics:tx_packets")) for device in self.at_host]

    def fail(self, index: int) -> None:
        """The carrier of an uplink is gone, at both ends."""
        run(["ip", "link", "set", self.at_host[index], "down"])

    def repair(self, index: int) -> None:
        run(["ip", "link", "set", self.at_host[index], "up"])

    def switch_to(self, index: int) -> None:
        """The host uses another uplink from now on, and the carrier of the former one stays."""
        run(["ovs-appctl", "bond/set-active-slave", self._bond, self.at_host[index]])
        wait_until(lambda: self.active() == index, f"uplink {index} to be active", 5, 0.02)
