"""Members that are checked, or that leave their clients without an answer, with real servers that come and go."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from lab import balancing, processes
from lab.balancing import VirtualServer
from malob.network.hosts import Host
from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest

VIP = "10.0.0.131"
PORT = 8055
CLIENT = Path(__file__).parent / "connections.py"


@pytest.mark.beside
@pytest.mark.real_time
class HealthTest(SystemTest):
    topology_name = "single"

    def _serve(self, host: Host) -> subprocess.Popen[bytes]:
        command = self.lab.inside(host.name, [sys.executable, "-I", "-m", "http.server", str(PORT), "-d", "/"])
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self._end, server)
        wait_until(lambda: self.on(host.name, "ss", "-Htln", "sport", "=", f":{PORT}"), f"{host.name} to listen", 10)
        return server

    @staticmethod
    def _end(server: subprocess.Popen[bytes]) -> None:
        server.kill()
        server.wait()

    def _silence(self, host: Host) -> None:
        """Takes a host's address away: nothing answers, and no port goes down. It is back when the test ends."""
        address = self.on(host.name, "ip", "-o", "-4", "addr", "show", "dev", "eth0").split()[3]
        self.addCleanup(self.on, host.name, "ip", "addr", "add", address, "dev", "eth0")
        self.on(host.name, "ip", "addr", "del", address, "dev", "eth0")

    def _set_up(self) -> VirtualServer:
        return self.virtual("checked", VIP, 80, servers=self.servers[:2], member_port=PORT)

    def _check(self, virtual: VirtualServer, **more: Any) -> None:
        """Has the members checked, until the test ends. Returns when each has been asked."""
        self.controller.rest.post(
            f"{balancing.BASE}/pools/checked/health_monitors/", {"id": "check", "type": "TCP", "delay": 1, "timeout": 1, "rise": 2, "fall": 2, **more}
        )
        self.addCleanup(self.controller.rest.delete, f"{balancing.BASE}/health_monitors/check")
        time.sleep(2)
        for member in virtual.members:
            self._wait_for(member, "up", 1)

    def _member(self, member: str) -> dict[str, Any]:
        members = self.controller.rest.get(f"{balancing.BASE}/pools/checked/stats/")["members"]
        return next(each for each in members if each["id"] == member)

    def _wait_for(self, member: str, health: str, seconds: float) -> float:
        """Until the member's health is so, which it is after as many seconds as are returned."""
        began = time.monotonic()
        wait_until(lambda: self._member(member)["health"] == health, f"{member} to be {health}", seconds)
        return time.monotonic() - began

    def _connect(self, seconds: float, hold: int, timeout_s: float) -> subprocess.Popen[str]:
        """Starts connections.py on the client; returns when those that it holds are open."""
        client = subprocess.Popen(
            processes.script(self.lab, "c1", CLIENT, VIP, "80", "--hold", str(hold), "--seconds", str(seconds), "--timeout", str(timeout_s)),
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(client.kill)
        assert client.stdout is not None
        self.assertEqual("ready\n", client.stdout.readline())
        return client

    @staticmethod
    def _result(client: subprocess.Popen[str], since: float) -> tuple[list[float], float]:
        """By the client: when the connections that it held ended, and when the last new one failed; in seconds since then."""
        result = json.loads(client.communicate(timeout=30)[0])
        failed = [began for began, accepted in result["tried"] if not accepted]
        return [each - since for each in result["ended"]], max(failed, default=since) - since

    def test_server_that_ends_and_comes_back(self) -> None:
        """by TCP checks each second a server that has ended is down, and up again when it is back; clients get the other"""
        one, two = self.servers[:2]
        ending = self._serve(one)
        self._serve(two)
        virtual = self._set_up()
        self._check(virtual)
        member = self.member_of(virtual, one.name)
        self.assertEqual("", self.on(two.name, "ss", "-Htn", "state", "syn-recv"), "a check is reset at once")

        client = self._connect(4, 0, 0.5)
        killed = time.monotonic()
        self._end(ending)
        self._wait_for(member, "down", 4)
        before = self._member(member)["total_connections"]
        _, last = self._result(client, killed)
        say(f"  the last new connection that was refused began {last:.1f} s after the end")
        self.assertLess(last, 3)
        self.assertEqual(before, self._member(member)["total_connections"])

        self._serve(one)
        say(f"  up after {self._wait_for(member, 'up', 5):.1f} s")

    def test_machine_that_falls_silent(self) -> None:
        """connections to a server whose machine has gone silent are reset as soon as its checks have failed"""
        one, two = self.servers[:2]
        self._serve(one)
        self._serve(two)
        virtual = self._set_up()
        self._check(virtual)
        client = self._connect(5, 6, 0.5)
        silent = time.monotonic()
        self._silence(one)
        self._wait_for(self.member_of(virtual, one.name), "down", 5)
        ended, last = self._result(client, silent)
        say(
            f"  the last new connection without an answer began after {last:.1f} s, open ones were reset after {min(ended):.1f} to {max(ended):.1f} s"
        )
        self.assertEqual(3, len(ended), "those to the other server go on")
        self.assertLess(max([*ended, last]), 4.5)

    def test_server_with_the_address_of_the_vip(self) -> None:
        virtual = self._set_up()
        host = self.servers[0]
        member = self.member_of(virtual, host.name)
        self.on(host.name, "ip", "addr", "add", f"{VIP}/32", "dev", "lo")
        self.addCleanup(self.on, host.name, "ip", "addr", "del", f"{VIP}/32", "dev", "lo")
        for each in self.servers[:2]:
            self._serve(each)
        self.controller.rest.post(
            f"{balancing.BASE}/pools/checked/health_monitors/", {"id": "check", "type": "TCP", "delay": 1, "timeout": 1, "fall": 3}
        )
        self.addCleanup(self.controller.rest.delete, f"{balancing.BASE}/health_monitors/check")
        self._wait_for(member, "down", 10)
        problems = self.controller.rest.get("/wm/malob/problems")
        self.assertEqual([True], [f"has the address {VIP} itself" in each["remedy"] for each in problems if each["reason"] == "down"])

        self.controller.rest.post(f"{balancing.BASE}/vips/", {"id": "checks", "address": "10.0.0.132"})
        self.addCleanup(self.controller.rest.delete, f"{balancing.BASE}/vips/checks")

        took = self._wait_for(member, "up", 15)
        say(f"a server that has the VIP's address was up {took:.1f} s after another VIP was added")
        time.sleep(5)
        self.assertEqual(["up", "up"], [self._member(each)["health"] for each in virtual.members])

    def test_silence_without_a_monitor(self) -> None:
        """a server that gives clients no answer gets no new connections for a while, though nobody checks it"""
        one, two = self.servers[:2]
        self._serve(one)
        self._serve(two)
        virtual = self._set_up()
        member = self.member_of(virtual, one.name)
        client = self._connect(4, 0, 4)
        silent = time.monotonic()
        self._silence(one)
        self._wait_for(member, "ejected", 6)
        _, last = self._result(client, silent)
        say(f"  the last new connection without an answer began after {last:.1f} s")
        self.assertEqual("no_reply", self._member(member)["ejected"]["why"])
        self.assertEqual("unchecked", self._member(self.member_of(virtual, two.name))["health"])
        self.assertLess(last, 4)
