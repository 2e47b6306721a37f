"""Clients and members of which one tags its frames, or both do; and frames with two tags."""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from lab import balancing, processes
from lab.attached import loads
from lab.attached.loads import Capture
from lab.attached.places import Place
from lab.attached.uplinks import HostUplinks
from malob.network.hosts import Host
from malob.system.processes import run
from malob.system.waiting import say, wait_until
from tests.system.base import UDP_PORT
from tests.system.real_networks import MODES, PORT, VIP, VIP6, RealNetworkTest

VLAN, OTHER_VLAN = 100, 7
REQUESTS, SIZE = 10, 20_000
_ECHO = {VIP: 8, VIP6: 128}
#: each has a tag of its own, or none
CLIENT = Host("tc", "s1", "10.0.0.31/24", "client", VLAN, "switch")
MEMBER = Host("tm", "s2", "10.0.0.41/24", "server", VLAN, "switch")
_HERE = Place("wires", None)
_ASK = """
import socket, sys
with socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM) as asking:
    asking.settimeout(5)
    asking.sendto(b"x", (sys.argv[1], int(sys.argv[2])))
    print(asking.recv(2000).decode())
"""
_SEND = """
import socket, sys
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
    out.bind((sys.argv[1], 0))
    out.send(bytes.fromhex(sys.argv[2]))
"""


@dataclass(frozen=True)
class Wire:
    """What leads to a host. vlan: the tag of all its frames, 0 for none."""

    device: str
    vlan: int


@pytest.mark.real_time
class VlansTest(RealNetworkTest):
    """c1 and w1 have no tag, and tc and tm have one."""

    tagged: ClassVar[dict[str, HostUplinks]]
    wires: ClassVar[list[Wire]]

    @classmethod
    def build(cls) -> None:
        cls.tagged = {
            host.name: HostUplinks(cls.attached, host.name, [host.address, host.address6], [host.switch], VLAN) for host in (CLIENT, MEMBER)
        }
        cls.wires = [Wire(uplinks.at_switch[0], VLAN) for uplinks in cls.tagged.values()]
        cls.wires += [Wire(cls.lab.device(host), 0) for host in cls.lab.topology.hosts]
        place = cls.tagged[MEMBER.name].place
        loads.start_server(place, PORT)
        place.start(place.script(processes.RESPONDER, MEMBER.name, "--udp", str(UDP_PORT)))
        wait_until(lambda: place.run("ss", "-Huln", "sport", "=", f":{UDP_PORT}"), "the tagged member to listen", 10)
        cls.reach(cls.attached.host("c1"))

    def serve(self, protocol: str, address: str, client: Host, member: Host, monitor: str = "", placement: str = balancing.REACTIVE) -> None:
        """A VIP for one member; returns once it is found and, by a check of this type, is up."""
        rest, base, port = self.controller.rest, balancing.BASE, {"tcp": PORT, "udp": UDP_PORT, "icmp": _ECHO[address]}[protocol]
        self.remove(protocol)
        self.addCleanup(self.remove, protocol)
        vip = {"id": protocol, "protocol": protocol, "address": address, "port": str(port), **balancing.placed(placement)}
        rest.post(f"{base}/vips/", {**vip, **_vlan(client)})
        rest.post(f"{base}/pools/", {"id": protocol, "protocol": protocol, "vip_id": protocol})
        if monitor:
            # before the member, which then gets no connection until it has passed a check
            rest.post(f"{base}/pools/{protocol}/health_monitors/", {"id": protocol, "type": monitor, "delay": 1, "timeout": 1, "rise": 1, "fall": 2})
        rest.post(f"{base}/members/", {"id": protocol, "pool_id": protocol, "address": member.ip_beside(address), "port": str(port), **_vlan(member)})

        def state() -> dict[str, Any]:
            member: dict[str, Any] = rest.get(f"{base}/pools/{protocol}/stats/")["members"][0]
            return member

        wanted = "up" if monitor else "unchecked"
        wait_until(lambda: state()["located"] and state()["health"] == wanted, f"the {protocol} member", 10, detail=lambda: str(state()))
        if placement == balancing.PROACTIVE:
            balancing.wait_for_proactive(rest, protocol)

    def remove(self, protocol: str) -> None:
        if protocol in {monitor["id"] for monitor in self.controller.rest.get(f"{balancing.BASE}/health_monitors/")}:
            self.controller.rest.delete(f"{balancing.BASE}/health_monitors/{protocol}")
        self.remove_virtual(protocol)

    def of(self, host: Host) -> Place:
        return self.tagged[host.name].place if host.name in self.tagged else self.attached.host(host.name)

    def check(self, client: Host, member: Host, modes: Sequence[str] = (balancing.REACTIVE,)) -> None:
        """TCP, UDP, pings and checks, in both families; on no wire, a frame for one host has a wrong tag."""
        captures = [(wire, Capture(_HERE, wire.device)) for wire in self.wires]
        place = self.of(client)
        for vip in (VIP, VIP6):
            for mode in modes:
                self.serve("tcp", vip, client, member, "TCP", mode)
                self.serve("udp", vip, client, member, "PING", mode)
                self.serve("icmp", vip, client, member)
                what = f"{client.name} to {member.name}, {vip}, {mode}"
                self.assert_prompt(loads.each_once(place, vip, PORT, 20, [client.ip_beside(vip)] * REQUESTS, SIZE), what)
                self.assertEqual(f"{member.name} x", place.run(sys.executable, "-I", "-c", _ASK, vip, str(UDP_PORT)).strip(), what)
                self.assertIn("3 received", place.run("ping", "-n", "-c", "3", "-i", "0.2", "-W", "2", vip, check=False), what)
        frames = [(wire, frame) for wire, capture in captures for frame in capture.end()]
        seen = {wire.device: sum(frame["count"] for at, frame in frames if at == wire and _is_for_one(frame)) for wire in self.wires}
        say(f"  frames for one host: {seen}")
        for device in (self.device_of(client), self.device_of(member)):
            self.assertGreater(seen[device], 2 * REQUESTS)
        self.assertEqual([], [(wire, frame) for wire, frame in frames if _is_for_one(frame) and frame["vlan"] != wire.vlan])

    def device_of(self, host: Host) -> str:
        return self.tagged[host.name].at_switch[0] if host.name in self.tagged else self.lab.device(host.name)

    def test_tagged_client(self) -> None:
        self.check(CLIENT, self.servers[0])

    def test_tagged_member(self) -> None:
        self.check(self.lab.topology.hosts["c1"], MEMBER)

    def test_both(self) -> None:
        self.check(CLIENT, MEMBER, MODES)

    def test_two_tags(self) -> None:
        """frames with two tags are refused by name"""
        self.serve("tcp", VIP, CLIENT, MEMBER)
        client = self.tagged[CLIENT.name]
        client.place.run("ping", "-n", "-c", "1", "-W", "1", VIP, check=False)
        before = self.controller.rest.get("/wm/malob/refusals")["double_tagged"]
        mac = client.place.run("cat", "/sys/class/net/eth0/address").strip()
        vip_mac = client.place.run("ip", "neigh", "show", VIP).split()[4]
        ends = [socket.inet_aton(address) for address in (CLIENT.ip, VIP)]
        syn = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 0, 0, 64, socket.IPPROTO_TCP, 0, *ends)
        syn += struct.pack("!HHIIBBHHH", 4000, PORT, 1, 0, 0x50, 2, 9, 0, 0)
        for outer in (0x8100, 0x88A8):
            tags = struct.pack("!HHHHH", outer, VLAN, 0x8100, OTHER_VLAN, 0x0800)
            frame = bytes.fromhex((vip_mac + mac).replace(":", "")) + tags + syn
            run([sys.executable, "-I", "-c", _SEND, client.at_host[0], frame.hex()])
        wait_until(
            lambda: self.controller.rest.get("/wm/malob/refusals")["double_tagged"] >= before + 2,
            "the frames to be refused",
            5,
            detail=lambda: str(self.controller.rest.get("/wm/malob/refusals")),
        )


def _vlan(host: Host) -> dict[str, int]:
    return {"vlan": host.vlan} if host.vlan else {}


def _is_for_one(frame: dict[str, Any]) -> bool:
    return not int(frame["dst"][:2], 16) & 1
