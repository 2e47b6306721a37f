"""A request RSpec, from the file to a request through the VIP: machines are namespaces, and the set-up scripts do all else."""

from __future__ import annotations

import glob
import json
import subprocess
import sys
import tempfile
import unittest
from typing import Any

import pytest

from malob.network import topology
from malob.system.place import ROOT, RUN_DIRECTORY
from malob.system.waiting import say, wait_until
from research.testbed import roles, rspec
from research.testbed.rehearsal import CONTROLLER_ADDRESS, Rehearsal

TOPOLOGY = "thesis-two-servers"
VIP = "10.0.0.100", 80

#: Rehearses until all machines are there, and ends at once, as after kill -9.
_KILLED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from research.testbed import rspec
from research.testbed.rehearsal import Rehearsal
Rehearsal(rspec.read(sys.argv[2], Path(sys.argv[2]).read_text()).slice, "mlk").__enter__()
os._exit(9)
"""


@pytest.mark.needs("emulator")
class TestbedTest(unittest.TestCase):
    rehearsal: Rehearsal
    commands: dict[str, list[str]]
    answers: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        file = ROOT / "geni" / "rspec" / f"{TOPOLOGY}.xml"
        wanted = rspec.read(str(file), file.read_text()).slice
        cls.rehearsal = Rehearsal(wanted, "mlt")
        cls.rehearsal.__enter__()
        cls.addClassCleanup(cls.rehearsal.__exit__)
        cls.commands = roles.commands(wanted, CONTROLLER_ADDRESS, str(ROOT), VIP)
        cls.answers = cls._set_up(cls.commands)

    @classmethod
    def _set_up(cls, commands: dict[str, list[str]]) -> dict[str, str]:
        return cls.rehearsal.set_up(commands, lambda node, line: say(f"  {node}: {line}"))

    def rest(self, path: str) -> Any:
        return json.loads(self.rehearsal.run("controller", ["curl", "-sf", f"http://127.0.0.1:8080{path}"]))

    def refused(self, node: str, *arguments: str) -> tuple[int, str]:
        """How a script ends that is called like that on a machine, and its last words."""
        command = [f"{ROOT}/geni/setup/{arguments[0]}", *arguments[1:]]
        done = subprocess.run(self.rehearsal.on(node, command), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
        return done.returncode, done.stderr.strip().rpartition("\n")[2]

    def ports(self, switch: str) -> list[str]:
        return sorted(
            self.rehearsal.run(
                switch, ["ovs-vsctl", "--bare", "--no-headings", "--columns=ofport,external_ids", "find", "Interface", "ofport<65534"]
            ).split()
        )

    def test_client_gets_a_page_through_the_virtual_address(self) -> None:
        self.assertIn(self.answers["client"].strip(), {"server-1", "server-2"})
        flows = self.rehearsal.run("client-switch", ["ovs-ofctl", "-O", "OpenFlow13", "dump-flows", "malob"])
        self.assertIn(VIP[0], flows)

    def test_controller_sees_the_topologys_switches_and_links(self) -> None:
        network = topology.load(TOPOLOGY)
        wait_until(lambda: len(self.rest("/wm/topology/links/json")) == len(network.links), "the links", 20)
        self.assertEqual(set(network.switches.values()), {one["switchDPID"] for one in self.rest("/wm/core/controller/switches/json")})
        found = {
            frozenset([(one["src-switch"], one["src-port"]), (one["dst-switch"], one["dst-port"])]) for one in self.rest("/wm/topology/links/json")
        }
        self.assertEqual(
            {
                frozenset([(network.switches[here], network.ports(here)[there]) for here, there in (link.ends, link.ends[::-1])])
                for link in network.links
            },
            found,
        )

    def test_scripts_that_run_again_change_nothing(self) -> None:
        notes = {node: self.rehearsal.run(node, ["sh", "-c", "cat /run/malob-testbed/*.pid"]) for node in ("controller", "server-1")}
        ports = self.ports("client-switch")
        self.assertEqual(["1", "2", "3", "4"], [word for word in ports if word.isdigit()])
        again = {node: self.commands[node] for node in ("controller", "client-switch", "server-1", "client")}
        self.assertIn(self._set_up(again)["client"].strip(), {"server-1", "server-2"})
        self.assertEqual(ports, self.ports("client-switch"))
        for node, note in notes.items():
            self.assertEqual(note, self.rehearsal.run(node, ["sh", "-c", "cat /run/malob-testbed/*.pid"]))
        for kind, count in (("vips", 1), ("pools", 1), ("members", 2)):
            self.assertEqual(count, len(self.rest(f"/quantum/v1.0/{kind}/")), kind)

    def test_switches_reach_each_other_as_hosts(self) -> None:
        wanted = self.rehearsal.slice
        own = (wanted.node("server-2-switch").own_address or "").partition("/")[0]
        wait_until(
            lambda: "1 received" in self.rehearsal.run("client-switch", ["sh", "-c", f"ping -n -c 1 -s 1300 -W 2 {own} || true"]), "an answer", 30
        )

    def test_agent_of_a_server_is_heard(self) -> None:
        configurations = self.rehearsal.give_agents()
        self.rehearsal.run("server-1", [*self.commands["server-1"], "--agent", f"{configurations}/server-1.json"])
        wait_until(
            lambda: [one["id"] for one in self.rest("/wm/malob/reports")["agents"] if one["accepted"] > 0] == ["server-1"], "the agent's report", 30
        )

    def test_server_with_another_name_is_started_again(self) -> None:
        command = self.commands["server-2"]
        for name in ("renamed", "server-2"):
            self.rehearsal.run("server-2", [*command, "--name", name])
            self.assertEqual(name, self.rehearsal.run("server-2", ["curl", "-sf", "http://127.0.0.1/"]).strip())

    def test_port_whose_address_nobody_has_is_refused(self) -> None:
        command = self.commands["server-2-switch"][1:]
        self.assertEqual(
            (1, "switch.sh: --port 9: no interface has the address 10.9.9.9/24; 'ip address' shows the interfaces"),
            self.refused("server-2-switch", "switch.sh", *command, "--port", "9=10.9.9.9/24"),
        )

    def test_way_to_the_controller_is_refused_as_a_port(self) -> None:
        command = self.commands["server-2-switch"][1:]
        control = self.rehearsal.run("server-2-switch", ["ip", "-o", "-4", "address", "show", "dev", "control"]).split()[3]
        code, words = self.refused("server-2-switch", "switch.sh", *command, "--port", f"9={control}")
        self.assertEqual((1, True), (code, "control leads to the controller" in words), words)

    def test_host_without_its_address_is_told(self) -> None:
        self.assertEqual(
            (1, "client.sh: no interface has the address 10.0.0.9/24; 'ip address' shows the interfaces"),
            self.refused("client", "client.sh", "--address", "10.0.0.9/24"),
        )


class KilledRehearsalTest(unittest.TestCase):
    needs = ("emulator",)

    def left(self) -> list[str]:
        places = ("/run/netns/mlk-*", "/sys/class/net/mlk*", f"{tempfile.gettempdir()}/malob-testbed-mlk-*")
        return [path for place in places for path in glob.glob(place)]

    def test_what_a_killed_one_has_left_the_next_one_removes(self) -> None:
        file = ROOT / "geni" / "rspec" / f"{TOPOLOGY}.xml"
        killed = subprocess.run([sys.executable, "-c", _KILLED, str(ROOT / "scripts"), str(file)])
        self.assertEqual(9, killed.returncode)
        before = self.left()
        self.assertTrue(before)
        with Rehearsal(rspec.read(str(file), file.read_text()).slice, "mlk"):
            directories = [path for path in self.left() if "malob-testbed" in path]
            self.assertEqual(1, len(directories))
            self.assertNotIn(directories[0], before)
        self.assertEqual(([], False), (self.left(), (RUN_DIRECTORY / "mlk.json").exists()))


if __name__ == "__main__":
    unittest.main()
