"""Connections that the balancer ends: real hosts learn it at once."""

from __future__ import annotations

import subprocess
import sys
import time

from lab import balancing
from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest

VIP = "10.0.0.122"
IDLE_S = 2

#: connects, says so, and waits for whatever comes
WAITING = """
import socket, sys, time
with socket.create_connection((sys.argv[1], 80), 10) as s:
    print("connected", flush=True)
    s.settimeout(9)
    try:
        print("data", s.recv(1000))
    except OSError as error:
        print(type(error).__name__, time.monotonic())
"""


class ClosingTest(SystemTest):
    properties = {"io.malob.balancer.BalancerModule.idleTimeoutTcp": str(IDLE_S)}

    def _waiting(self, host: str) -> subprocess.Popen[str]:
        """A client that has connected and only waits."""
        command = self.lab.inside(host, [sys.executable, "-I", "-c", WAITING, VIP])
        client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.addCleanup(client.wait)
        assert client.stdout is not None
        self.addCleanup(client.stdout.close)
        self.assertEqual("connected", client.stdout.readline().strip())
        return client

    def _assert_reset(self, client: subprocess.Popen[str], since: float) -> None:
        assert client.stdout is not None
        outcome, _, at = client.stdout.readline().strip().partition(" ")
        self.assertEqual("ConnectionResetError", outcome)
        say(f"  reset after {1000 * (float(at) - since):.0f} ms")

    def _assert_gone(self) -> None:
        """No server has a connection with a client any more."""
        for server in self.servers:
            wait_until(
                lambda: not self.on(server.name, "ss", "-Htn", "state", "established", "sport", "=", ":80"),
                f"{server.name} to have no connection",
                2,
            )

    def _end(self, key: str, what: str) -> float:
        began = time.monotonic()
        self.controller.rest.delete(f"{balancing.BASE}/{what}")
        say(f"  {key}: deletion answered after {1000 * (time.monotonic() - began):.0f} ms")
        return began

    def test_deleted_member(self) -> None:
        """both ends of an open and of a dormant connection are reset when their member is deleted"""
        virtual = self.virtual("gone", VIP, 80, servers=self.servers[:1])
        dormant = self._waiting("c1")
        wait_until(lambda: sum(balancing.open_connections(self.controller.rest, virtual).values()) == 0, "the connection to fall asleep", IDLE_S + 3)
        awake = self._waiting("c2")
        began = self._end("member", f"members/{next(iter(virtual.members))}")
        self._assert_reset(awake, began)
        self._assert_reset(dormant, began)
        self._assert_gone()

    def test_deleted_vip(self) -> None:
        """both ends are reset when their VIP is deleted"""
        self.virtual("gone", VIP, 80)
        clients = [self._waiting(host) for host in ("c1", "c2", "c1")]
        began = self._end("VIP", "vips/gone")
        for client in clients:
            self._assert_reset(client, began)
        self._assert_gone()
