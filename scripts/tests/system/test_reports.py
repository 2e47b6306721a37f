"""Agents on servers that report in band, on real Open vSwitch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from lab import balancing, processes
from malob.system import ovs
from malob.system.processes import run
from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest

_SCRIPTS = Path(__file__).parents[2]
AGENT = _SCRIPTS / "agents" / "server_agent.py"
HTTP_PORT = 80

#: Opens so many connections to an address and port, says so, and holds them until its input ends.
_HOLD = """
import socket, sys
held = [socket.create_connection((sys.argv[1], int(sys.argv[2])), 5) for _ in range(int(sys.argv[3]))]
print("held", flush=True)
sys.stdin.read()
"""

#: Sends datagrams of 200 bytes to an address and port for so many seconds, as fast as it can; prints how many.
_FLOOD = """
import socket, sys, time
flood = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
flood.setsockopt(socket.SOL_SOCKET, 25, b"eth0\\0")
end, sent = time.monotonic() + float(sys.argv[3]), 0
while time.monotonic() < end:
    try:
        flood.sendto(b"x" * 200, (sys.argv[1], int(sys.argv[2])))
        sent += 1
    except OSError:
        time.sleep(0.01)
print(sent)
"""

_BURN = "import time\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass"


@pytest.mark.real_time
class ReportsTest(SystemTest):
    topology_name = "mesh5"

    configurations: dict[str, Path]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        directory = cls.controller.log.parent
        cls.configurations = {}
        for server in cls.lab.topology.with_role("server"):
            printed = run(
                [
                    sys.executable,
                    "-B",
                    str(_SCRIPTS / "command.py"),
                    "malob.cli",
                    "agent",
                    "--data",
                    str(directory / "data"),
                    "add",
                    server.name,
                    "--kind",
                    "server",
                    "--address",
                    server.ip,
                    "--ports",
                    str(HTTP_PORT),
                    "--interface",
                    "eth0",
                ]
            )
            configuration = {**json.loads(printed), "interval_s": 1}
            cls.configurations[server.name] = directory / f"{server.name}.json"
            cls.configurations[server.name].write_text(json.dumps(configuration))
        wait_until(lambda: len(cls._reports()["agents"]) == len(cls.configurations), "the agents' keys to be read", 10)
        for name, file in cls.configurations.items():
            agent = subprocess.Popen(processes.script(cls.lab, name, AGENT, "--config", str(file)), stdin=subprocess.DEVNULL)
            cls.addClassCleanup(agent.wait, 10)
            cls.addClassCleanup(agent.terminate)

    @classmethod
    def _reports(cls) -> dict[str, Any]:
        answer: dict[str, Any] = cls.controller.rest.get("/wm/malob/reports")
        return answer

    def _wait_for_reports(self) -> None:
        """Returns once each agent was heard again."""
        before = {agent["id"]: agent["accepted"] for agent in self._reports()["agents"]}
        wait_until(
            lambda: all(agent["accepted"] > before[agent["id"]] + 1 for agent in self._reports()["agents"]),
            "each agent to be heard",
            15,
            detail=lambda: str(self._reports()),
        )

    def test_agents_are_heard_in_band(self) -> None:
        """reports come through the first switch, none is dropped, and clocks agree"""
        dropped = self._reports()["dropped"]
        self._wait_for_reports()
        reports = self._reports()
        self.assertEqual(dropped, reports["dropped"])
        for agent in reports["agents"]:
            say(f"  {agent}")
            self.assertLess(abs(agent["clock_skew_s"]), 1, agent)
            self.assertLess(agent["age_s"], 10, agent)
        for switch in self.lab.topology.switches:
            rules = [rule for rule in self.rules(switch) if "192.168.9." in rule]
            self.assertEqual(4, len(rules), rules)
            self.assertTrue(all("meter:9876" in rule for rule in rules), rules)

    def test_rules_outlive_audits(self) -> None:
        """an agent's reports arrive after the controller was restarted, and an old one is no news to it"""
        self._wait_for_reports()
        self.controller.restart()
        self.wait_for_network()
        self._wait_for_reports()
        self.assertEqual({}, self._reports()["dropped"])

    def test_connections_that_bypass_the_vip_count(self) -> None:
        """a server that is used directly gets fewer connections through the VIP, until that ends"""
        virtual = self.virtual("drift", "10.0.0.111", HTTP_PORT)
        self.controller.rest.put(f"{balancing.BASE}/pools/drift", {"lb_method": "LC"})
        busy = self.servers[0]
        member = self.member_of(virtual, busy.name)
        holder = subprocess.Popen(
            self.lab.inside("c2", [sys.executable, "-I", "-c", _HOLD, busy.ip, str(HTTP_PORT), "20"]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(holder.wait, 10)
        assert holder.stdin is not None and holder.stdout is not None
        self.addCleanup(holder.stdout.close)
        self.addCleanup(holder.stdin.close)
        self.assertEqual("held\n", holder.stdout.readline())
        wait_until(lambda: self._foreign("drift", member) == 20, "20 foreign connections", 10, detail=lambda: str(self._foreign("drift", member)))
        answers = self.requests("c1", "10.0.0.111", HTTP_PORT, 20)
        self.assertEqual(self.server_names - {busy.name}, set(answers), answers)
        holder.stdin.close()
        wait_until(lambda: self._foreign("drift", member) == 0, "no foreign connections", 10)
        self.assertEqual(self.server_names, set(self.requests("c1", "10.0.0.111", HTTP_PORT, 20)))

    def _foreign(self, pool: str, member: str) -> int:
        stats = self.controller.rest.get(f"{balancing.BASE}/pools/{pool}/stats/")
        return next(int(line["foreign_connections"]) for line in stats["members"] if line["id"] == member)

    def test_busy_processors_show_at_the_controller(self) -> None:
        """while all processors are in use, the members' CPU use is near one"""
        self.virtual("busy", "10.0.0.113", HTTP_PORT)
        burners = [subprocess.Popen([sys.executable, "-I", "-c", _BURN]) for _ in range(os.cpu_count() or 1)]
        for burner in burners:
            self.addCleanup(burner.wait, 10)
            self.addCleanup(burner.terminate)

        def cpus() -> dict[str, Any]:
            servers = self.controller.rest.get("/wm/malob/servers")
            return {server["address"]: server["cpu"] for server in servers if server["pool_id"] == "busy"}

        wait_until(
            lambda: all(cpu is not None and cpu["value"] > 0.9 for cpu in cpus().values()),
            "the CPU use of all members",
            15,
            detail=lambda: str(cpus()),
        )
        self.assertEqual(len(self.servers), len(cpus()))
        self.assertEqual({"agent"}, {cpu["source"] for cpu in cpus().values()})

    def test_flood_is_cut_at_the_switch(self) -> None:
        """tens of thousands of packets per second: the meter passes a thousand, and requests go on"""
        self.virtual("calm", "10.0.0.112", HTTP_PORT)
        seconds = 4.0
        before = sum(self._reports()["dropped"].values())
        flood = subprocess.Popen(
            self.lab.inside("c2", [sys.executable, "-I", "-c", _FLOOD, "192.168.9.19", "9876", str(seconds)]), stdout=subprocess.PIPE, text=True
        )
        time.sleep(0.5)
        answers = self.requests("c1", "10.0.0.112", HTTP_PORT, 40, rate=20)
        words, _ = flood.communicate(timeout=30)
        time.sleep(1)
        dropped = sum(self._reports()["dropped"].values()) - before
        say(f"  {int(words)} packets sent in {seconds:g} s, {dropped} came to the controller")
        self.assertEqual(40, sum(count for server, count in answers.items() if server in self.server_names), answers)
        self.assertGreater(int(words), 10_000)
        self.assertGreater(dropped, 0)
        self.assertLess(dropped, 1_000 * (seconds + 3))
        self._wait_for_reports()
        self.assertIn("meter", ovs.ofctl("meter-stats", self.lab.bridge(self.lab.topology.hosts["c2"].switch)))
