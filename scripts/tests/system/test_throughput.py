"""What the controller knows of links, against traffic of a known rate."""

from __future__ import annotations

import json
import re
import subprocess
import time
import unittest
from typing import Any

from base.commands import run
from base.place import ROOT
from base.waiting import wait_until
from lab import ovs, processes
from lab.controller import bound_to_us
from tests.system.base import SystemTest

#: Of UDP, IPv4 and Ethernet around each datagram of iperf3.
HEADER_BYTES = 8 + 20 + 14
PAYLOAD_BYTES = 1200
RATE_MBPS = 20.0

Ends = tuple[str, str]


class LinkUseTest(SystemTest):
    """In mesh5, c1 hangs on s1 and w1 on s3, which are joined directly."""

    def test_traffic_of_a_known_rate_is_the_use_of_its_links_and_of_no_others(self) -> None:
        wait_until(lambda: self.ping("c1", "10.0.0.11", count=1)[0] == 1, "c1 and w1 to reach each other", 15)
        port = self._port("s1", "s3")
        self.controller.rest.put(f"/wm/malob/capacities/00:00:00:00:00:00:00:01/{port}", {"mbps": 100})
        self._start("w1", "iperf3", "-s")
        wait_until(lambda: processes.listens(self.lab, "w1", 5201), "the iperf3 server", 10)
        client = self._start(
            "c1", "iperf3", "-u", "-c", "10.0.0.11", "-b", f"{RATE_MBPS}M", "-l", str(PAYLOAD_BYTES), "-t", "16")
        time.sleep(4)
        seen = [self._links() for _ in range(10) if time.sleep(1) is None]
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
            dump = ovs.ofctl("dump-ports", self.lab.bridge(name))
            lives = re.findall(r"duration=(\d+)\.(\d+)s", dump)
            self.assertEqual(dump.count("port "), len(lives))
            self.assertTrue(any(int(fraction) for _, fraction in lives), dump)

    def test_patch_ports_have_no_speed_so_throughput_is_unknown(self) -> None:
        wait_until(
            lambda: len(self._links()) == 16 and all(link["use_mbps"] for link in self._links().values()),
            "the use of all links", 20)
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

    def _links(self) -> dict[Ends, dict[str, Any]]:
        """By the names of their switches."""
        names = {dpid: name for name, dpid in self.lab.topology.switches.items()}
        return {
            (names[link["src"]["switch"]], names[link["dst"]["switch"]]): link
            for link in self.controller.rest.get("/wm/malob/links")}

    def _port(self, first: str, second: str) -> int:
        wait_until(lambda: (first, second) in self._links(), f"the link {first} - {second}", 15)
        return int(self._links()[first, second]["src"]["port"])

    def _start(self, host: str, *command: str) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            bound_to_us(self.lab.inside(host, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(processes.end, process)
        return process


if __name__ == "__main__":
    unittest.main()
