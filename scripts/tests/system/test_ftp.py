"""FTP through a VIP, in all its modes, with real files."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from lab import balancing, processes
from malob.system.processes import bound_to_us, run
from malob.system.waiting import wait_until
from tests.system.base import SystemTest

VIP = "10.0.0.121"
SERVER = Path(__file__).parent / "ftp_server.py"
CLIENT = Path(__file__).parent / "ftp_client.py"
FILES = 3


class FtpTest(SystemTest):
    # so that a control connection sleeps soon
    properties = {"io.malob.balancer.BalancerModule.idleTimeoutTcp": "2"}

    def setUp(self) -> None:
        super().setUp()
        rest, base = self.controller.rest, balancing.BASE
        self.addCleanup(self.remove_virtual, "ftp")
        rest.post(f"{base}/vips/", {"id": "ftp", "name": "ftp", "address": VIP, "protocol": "tcp"})
        rest.post(f"{base}/pools/", {"id": "ftp", "name": "ftp", "vip_id": "ftp", "lb_method": "RR"})
        for server in self.servers:
            rest.post(f"{base}/members/", {"id": f"ftp-{server.name}", "address": server.ip, "pool_id": "ftp"})
            self._start_server(server.name)
        wait_until(lambda: all(member["located"] for member in self._members()), "the servers to be found", 10)

    def _start_server(self, host: str) -> None:
        command = processes.script(self.lab, host, SERVER, host, "--announce", VIP)
        server = subprocess.Popen(bound_to_us(command), stdin=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(processes.end, server)
        wait_until(lambda: "LISTEN" in self.on(host, "ss", "-Htln", "sport", "=", ":21"), f"FTP on {host}", 15)

    def _members(self) -> list[dict[str, Any]]:
        members: list[dict[str, Any]] = self.controller.rest.get(f"{balancing.BASE}/pools/ftp/stats/")["members"]
        return members

    def _session(self, host: str, mode: str, idle_s: float = 0) -> None:
        """Files go there and come back whole, by connections to one server alone."""
        before = {member["id"]: member["total_connections"] for member in self._members()}
        command = processes.script(self.lab, host, CLIENT, VIP, mode, "--files", str(FILES), "--idle", str(idle_s))
        answer = json.loads(run(command, timeout_s=120))
        self.assertEqual(FILES, answer["whole"])
        self.assertEqual([[VIP, mode in ("PORT", "EPRT")]], answer["peers"])
        used = {member["id"]: member["total_connections"] - before[member["id"]] for member in self._members()}
        chosen = used.pop(f"ftp-{answer['server']}")
        self.assertEqual(1 + 2 * FILES, chosen, "the control connection and one for each file each way")
        self.assertEqual({0}, set(used.values()))

    def test_passive(self) -> None:
        """EPSV and PASV"""
        for mode in ("EPSV", "PASV"):
            for host in ("c1", "c2"):
                with self.subTest(mode=mode, host=host):
                    self._session(host, mode)

    def test_active(self) -> None:
        """PORT and EPRT: the server calls from port 20, and the client sees the VIP"""
        for mode in ("PORT", "EPRT"):
            for host in ("c1", "c2"):
                with self.subTest(mode=mode, host=host):
                    self._session(host, mode)

    def test_data_rule(self) -> None:
        """what comes from port 20 goes to the controller only as long as there is a control connection"""
        client = subprocess.Popen(processes.script(self.lab, "c1", CLIENT, VIP, "PORT", "--files", "1", "--idle", "3"), stdout=subprocess.DEVNULL)
        self.addCleanup(client.wait)
        wait_until(lambda: len(self._data_rules()) == 1, "the rule at the server's switch", 3)
        self.assertEqual(0, client.wait(30))
        wait_until(lambda: not self._data_rules(), "the rule to go with the control connection", 3)

    def _data_rules(self) -> list[str]:
        return [rule for rule in self.rules_naming("10.0.0.1") if "priority=48700" in rule]

    def test_silence(self) -> None:
        """the control connection is silent for longer than its rules live"""
        for mode in ("EPSV", "PORT"):
            with self.subTest(mode=mode):
                self._session("c1", mode, idle_s=4)
