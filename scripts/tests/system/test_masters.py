"""Two controllers of a cluster, each connected to all switches of a real network: one is master, the other stands by."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from typing import Any

from lab import balancing
from lab.controller import Controller
from malob.rest.client import RestError
from malob.system.waiting import say, wait_until
from tests.system.test_adoption import PORT, Transfer
from tests.system.two_controllers import TwoControllersTest

LEASE_S = 3


class MastersTest(TwoControllersTest):
    """The policy "single"."""

    def setUp(self) -> None:
        super().setUp()
        # each test begins with east as the master
        if self.masters(self.east) != self.all_switches("east"):
            known = self.west.log.stat().st_size
            self.west.rest.post("/wm/malob/cluster/handover", {})
            # a controller that has handed all switches over starts anew
            wait_until(lambda: b"controller_ready" in self.west.log.read_bytes()[known:], "west to start anew", 15)
        self._wait_for_master(self.east, "east", 5)
        wait_until(lambda: self.roles(self.west) == {"slave"}, "west to stand by", 10)
        self.controller = self.east

    def _wait_for_master(self, controller: Controller, name: str, patience_s: float) -> float:
        begin = time.monotonic()
        wait_until(
            lambda: self.masters(controller) == self.all_switches(name) and self.roles(controller) == {"master"},
            f"{name} to be master of all switches",
            patience_s,
            0.02,
            detail=lambda: str(self.cluster_of(controller)["switches"]),
        )
        return time.monotonic() - begin

    def _wait_until_served(self, client: str, address: str) -> None:
        """A new master has to locate hosts first, the more the less it has heard as standby."""
        wait_until(lambda: set(self.requests(client, address, 80, 12)) == self.server_names, f"{client} to be served by all", 20)

    def _during(self, address: str, seconds: float) -> tuple[threading.Thread, list[Counter[str]]]:
        """Requests of a client meanwhile."""
        results: list[Counter[str]] = []
        thread = threading.Thread(target=lambda: results.append(self.requests("c1", address, 80, int(20 * seconds), 20)))
        thread.start()
        return thread, results

    # --- the tests -------------------------------------------------------------------------------

    def test_standby_is_warm_and_silent(self) -> None:
        """it knows switches, links and hosts, sends nothing that a switch rejects, and reports no problem"""
        self.assertEqual({"slave"}, self.roles(self.west))
        self.west.wait_for(self.lab.topology)
        # what it sent before it stepped down may have been rejected
        known = self.west.log.stat().st_size
        time.sleep(10)  # longer than the lifetime of a link
        self.west.wait_for(self.lab.topology, 1)
        log = self.west.log.read_bytes()[known:].decode()
        self.assertNotIn("IS_SLAVE", log)
        self.assertNotIn("switch_error", log)
        self.assertEqual([], self._own_problems(self.west))

    def _own_problems(self, controller: Controller) -> list[dict[str, Any]]:
        """Those of switches and the cluster, not of the catalog."""
        return [found for found in controller.rest.get("/wm/malob/problems") if found["kind"] is None]

    def _accepts_writes(self) -> bool:
        try:
            self.east.rest.put(f"{balancing.BASE}/vips/quorum", {"name": "stored"})
        except RestError as refused:
            self.assertEqual(503, refused.status)
            return False
        return True

    def test_master_is_killed(self) -> None:
        """kill -9: open connections continue, and new ones are placed by the other within the lease and a second"""
        virtual = self.virtual("kill", "10.0.0.150", PORT, servers=[self.servers[1]])
        beside = self.virtual("beside", "10.0.0.151", 80)
        transfer = Transfer(self, "c1", self.servers[1].name, virtual.address)
        self.east.kill()
        self.controller = self.west
        took = self._wait_for_master(self.west, "west", LEASE_S + 2)
        say(f"taken over after {took:.2f} s")
        self._wait_until_served("c2", beside.address)
        transfer.wait_for_more(5_000_000)
        wait_until(lambda: self._active(virtual) == 1, "the connection to be counted", 10)
        sent, got = transfer.finish()
        self.assertIsNone(got["error"])
        self.assertEqual(sent, got)

    def _active(self, virtual: balancing.VirtualServer) -> int:
        pool = self.controller.rest.get(f"{balancing.BASE}/pools/{virtual.pool_id}/stats/")
        return int(pool["active_connections"])

    def test_suspended_master_is_rejected(self) -> None:
        """SIGSTOP for longer than the lease: the other takes over; the former master steps down when it goes on"""
        virtual = self.virtual("stop", "10.0.0.152", 80)
        os.kill(self.east.pid, signal.SIGSTOP)
        try:
            self.controller = self.west
            self._wait_for_master(self.west, "west", LEASE_S + 2)
            self._wait_until_served("c1", virtual.address)
            time.sleep(5)
        finally:
            os.kill(self.east.pid, signal.SIGCONT)
        wait_until(lambda: self.roles(self.east) == {"slave"}, "the former master to step down", 20, detail=lambda: str(self.cluster_of(self.east)))
        self.assertEqual(self.all_switches("west"), self.masters(self.west))
        self.assertEqual(self.server_names, set(self.requests("c1", virtual.address, 80, 12)))

    def test_master_stops(self) -> None:
        """SIGTERM: it hands over first, and no request fails"""
        virtual = self.virtual("hand", "10.0.0.153", 80)
        thread, results = self._during(virtual.address, 10)
        time.sleep(2)
        self.east.stop()
        self.controller = self.west
        self.assertEqual(self.all_switches("west"), self.masters(self.west))
        thread.join()
        say(f"requests: {dict(results[0])}")
        self.assertEqual(self.server_names, set(results[0]))

    def test_cluster_without_quorum(self) -> None:
        """connections are placed, REST writes get 503, and a switch that reconnects gets its master back"""
        virtual = self.virtual("quorum", "10.0.0.154", 80)
        with self.cluster.without_quorum():
            time.sleep(LEASE_S + 2)
            self.assertEqual(self.server_names, set(self.requests("c1", virtual.address, 80, 12)))
            with self.assertRaises(RestError) as refused:
                self.east.rest.post(f"{balancing.BASE}/vips/", {"id": "no", "address": "10.0.0.155"})
            self.assertEqual(503, refused.exception.status)
            self.assertEqual({"master"}, self.roles(self.east))
            self.assertEqual(["etcd_silent"], [found["reason"] for found in self._own_problems(self.east)])
        wait_until(lambda: not self._own_problems(self.east), "the problem to be gone", 10)
        wait_until(self._accepts_writes, "the pause after the failed write to end", 5)
        self._wait_for_master(self.east, "east", 10)
