"""The host of a bridge has an address on the bridge itself: on OpenFlow's port LOCAL."""

from __future__ import annotations

import subprocess
import sys
import urllib.request

import pytest

from lab.attached.loads import Capture
from lab.attached.places import Attachments
from lab.balancing import BASE
from malob.network.hosts import Host
from malob.system.processes import bound_to_us, run
from malob.system.waiting import wait_until
from tests.system.base import SystemTest

PORT = 8056
BRIDGE_HOST = Host("bridge", "s1", "10.0.0.77/24", "server")


@pytest.mark.real_time
class LocalPortTest(SystemTest):
    topology_name = "single"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        device = cls.lab.bridge("s1")
        run(["ethtool", "-K", device, "tx", "off"])
        run(["ip", "addr", "add", BRIDGE_HOST.address, "dev", device])
        run(["ip", "link", "set", device, "up"])  # goes with the bridge

    def _serve(self) -> None:
        command = [sys.executable, "-I", "-m", "http.server", str(PORT), "-b", BRIDGE_HOST.ip, "-d", "/dev/fd"]
        server = subprocess.Popen(bound_to_us(command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        wait_until(lambda: run(["ss", "-Htln", "sport", "=", f":{PORT}"]) != "", "the bridge's host to listen", 10)

    def test_member(self) -> None:
        """a member on LOCAL is found although it is silent, and serves through a VIP"""
        self._serve()
        virtual = self.virtual("local", "10.0.0.151", PORT, servers=[BRIDGE_HOST])
        for _ in range(5):
            self.on("c1", "curl", "-sf", "-m", "5", "-o", "/dev/null", f"http://{virtual.address}:{PORT}/")
        self.assertEqual(5, self.controller.rest.get(f"{BASE}/pools/{virtual.pool_id}/stats/")["total_connections"])

    def test_ports_do_not_answer(self) -> None:
        """the port to the client is a device of the bridge's host, whose kernel knows the address, too"""
        self.on("c1", "ip", "neigh", "flush", "all")
        capture = Capture(Attachments(self.lab).host("c1"))
        self.on("c1", "ping", "-n", "-c", "1", "-W", "5", BRIDGE_HOST.ip)
        senders = {frame["src"] for frame in capture.end() if frame["type"] == "0806" and not frame["out"]}
        bridge, port = (run(["cat", f"/sys/class/net/{device}/address"]).strip() for device in (self.lab.bridge("s1"), self.lab.device("c1")))
        self.assertIn(bridge, senders)
        self.assertNotIn(port, senders)

    def test_client(self) -> None:
        """a client on LOCAL reaches a VIP whose members are behind other ports"""
        virtual = self.virtual("client", "10.0.0.152", 8001)
        answers = set()
        for _ in range(6):
            with urllib.request.urlopen(f"http://{virtual.address}:8001/", timeout=5) as answer:
                answers.add(answer.read().decode().strip())
        self.assertEqual(len(self.servers), len(answers), answers)
