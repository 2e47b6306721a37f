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
VIP6 = "fd00:a00::79"
SERVER = Path(__file__).parent / "ftp_server.py"
CLIENT = Path(__file__).parent / "ftp_client.py"
FILES = 3

#: The ids of VIPs and pools.
KEYS = {VIP: "ftp", VIP6: "ftp6"}

#: PASV and PORT are for IPv4 alone.
PASSIVE = ((VIP, "EPSV"), (VIP, "PASV"), (VIP6, "EPSV"))
ACTIVE = ((VIP, "PORT"), (VIP, "EPRT"), (VIP6, "EPRT"))


class FtpTest(SystemTest):
    # so that a control connection sleeps soon
    properties = {"io.malob.balancer.BalancerModule.idleTimeoutTcp": "2"}

    def setUp(self) -> None:
        super().setUp()
        for server in self.servers:
            self._start_server(server.name)
        for vip in (VIP, VIP6):
            self._set_up(vip)

    def _set_up(self, vip: str) -> None:
        rest, base, key = self.controller.rest, balancing.BASE, KEYS[vip]
        self.addCleanup(self.remove_virtual, key)
        rest.post(f"{base}/vips/", {"id": key, "name": key, "address": vip, "protocol": "tcp"})
        rest.post(f"{base}/pools/", {"id": key, "name": key, "vip_id": key, "lb_method": "RR"})
        for server in self.servers:
            rest.post(f"{base}/members/", {"id": f"{key}-{server.name}", "address": server.ip_beside(vip), "pool_id": key})
        wait_until(lambda: all(member["located"] for member in self._members(vip)), "the servers to be found", 10)

    def _start_server(self, host: str) -> None:
        command = processes.script(self.lab, host, SERVER, host, "--announce", VIP)
        server = subprocess.Popen(bound_to_us(command), stdin=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(processes.end, server)
        wait_until(lambda: "LISTEN" in self.on(host, "ss", "-Htln", "sport", "=", ":21"), f"FTP on {host}", 15)

    def _members(self, vip: str) -> list[dict[str, Any]]:
        members: list[dict[str, Any]] = self.controller.rest.get(f"{balancing.BASE}/pools/{KEYS[vip]}/stats/")["members"]
        return members

    def _session(self, host: str, vip: str, mode: str, idle_s: float = 0) -> None:
        """Files go there and come back whole, by connections to one server alone."""
        before = {member["id"]: member["total_connections"] for member in self._members(vip)}
        command = processes.script(self.lab, host, CLIENT, vip, mode, "--files", str(FILES), "--idle", str(idle_s))
        answer = json.loads(run(command, timeout_s=120))
        self.assertEqual(FILES, answer["whole"])
        self.assertEqual([[vip, mode in ("PORT", "EPRT")]], answer["peers"])
        used = {member["id"]: member["total_connections"] - before[member["id"]] for member in self._members(vip)}
        chosen = used.pop(f"{KEYS[vip]}-{answer['server']}")
        self.assertEqual(1 + 2 * FILES, chosen, "the control connection and one for each file each way")
        self.assertEqual({0}, set(used.values()))

    def test_passive(self) -> None:
        """EPSV of both IP versions, and PASV"""
        for vip, mode in PASSIVE:
            for host in ("c1", "c2"):
                with self.subTest(vip=vip, mode=mode, host=host):
                    self._session(host, vip, mode)

    def test_active(self) -> None:
        """EPRT of both IP versions, and PORT: the server calls from port 20, and the client sees the VIP"""
        for vip, mode in ACTIVE:
            for host in ("c1", "c2"):
                with self.subTest(vip=vip, mode=mode, host=host):
                    self._session(host, vip, mode)

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
        for vip, mode in ((VIP, "EPSV"), (VIP, "PORT"), (VIP6, "EPRT")):
            with self.subTest(vip=vip, mode=mode):
                self._session("c1", vip, mode, idle_s=4)
