"""Tracked placement with switches that do not share their connections: each has an Open vSwitch of its own."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

import pytest

from lab import apart, balancing, instance
from lab.apart import ApartSwitches
from lab.attached import loads, networks
from lab.attached.loads import Capture, Load
from lab.attached.places import Place
from malob.network import topology
from malob.system import namespaces
from malob.system.place import ROOT
from malob.system.waiting import say
from tests.system import datagrams_of
from tests.system.base import NAME, UDP_PORT
from tests.system.real_networks import PORT, VIP, VIP6, RealNetworkTest, untranslated

ZONE = 7777
RATE, REQUESTS = 50, 40
#: until a client that has moved is found: its new port is probed for a second, and a SYN waits for another one
FOUND_S = 2.5
SETTLED_S = 3.0
MAX_BUILD_S = 5.0
#: of datagrams in several fragments
LONG = 4000

#: Builds a lab, takes it apart, and is killed.
_KILLED = f"""
import os, signal
from lab import instance
from lab.apart import CONTROLLER, ApartSwitches
from malob.network import topology
ApartSwitches(instance.up(topology.load({str(networks.LAN)!r}), {NAME!r}, CONTROLLER + ":6653", owned=True))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.real_time
class TrackedApartTest(RealNetworkTest):
    """Two clients, one of them at the switch of a member."""

    address = apart.CONTROLLER
    # the controller is not at loopback
    options = ("--insecure",)
    switches: ApartSwitches
    near: Place
    NEAR = {VIP: "10.0.0.2", VIP6: "fd00:a00::2"}

    @classmethod
    def prepare_lab(cls) -> None:
        cls.attached = cls.switches = ApartSwitches(cls.lab)

    @classmethod
    def build(cls) -> None:
        cls.near = cls.attached.place("c2")
        cls.attached.join("s2", cls.near, addresses=["10.0.0.2/24", "fd00:a00::2/64"])
        cls.reach(cls.attached.host("c1"), cls.near)

    def test_requests(self) -> None:
        """each switch tracks the connections of its own clients, and no client sees a member's address"""
        client = self.lab.topology.hosts["c1"]
        places = self.attached.host("c1"), self.near
        for vip in (VIP, VIP6):
            with self.subTest(vip=vip):
                self.service(balancing.TRACKED, vip, algorithm="WRR")
                addresses = client.ip_beside(vip), self.NEAR[vip]
                captures = [Capture(place) for place in places]
                programs = [loads.EachOnce(place, vip, PORT, RATE, [address] * REQUESTS) for place, address in zip(places, addresses)]
                for program, place in zip(programs, places):
                    self.assert_prompt(program.result(), place.name)
                frames = [frame for capture in captures for frame in capture.end()]
                self.assertEqual([], untranslated(frames, [server.ip_beside(vip) for server in self.servers]))
                found = [sum(f"dst={vip}," in line for line in self.switches.connections(switch, ZONE)) for switch in ("s1", "s2", "s3")]
                # the first of all may have been placed by the controller
                self.assertEqual([True, True, 0], [found[0] >= REQUESTS - 1, found[1] >= REQUESTS - 1, found[2]], f"{found}")

    def test_datagrams(self) -> None:
        """the same for UDP: each flow has one member, which each client reaches"""
        for vip in (VIP, VIP6):
            with self.subTest(vip=vip):
                self.remove_virtual("real")
                self.virtual("real", vip, UDP_PORT, placement=balancing.TRACKED, protocol="udp")
                balancing.wait_for_proactive(self.controller.rest, "real")
                programs = [datagrams_of.Asks(place, vip, UDP_PORT, flows=8, count=5) for place in (self.attached.host("c1"), self.near)]
                for program in programs:
                    answers = program.result()
                    self.assertEqual([[5]] * 8, [list(each.values()) for each in answers], f"{answers}")

    def test_fragments(self) -> None:
        """datagrams longer than the MTU pass both ways, also as the first of a flow, and to and from servers beside the VIP"""
        client = self.attached.host("c1")
        places = [client, self.near, *(self.place(server) for server in self.servers)]
        for place in places:
            self.addCleanup(place.run, "ip", "link", "set", "eth0", "mtu", "1500")
        for vip in (VIP, VIP6):
            self.remove_virtual("real")
            self.virtual("real", vip, UDP_PORT, placement=balancing.TRACKED, protocol="udp")
            for place in (client, self.near):
                datagrams_of.Asks(place, vip, UDP_PORT).result()
            balancing.wait_for_proactive(self.controller.rest, "real", switches=[self.lab.topology.switches[each] for each in ("s1", "s2")])
            time.sleep(SETTLED_S)
            for mtu, first, place in itertools.product((1500, 1300), (100, LONG), (client, self.near)):
                with self.subTest(vip=vip, mtu=mtu, first=first, client=place.name):
                    for each in places:
                        each.run("ip", "link", "set", "eth0", "mtu", str(mtu))
                    flows = datagrams_of.Asks(place, vip, UDP_PORT, flows=8, count=4, first=first, size=LONG).result()
                    self.assertEqual([[4]] * 8, [list(flow.values()) for flow in flows], f"{flows}")
            for server in self.servers:
                with self.subTest(vip=vip, beside=server.name):
                    address = server.ip_beside(vip)
                    flows = datagrams_of.Asks(client, address, UDP_PORT, flows=4, count=4, size=LONG).result()
                    self.assertEqual([{server.name: 4}] * 4, flows)
                    client.run("ping", "-c", "3", "-i", "0.2", "-W", "1", "-s", str(LONG), address)

    def test_client_moves(self) -> None:
        """it is found at its new switch; open connections go on or are reset there, and so do flows"""
        client = self.attached.host("c1")
        self.service(balancing.TRACKED, algorithm="WRR")
        self.virtual("udp", VIP, UDP_PORT, placement=balancing.TRACKED, protocol="udp")
        balancing.wait_for_proactive(self.controller.rest, "udp")
        for here, there in (("s1", "s2"), ("s2", "s1")):
            load = Load(client, VIP, PORT, ["10.0.0.1"], ["asks"] * 8, 10)
            self.addCleanup(load.end)
            flows = datagrams_of.Asks(client, VIP, UDP_PORT, flows=8, count=20, every=0.2)
            time.sleep(0.5)
            moved = time.monotonic()
            self.switches.move(self.lab.topology.hosts["c1"], here, there)
            time.sleep(FOUND_S + SETTLED_S)
            held, requests = load.finish()
            answers = flows.result()
            say(f"  {here} to {there}: {requests}, {held}, {answers}")
            self.assertEqual([], [each for each in held if each.broken() and "reset" not in str(each.error)])
            late = loads.Requests([each for each in requests.each if each["began"] > moved + FOUND_S])
            self.assert_prompt(late, f"{there}, {FOUND_S} s after")
            # those of the moment are lost, as on any cable
            self.assertGreaterEqual(min(sum(each.values()) for each in answers), 10, f"{answers}")


class ApartLabTest(unittest.TestCase):
    def test_builder_is_killed(self) -> None:
        """all daemons and namespaces of the switches go with the lab"""
        began = time.monotonic()
        killed = subprocess.run([sys.executable, "-c", _KILLED], env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")}, cwd=ROOT, check=False)
        took_s = time.monotonic() - began
        say(f"  built within {took_s:.1f} s")
        self.assertEqual(-9, killed.returncode)
        switches = [f"{NAME}-{switch}.vs" for switch in topology.load(str(networks.LAN)).switches]
        self.assertEqual([True] * 3, [namespaces.exists(name) for name in switches])
        self.assertLess(took_s, 2 * MAX_BUILD_S)
        instance.down(NAME)
        self.assertEqual([False] * 3, [namespaces.exists(name) for name in switches])
        daemons = [path for path in Path("/proc").glob("[0-9]*/comm") if path.read_text().strip() in ("ovs-vswitchd", "ovsdb-server")]
        self.assertEqual([], daemons)
        self.assertFalse(namespaces.device_exists(f"{NAME}-c1"))
