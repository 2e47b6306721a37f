"""What the controller knows of links, against traffic of a known rate."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import unittest
from functools import partial
from typing import Any

import pytest

from lab import processes
from malob.system import ovs
from malob.system.place import ROOT
from malob.system.processes import bound_to_us, run, succeeds
from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest

#: Of UDP, IPv4 and Ethernet around each datagram of iperf3.
HEADER_BYTES = 8 + 20 + 14
PAYLOAD_BYTES = 1200
RATE_MBPS = 20.0

Ends = tuple[str, str]


@pytest.mark.real_time
@pytest.mark.needs("emulator")
class LinkUseTest(SystemTest):
    """In mesh5, c1 hangs on s1 and w1 on s3, which are joined directly."""

    def test_traffic_of_a_known_rate_is_the_use_of_its_links_and_of_no_others(self) -> None:
        wait_until(lambda: self.ping("c1", "10.0.0.11", count=1)[0] == 1, "c1 and w1 to reach each other", 15)
        port = self._port("s1", "s3")
        self.controller.rest.put(f"/wm/malob/capacities/00:00:00:00:00:00:00:01/{port}", {"mbps": 100})
        self._start("w1", "iperf3", "-s")
        wait_until(lambda: processes.listens(self.lab, "w1", 5201), "the iperf3 server", 10)
        client = self._start("c1", "iperf3", "-u", "-c", "10.0.0.11", "-b", f"{RATE_MBPS}M", "-l", str(PAYLOAD_BYTES), "-t", "16")
        time.sleep(4)
        seen = []
        for _ in range(10):
            time.sleep(1)
            seen.append(self._links())
        client.wait(30)
        expected = RATE_MBPS * (PAYLOAD_BYTES + HEADER_BYTES) / PAYLOAD_BYTES
        # a sender that a busy machine holds up sends what is due at once: seconds differ, their mean does not
        mean = sum(links["s1", "s3"]["use_mbps"]["value"] for links in seen) / len(seen)
        self.assertAlmostEqual(expected, mean, delta=expected / 10)
        for links in seen:
            loaded = links["s1", "s3"]
            self.assertEqual("port_statistics", loaded["use_mbps"]["source"])
            self.assertLess(loaded["use_mbps"]["age_s"], 3)
            left = loaded["throughput_mbps"]
            self.assertAlmostEqual(100 - loaded["use_mbps"]["value"], left["value"], delta=0.01)
            self.assertEqual("port_statistics", left["source"])
            for ends, link in links.items():
                if ends != ("s1", "s3"):
                    self.assertLess(link["use_mbps"]["value"], 1, ends)

    def test_open_vswitch_tells_to_the_millisecond_how_long_ports_have_been_there(self) -> None:
        """What rates are computed by; without it they would be by the time of arrival."""
        for name in self.lab.topology.switches:
            # it prints no decimals in one of a thousand milliseconds, at the end of a whole second
            wait_until(partial(self._shows_decimals, name), f"decimals from {name}", 2)

    def test_patch_ports_have_no_speed_so_throughput_is_unknown(self) -> None:
        wait_until(lambda: len(self._links()) == 16 and all(link["use_mbps"] for link in self._links().values()), "the use of all links", 20)
        link = self._links()["s4", "s5"]
        self.assertIsNone(link["throughput_mbps"])
        self.assertIsNone(link["capacity_mbps"])

    def test_capacities_outlive_a_restart(self) -> None:
        port = self._port("s2", "s4")
        self.controller.rest.put(f"/wm/malob/capacities/00:00:00:00:00:00:00:02/{port}", {"mbps": 30})
        self.controller.restart()
        self.wait_for_network()
        wait_until(lambda: bool(self._links().get(("s2", "s4"), {}).get("throughput_mbps")), "the use of the link", 20)
        link = self._links()["s2", "s4"]
        self.assertEqual({"value": 30.0, "age_s": 0.0, "source": "configured"}, link["capacity_mbps"])
        self.assertAlmostEqual(30, link["throughput_mbps"]["value"], delta=1)

    def test_status_shows_all_links(self) -> None:
        command = [str(ROOT / "malob"), "status", "--http", f"127.0.0.1:{self.controller.http_port}"]
        shown = run(command).splitlines()
        self.assertIn("5 switches, 16 directed links", shown[0])
        self.assertEqual(16, sum("/" in line.split()[0] for line in shown if line))
        self.assertEqual(16, len(json.loads(run([*command, "--json"]))["snapshot"]["links"]))

    def _shows_decimals(self, switch: str) -> bool:
        dump = ovs.ofctl("dump-ports", self.lab.bridge(switch))
        seconds = re.findall(r"duration=([\d.]+)s", dump)
        self.assertEqual(dump.count("port "), len(seconds), dump)
        return any("." in each for each in seconds)

    def _links(self) -> dict[Ends, dict[str, Any]]:
        """By the names of their switches."""
        names = {dpid: name for name, dpid in self.lab.topology.switches.items()}
        return {(names[link["src"]["switch"]], names[link["dst"]["switch"]]): link for link in self.controller.rest.get("/wm/malob/links")}

    def _port(self, first: str, second: str) -> int:
        wait_until(lambda: (first, second) in self._links(), f"the link {first} - {second}", 15)
        return int(self._links()[first, second]["src"]["port"])

    def _start(self, host: str, *command: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(bound_to_us(self.lab.inside(host, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(processes.end, process)
        return process


@pytest.mark.real_time
@pytest.mark.needs("emulator")
class LinkAgentTest(SystemTest):
    """Agents on the nodes of two switches, with a link of 20 Mbit/s between them."""

    topology_name = "line:2,rate=20,delay=2"
    RATE_MBPS = 20.0

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        directory = cls.controller.log.parent
        nodes = cls.lab.topology.nodes
        for switch, node in nodes.items():
            printed = run(
                [
                    sys.executable,
                    "-B",
                    str(ROOT / "scripts/command.py"),
                    "malob.cli",
                    "agent",
                    "--data",
                    str(directory / "data"),
                    "add",
                    switch,
                    "--kind",
                    "link",
                    "--address",
                    node.ip,
                    "--interface",
                    "eth0",
                ]
            )
            others = [other.ip for other in nodes.values() if other is not node]
            file = directory / f"{switch}.json"
            file.write_text(json.dumps({**json.loads(printed), "neighbours": others, "interval_s": 10}))
            # what a node sends is how the network learns where it is
            cls.lab_ping(node.name, others[0])
            agent = subprocess.Popen(
                processes.script(cls.lab, node.name, ROOT / "scripts/agents/link_agent.py", "--config", str(file)), stdin=subprocess.DEVNULL
            )
            cls.addClassCleanup(agent.wait, 10)
            cls.addClassCleanup(agent.terminate)

    @classmethod
    def lab_ping(cls, host: str, address: str) -> None:
        wait_until(lambda: succeeds(cls.lab.inside(host, ["ping", "-c", "1", "-W", "1", address])), f"{host} to reach {address}", 20)

    def test_agents_measure_the_link_in_both_directions_by_rules_of_their_own(self) -> None:
        """what an agent has measured wins, and is the link's rate"""

        def measured() -> list[dict[str, Any]]:
            links = self.controller.rest.get("/wm/malob/links")
            values = [link["throughput_mbps"] for link in links]
            return [value for value in values if value is not None and value["source"] == "agent"]

        def errors() -> list[float]:
            return [abs(value["value"] - self.RATE_MBPS) / self.RATE_MBPS for value in measured()]

        # a measurement while the processor is busy is too low, and the next one replaces it
        wait_until(
            lambda: len(errors()) == 2 and max(errors()) <= 0.1,
            "both directions to be measured within 10 %",
            60,
            detail=lambda: f"{measured()}; reports: {self.controller.rest.get('/wm/malob/reports')}",
        )
        say(f"  {measured()}")
        for switch in self.lab.topology.switches:
            pinned = [rule for rule in self.rules(switch) if "tp_src=5201" in rule or "tp_dst=5201" in rule]
            carried = [rule for rule in pinned if "priority=47000" in rule and "n_packets=0," not in rule]
            self.assertEqual(2, len(carried), pinned)


if __name__ == "__main__":
    unittest.main()
