"""The services of the .deb packages, started by systemd with all that their units forbid them."""

from __future__ import annotations

import json
import unittest
from dataclasses import replace
from typing import Any

from malob.errors import ScriptError
from malob.system.place import ROOT
from malob.system.waiting import wait_until
from tests.system.overlay import BootedRoot
from tests.system.packaged import CATALOG, HEALTH, URL, ask, install
from tools.release import project

_VIP = {"id": "kept", "name": "kept", "protocol": "tcp", "address": "10.0.0.100", "port": "80"}
_REPORTS = "/wm/malob/reports"

#: Two uplinks, each to a gateway, and a server behind both.
_UPLINKS = """
ip netns add outside
ip -n outside link set lo up
ip -n outside address add 203.0.113.1/32 dev lo
for n in 1 2; do
  ip link add up$n type veth peer name gw$n netns outside
  ip netns exec outside ethtool -K gw$n tx off
  ip -n outside address add 10.9.$n.1/24 dev gw$n
  ip -n outside link set gw$n up
  ethtool -K up$n tx off
  ip address add 10.9.$n.2/24 dev up$n
  ip link set up$n up
  ip route add default via 10.9.$n.1 dev up$n metric ${n}00
done
ip netns exec outside setsid --fork python3 -I -m http.server --bind 203.0.113.1 --directory /usr/share/malob 80 >/dev/null 2>&1
"""


class PackagedServicesTest(unittest.TestCase):
    root: BootedRoot

    @classmethod
    def setUpClass(cls) -> None:
        try:
            cls.root = BootedRoot()
        except ScriptError as error:
            raise unittest.SkipTest(f"systemd cannot run here: {error}") from None
        cls.addClassCleanup(cls.root.close)
        install(cls.root, replace(project.read(ROOT), version="0.0.1"))
        cls.root.run("systemctl", "start", "malob-controller")
        cls.root.wait_for_http(HEALTH)

    def test_an_upgrade_restarts_the_controller_which_keeps_its_data(self) -> None:
        ask(self.root, f"{URL}{CATALOG}/vips/", _VIP)
        before = self._main_process("malob-controller")
        self._is_confined(before, user="malob", capabilities=0)
        install(self.root, project.read(ROOT))
        self.root.wait_for_http(HEALTH)
        self.assertNotEqual(before, self._main_process("malob-controller"))
        self.assertEqual([_VIP["id"]], [vip["id"] for vip in ask(self.root, f"{URL}{CATALOG}/vips/")])
        self._starts_from_an_archive("/var/cache/malob/controller/io.malob.controller.Main", user="malob")

    def test_agents_report(self) -> None:
        self.root.run("ip", "address", "add", "10.9.9.1/32", "dev", "lo")
        self.root.run("ip", "address", "add", "10.9.9.2/32", "dev", "lo")
        self._start_agent("server", "10.9.9.1", interval_s=1, ports=[8080])
        self._start_agent("link", "10.9.9.1", interval_s=1, neighbours=["10.9.9.2"], probe_s=1, max_mbps=10)
        self.root.run("sh", "-c", "setsid --fork iperf3 -s -B 10.9.9.2 -p 5201 >/dev/null 2>&1")
        for kind in ("server", "link"):
            wait_until(lambda: self._accepted(f"{kind}1"), f"reports of the {kind} agent", 30, detail=lambda: self._said(f"malob-{kind}-agent"))
            # NET_RAW
            self._is_confined(self._main_process(f"malob-{kind}-agent"), user=None, capabilities=1 << 13)

    def test_an_end_host_spreads_flows_comes_back_and_goes(self) -> None:
        self.root.run("sh", "-ec", _UPLINKS)
        options = "--uplink up1 --uplink up2 --algorithm RR --openflow-port 6753 --http-port 8180"
        self.root.write("/etc/malob/endhost.conf", f"ENDHOST_OPTIONS={options}\n".encode())
        before = self.root.run("ip", "-brief", "link")
        self._start("malob-endhost")
        self._carries_flows()
        self._starts_from_an_archive("/var/cache/malob/endhost", user="root")
        # the kernel's settings are within its reach
        self.assertEqual("1\n", self.root.run("cat", "/proc/sys/net/ipv6/conf/malob-sw/disable_ipv6"))
        supervisor = self._main_process("malob-endhost")
        self.root.run("systemctl", "kill", "--signal=KILL", "--kill-who=main", "malob-endhost")
        wait_until(lambda: self._main_process("malob-endhost") not in (0, supervisor), "systemd to start it again", 60)
        self._carries_flows()
        self.root.run("systemctl", "stop", "malob-endhost", timeout_s=120)
        self.assertEqual(before, self.root.run("ip", "-brief", "link"))
        self.assertEqual("inactive\n", self.root.output("systemctl", "is-active", "malob-endhost"))

    def _carries_flows(self) -> None:
        """Whether nothing is broken, and both uplinks carry flows."""
        status: dict[str, Any] = {}

        def is_whole() -> bool:
            status.update(json.loads(self.root.output("malob", "endhost", "status", "--json") or '{"broken": "no status"}'))
            return not status["broken"]

        wait_until(is_whole, "the end host to be whole", 60, detail=lambda: f"{status['broken']}; {self._said('malob-endhost')}")
        for _ in range(2):
            self.root.run("curl", "-sf", "--max-time", "10", "-o", "/dev/null", "http://203.0.113.1/")
        told = json.loads(self.root.run("malob", "endhost", "status", "--json"))
        self.assertEqual(["up1", "up2"], [uplink["name"] for uplink in told["uplinks"] if uplink["flows"]["total"]], told)

    def _starts_from_an_archive(self, start: str, user: str) -> None:
        """Whether a process has mapped the archive of loaded classes whose path begins so, and there is none among the programs."""
        mapped = f"grep -lE ' {start}.*[.]jsa$' /proc/[0-9]*/maps"
        self.assertRegex(self.root.output("sh", "-c", mapped), r"^/proc/\d+/maps\n")
        self.assertEqual(f"{user}\n", self.root.run("sh", "-c", f"stat -c %U {start}*.jsa"))
        self.assertEqual("", self.root.run("find", "/usr/share/malob", "-name", "*.jsa*"))

    def _start_agent(self, kind: str, address: str, **fields: Any) -> None:
        added = self.root.run("malob", "agent", "add", f"{kind}1", "--kind", kind, "--address", address, "--controller", URL + _REPORTS)
        self.root.write(f"/etc/malob/{kind}-agent.json", json.dumps({**json.loads(added), **fields}).encode())
        self.root.run("chmod", "600", f"/etc/malob/{kind}-agent.json")
        self._start(f"malob-{kind}-agent")

    def _start(self, unit: str) -> None:
        try:
            self.root.run("systemctl", "start", unit, timeout_s=120)
        except ScriptError as error:
            raise ScriptError(f"{error}: {self._said(unit)}") from None

    def _accepted(self, agent: str) -> bool:
        return any(each["id"] == agent and each["accepted"] for each in ask(self.root, URL + _REPORTS)["agents"])

    def _main_process(self, unit: str) -> int:
        return int(self.root.run("systemctl", "show", "--property=MainPID", "--value", unit))

    def _is_confined(self, process: int, user: str | None, capabilities: int) -> None:
        """Whether a process has a filter of system calls, cannot get privileges, and has at most these capabilities."""
        lines = self.root.run("cat", f"/proc/{process}/status").splitlines()
        status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
        self.assertEqual((["2"], ["1"]), (status["Seccomp"], status["NoNewPrivs"]))
        self.assertEqual(capabilities, int(status["CapBnd"][0], 16))
        self.assertNotIn("0", status["Uid"])
        if user is not None:
            self.assertEqual(self.root.run("id", "--user", user).strip(), status["Uid"][0])

    def _said(self, unit: str) -> str:
        """What a service, and systemd of it, has said last."""
        return self.root.output("journalctl", "--no-pager", "--lines=20", f"--unit={unit}") + self.root.log()
