from __future__ import annotations

import json
import subprocess
import unittest
from pathlib import Path
from typing import Any

from base.commands import run
from base.waiting import say, undisturbed
from lab import check, instance, namespaces, processes, topology
from lab.instance import Instance

NAME = "mlt"
TAGGED = Path(__file__).parent / "tagged.py"

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
            instance.down(NAME)

    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self.shortDescription()}")

    def test_tagged_frames(self) -> None:
        """frames with a tag and 1,500 bytes cross switches and link with both, and the link counts what it counts without"""
        source, target = (self.lab.topology.nodes[switch] for switch in "ab")
        device = self.lab.link_device("a", "b")
        before = self.lab.shaper.read(device).mbytes
        with check.pinned(self.lab, self.lab.topology.link("a", "b")):
            receiver = subprocess.Popen(
                processes.script(self.lab, target.name, TAGGED, "receive", source.mac, "2"),
                stdout=subprocess.PIPE, text=True)
            assert receiver.stdout is not None
            self.assertEqual("ready\n", receiver.stdout.readline())
            for vlan, size in ((100, 1500), (4094, 800)):
                run(processes.script(
                    self.lab, source.name, TAGGED, "send", source.mac, target.mac, str(vlan), str(size)))
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
            self.assertEqual([each.ip], [entry["local"] for entry in addresses[0]["addr_info"]])


if __name__ == "__main__":
    unittest.main()
