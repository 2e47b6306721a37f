"""MALOB's topologies for Mininet: sudo mn --custom scripts/lab/malob_mn.py --topo geni-wan --controller remote

All that `./malob lab list` shows: by name, or by rule with commas, as in `--topo ring,6`. Hosts have the lab's
IPv4 and IPv6 addresses, switches its datapath ids and port numbers. Links have its rates, delays and losses as far as the kernel can shape
(HTB, netem); prints missing features. Hosts' frames are untagged: there are no VLANs.

Mininet names cannot contain '-', so '_' is used: client-1 is client_1. A switch with the same name as a host has the prefix
's_'.
"""

from __future__ import annotations

import inspect
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any

from mininet.link import TCLink
from mininet.log import warn
from mininet.node import Host
from mininet.topo import Topo

# mn executes the text of this file, and this is the only name of it
_HERE = Path(inspect.currentframe().f_code.co_filename).resolve().parent  # type: ignore[union-attr]
sys.path.insert(0, str(_HERE.parent))

from malob.network import generators, topology  # noqa: E402
from malob.network.links import Direction, Link  # noqa: E402
from malob.network.topology import Topology  # noqa: E402
from malob.system import namespaces, ovs  # noqa: E402
from malob.system.processes import succeeds  # noqa: E402

#: Valid interface names of the kernel.
_LONGEST_NAME = 15


#: As in the lab: without IPv6 in the kernel, hosts have IPv4 only.
_ADD_ADDRESS6 = """
if [ -w /proc/sys/net/ipv6/conf/{device}/disable_ipv6 ]; then
  echo 0 >/proc/sys/net/ipv6/conf/{device}/disable_ipv6
  ip addr add {address} dev {device} nodad
fi
"""


class DualStackHost(Host):
    """A host with an IPv6 address."""

    def config(self, ip6: str, **parameters: Any) -> Any:
        configured = super().config(**parameters)
        self.cmd("sh", "-c", shlex.quote(_ADD_ADDRESS6.format(device=self.defaultIntf(), address=ip6)))
        return configured


class LabTopo(Topo):
    """One topology of the lab. rule, limits: the parameters after the name, for topologies by rule."""

    def build(self, name: str, *rule: Any, **limits: Any) -> None:
        words = [*map(str, rule), *(f"{limit}={value}" for limit, value in limits.items())]
        network = topology.load(f"{name}:{','.join(words)}" if words else name)
        self._user_space = ovs.datapath_type() == "netdev"
        if self._user_space:
            warn("*** the kernel has no Open vSwitch: switches are in user space, and hosts compute their own checksums\n")
        self._htb, self._netem = _shapes("htb", "default", "1"), namespaces.netem()
        self._names = _switch_names(network)
        for switch, dpid in network.switches.items():
            self.addSwitch(self._names[switch], dpid=dpid.replace(":", ""), protocols="OpenFlow13", datapath="user" if self._user_space else "kernel")
        for host in network.hosts.values():
            self.addHost(_plain(host.name), cls=DualStackHost, ip=host.address, ip6=host.address6, mac=host.mac)
            # a switch in user space does not finish checksums
            own = {"cls": TCLink, "params1": {"txo": False, "rxo": False}} if self._user_space else {}
            port = network.ports(host.switch)[host.name]
            self.addLink(_plain(host.name), self._names[host.switch], port1=0, port2=port, intfName2=self._interface(host.switch, port), **own)
        for link in network.links:
            self._join(network, link)
        self._tell_what_is_missing(network)

    def _join(self, network: Topology, link: Link) -> None:
        ports = [network.ports(end)[link.other(end)] for end in link.ends]
        both = [self._parameters(direction) for direction in (link.forward, link.reverse)]
        shaping = {"cls": TCLink, "params1": both[0], "params2": both[1]} if any(both) else {}
        self.addLink(
            *(self._names[end] for end in link.ends),
            port1=ports[0],
            port2=ports[1],
            intfName1=self._interface(link.first, ports[0]),
            intfName2=self._interface(link.second, ports[1]),
            **shaping,
        )

    def _parameters(self, direction: Direction) -> dict[str, Any]:
        """The link's options in Mininet, as far as this kernel supports them."""
        found: dict[str, Any] = {}
        if self._htb and direction.rate_mbps is not None:
            found["bw"] = direction.rate_mbps
        if self._netem and direction.delay_ms:
            found["delay"] = f"{direction.delay_ms:g}ms"
        if self._netem and direction.loss:
            found["loss"] = direction.loss * 100
        if self._netem and direction.queue_packets:
            found["max_queue_size"] = direction.queue_packets
        return found

    def _interface(self, switch: str, port: int) -> str:
        name = f"{self._names[switch]}-eth{port}"
        return name if len(name) <= _LONGEST_NAME else f"s{list(self._names).index(switch)}.{port}"

    def _tell_what_is_missing(self, network: Topology) -> None:
        limited = [direction for link in network.links for direction in (link.forward, link.reverse)]
        if not self._htb and any(direction.rate_mbps for direction in limited):
            warn("*** the kernel has no HTB: links have no rates\n")
        if not self._netem and any(direction.delay_ms or direction.loss for direction in limited):
            warn("*** the kernel has no netem: links have neither delays nor losses; './malob lab up' can do both\n")


def _switch_names(network: Topology) -> dict[str, str]:
    return {switch: f"s_{_plain(switch)}" if switch in network.hosts else _plain(switch) for switch in network.switches}


def _plain(name: str) -> str:
    return name.replace("-", "_")


def _shapes(*discipline: str) -> bool:
    """Whether the kernel has a queueing discipline; tries it in a network namespace of its own."""
    return succeeds(["unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", *discipline])


#: The values of --topo.
topos = {
    **{name: partial(LabTopo, name) for name in topology.known_names()},
    **{form.partition(":")[0]: partial(LabTopo, form.partition(":")[0]) for form in generators.FORMS},
}
