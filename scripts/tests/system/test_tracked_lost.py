"""Tracked placement: connections to members that are lost, and switches that have no room for connections."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from lab import balancing, processes
from lab.attached import loads
from lab.attached.loads import Requests
from malob.network.hosts import Host
from malob.system.processes import run
from malob.system.waiting import say, wait_until
from tests.system.base import UDP_PORT
from tests.system.real_networks import PORT, VIP, VIP6, RealNetworkTest

DATAGRAMS = Path(__file__).parent / "datagram_stream.py"
RATE = 50
#: of clients
LOCAL_PORT = 30_300
#: how long a client is observed after its member was found down
OBSERVED_S = 4
#: the default of the setting trackedZone
ZONE = 7777
REQUESTS = 60
ROOM = 20


@pytest.mark.real_time
class TrackedLostTest(RealNetworkTest):
    @classmethod
    def build(cls) -> None:
        cls.reach(cls.attached.host("c1"))

    def _check(self) -> None:
        """Has the members checked each second."""
        self.controller.rest.post(
            f"{balancing.BASE}/pools/real/health_monitors/", {"id": "check", "type": "PING", "delay": 1, "timeout": 1, "rise": 2, "fall": 2}
        )
        wait_until(lambda: set(self._health().values()) == {"up"}, "the members to be up", 10)

    def _health(self) -> dict[str, str]:
        members = self.controller.rest.get(f"{balancing.BASE}/pools/real/stats/")["members"]
        return {member["id"]: member["health"] for member in members}

    def _silence(self, host: Host, family: str) -> None:
        """Takes a host's address away: nothing answers, and no port goes down. It is back when the test ends."""
        address = self.on(host.name, "ip", "-o", family, "addr", "show", "dev", "eth0", "scope", "global").split()[3]
        self.addCleanup(self.on, host.name, "ip", family, "addr", "add", address, "dev", "eth0", *(["nodad"] if family == "-6" else []))
        self.on(host.name, "ip", family, "addr", "del", address, "dev", "eth0")

    def test_datagrams_of_a_member_that_is_killed(self) -> None:
        """a client with one port is served by another within the check and a second, and then by switches alone"""
        for number, (vip, family) in enumerate(((VIP, "-4"), (VIP6, "-6"))):
            with self.subTest(vip=vip):
                self.remove_virtual("real")
                virtual = self.virtual("real", vip, UDP_PORT, protocol="udp", placement=balancing.TRACKED, algorithm="WRR")
                balancing.wait_for_proactive(self.controller.rest, "real")
                self._check()
                command = processes.script(self.lab, "c1", DATAGRAMS, vip, str(UDP_PORT), str(LOCAL_PORT + number), str(RATE))
                client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                self.addCleanup(client.communicate)
                self.addCleanup(client.kill)
                assert client.stdout is not None
                first = client.stdout.readline().split()[1]
                member = self.member_of(virtual, first)
                time.sleep(1)
                self._silence(self.lab.topology.hosts[first], family)
                wait_until(lambda: self._health()[member] == "down", f"{member} to be down", 10, 0.05)
                down = time.monotonic()
                time.sleep(1)
                before = sum(self.packet_ins().values())
                time.sleep(OBSERVED_S)
                packet_ins = sum(self.packet_ins().values()) - before
                answers = [line.split() for line in client.communicate()[0].splitlines()]
                others = [float(at) for at, server, *_ in answers if server != first]
                self.assertTrue(others, f"only {first} has answered")
                say(f"  {vip}: answered by another {others[0] - down:.2f} s after the verdict, {len(others)} answers; {packet_ins:.0f} packet-ins")
                self.assertLess(others[0] - down, 1)
                self.assertGreater(len(others), 0.9 * RATE * OBSERVED_S)
                self.assertLess(packet_ins, RATE)
                self.controller.rest.delete(f"{balancing.BASE}/health_monitors/check")

    def test_full_table(self) -> None:
        """connections that the switch has no room for are placed by the controller, which says so within 10 s"""
        self.service(balancing.TRACKED, algorithm="WRR")
        self.assertEqual([], self._full())
        run(["ovs-appctl", "dpctl/ct-set-limits", f"zone={ZONE},limit={ROOM}"])
        self.addCleanup(run, ["ovs-appctl", "dpctl/ct-del-limits", f"zone={ZONE}"])
        before = sum(self.packet_ins().values())
        requests = self._requests()
        wait_until(self._full, "the problem to be shown", 10)
        say(f"  {requests}; {self._full()[0]}")
        # until members' switches follow the new rules, they have cached that replies are tracked: the first SYN-ACKs are dropped as unknown
        self.assertEqual(0, requests.failed, f"{requests}")
        self.assertLessEqual(requests.slow, REQUESTS / 10, f"{requests}")
        self.assertGreaterEqual(sum(self.packet_ins().values()) - before, REQUESTS - ROOM)
        self.assert_prompt(self._requests(), "full table")

    def _requests(self) -> Requests:
        return loads.each_once(self.attached.host("c1"), VIP, PORT, RATE, [self.lab.topology.hosts["c1"].ip] * REQUESTS)

    def _full(self) -> list[str]:
        """What the controller says about full tables."""
        return [each["problem"] for each in self.controller.rest.get("/wm/malob/problems") if each["reason"] == "tracking_full"]
