"""The thesis's wide-area network: sites that are a switch and a host of one name, and sites without a host."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

from malob.system import ovs
from malob.system.place import ROOT
from malob.system.processes import run
from tests.system.base import NAME, SystemTest


@pytest.mark.needs("emulator")
class WideAreaTest(SystemTest):
    topology_name = "geni-wan"

    def test_every_host_reaches_every_other(self) -> None:
        """ping between all pairs of hosts, and no answer comes twice"""
        for source, target in permutations(self.hosts, 2):
            with self.subTest(source=source.name, target=target.name):
                self.assertEqual((1, 0), self.ping(source.name, target.ip, count=1))

    def test_nodes_reach_each_other_and_the_hosts(self) -> None:
        """the nodes of two sites without a host, and of one with a host, which is somebody else"""
        nodes = self.lab.topology.nodes
        self.assertEqual((3, 0), self.ping("kansas", nodes["kentucky"].ip))
        self.assertEqual((3, 0), self.ping("client-1.node", nodes["kansas"].ip))
        self.assertEqual((3, 0), self.ping("client-1.node", self.lab.topology.hosts["client-1"].ip))

    def test_commands_run_on_hosts_and_nodes(self) -> None:
        """a name that a host has means the host, else the switch's node"""
        expected = {"kansas": "10.0.0.208", "kansas.node": "10.0.0.208", "client-1": "10.0.0.1", "client-1.node": "10.0.0.201"}
        for name, address in expected.items():
            with self.subTest(name=name):
                exec_there = [str(ROOT / "malob"), "lab", "exec", "--name", NAME, name]
                words = run([*exec_there, "ip", "-4", "-o", "addr", "show", "eth0"])
                self.assertIn(f" {address}/24 ", words)

    def test_link_that_was_away_leaves_nodes_reachable(self) -> None:
        """a link goes and comes back: ports have their old numbers, and nodes still talk"""
        before = self.port_numbers("kansas")
        self.assertEqual(self.lab.topology.ports("kansas"), before)
        self.lab.set_link("kansas", "kentucky", up=False)
        self.assertNotIn("kentucky", self.port_numbers("kansas"))
        self.lab.set_link("kansas", "kentucky", up=True)
        self.assertEqual(before, self.port_numbers("kansas"))
        self.wait_for_network()
        self.assertEqual((3, 0), self.ping("kansas", self.lab.topology.nodes["kentucky"].ip))

    def port_numbers(self, switch: str) -> dict[str, int]:
        """The numbers that the ports of a switch really have, by who is behind them."""
        devices = {self.lab.link_device(switch, other): other for other in self.lab.topology.neighbours(switch)}
        devices[self.lab.device(f"{switch}.node")] = f"{switch}.node"
        listed = ovs.vsctl("--format=json", "--columns=name,ofport", "list", "Interface")
        return {devices[name]: number for name, number in json.loads(listed)["data"] if name in devices}
