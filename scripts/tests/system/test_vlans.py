from __future__ import annotations

import functools
import json
import subprocess
import unittest
from pathlib import Path
from typing import Any

import pytest

from lab import check, instance, measuring, processes
from lab.instance import Instance
from malob.network import topology
from malob.network.hosts import Host
from malob.system import namespaces
from malob.system.processes import bound_to_us, run
from malob.system.waiting import say, undisturbed
from tests.system.base import NAME, SystemTest

TAGGED = Path(__file__).parent / "tagged.py"
TAGGING = Path(__file__).parent / "tagging.py"

TOPOLOGY: dict[str, Any] = {
    "switches": {name: f"00:00:00:00:00:00:00:0{n}" for n, name in enumerate("ab", start=1)},
    "hosts": {
        "x": {"switch": "a", "ip": "10.0.0.1/24", "role": "client", "vlan": 100, "tagged_by": "host"},
        "y": {"switch": "b", "ip": "10.0.0.2/24", "role": "server", "vlan": 100, "tagged_by": "switch"},
    },
    "links": [{"ends": ["a", "b"], "rate_mbps": 10}],
}


class VlanTest(unittest.TestCase):
    """A lab without a controller: two switches, joined by an emulated link."""

    lab: Instance

    @classmethod
    def setUpClass(cls) -> None:
        cls.addClassCleanup(cls._clean_up)
        cls.lab = instance.up(topology.parse("vlans", TOPOLOGY), NAME, owned=True, shaper="emulator")

    @classmethod
    def _clean_up(cls) -> None:
        with undisturbed():
            instance.remove_own(NAME)

    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self.shortDescription()}")

    def test_tagged_frames(self) -> None:
        """frames with a tag and 1,500 bytes cross switches and link with both, and the link counts what it counts without"""
        source, target = (self.lab.topology.nodes[switch] for switch in "ab")
        device = self.lab.link_device("a", "b")
        before = self.lab.shaper.read(device).mbytes
        with check.pinned(self.lab, self.lab.topology.link("a", "b")):
            receiver = subprocess.Popen(
                processes.script(self.lab, target.name, TAGGED, "receive", source.mac, "2"), stdout=subprocess.PIPE, text=True
            )
            assert receiver.stdout is not None
            self.assertEqual("ready\n", receiver.stdout.readline())
            for vlan, size in ((100, 1500), (4094, 800)):
                run(processes.script(self.lab, source.name, TAGGED, "send", source.mac, target.mac, str(vlan), str(size)))
            got = receiver.communicate(timeout=20)[0].splitlines()
        self.assertEqual([[100, 1500], [4094, 800]], [json.loads(line) for line in got])
        self.assertAlmostEqual(0.0023, self.lab.shaper.read(device).mbytes - before, places=6)

    def test_tagging_host(self) -> None:
        """a host that tags its frames has its address on a VLAN device, or it does not tag where the kernel cannot"""
        host = self.lab.topology.hosts["x"]
        self.assertEqual("host" if namespaces.vlan_devices() else "switch", host.tagged_by)
        # what another program finds
        self.assertEqual(host, instance.find(NAME).topology.hosts["x"])
        for each in self.lab.topology.hosts.values():
            addresses = json.loads(run(self.lab.inside(each.name, ["ip", "-j", "addr", "show", "dev", each.device])))
            found = [entry["local"] for entry in addresses[0]["addr_info"] if entry["scope"] == "global"]
            self.assertEqual([each.ip, each.ip6], found)


@pytest.mark.real_time
class TaggedForwardingTest(SystemTest):
    """Plain forwarding between hosts that tag their frames."""

    topology_name = str(Path(__file__).parent / "tagged_hosts.json")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for host in topology.load(cls.topology_name).hosts.values():
            if cls.lab.topology.hosts[host.name] != host:
                cls._tag(host)

    @classmethod
    def _tag(cls, host: Host) -> None:
        """What the kernel cannot do here, a program of ours does. It ends with its namespace, or with us."""
        command = processes.script(cls.lab, host.name, TAGGING, str(host.vlan), host.address)
        tagging = subprocess.Popen(bound_to_us(command), stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(tagging.wait)
        assert tagging.stdout is not None
        cls.addClassCleanup(tagging.stdout.close)
        cls.addClassCleanup(tagging.kill)
        assert tagging.stdout.readline() == "ready\n", host

    def test_one_vlan(self) -> None:
        """hosts of a VLAN reach each other, also by frames of full size, and none of another VLAN"""
        for source, target, answers in (("a1", "10.0.0.2", 3), ("b2", "10.0.0.3", 3), ("a1", "10.0.0.4", 0)):
            with self.subTest(source=source, target=target):
                self.assertEqual((answers, 0), self.ping(source, target, size=1472))
        first, second = (functools.partial(self.lab.inside, host) for host in ("a1", "a2"))
        # of 10 Mbit/s, headers and a slow start taken off
        self.assertGreater(measuring.throughput_mbps(first, second, "10.0.0.2", 3), 8)


if __name__ == "__main__":
    unittest.main()
