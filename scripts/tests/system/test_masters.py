"""Two controllers of a cluster, each connected to all switches of a real network: one is master, the other stands by."""

from __future__ import annotations

import os
import re
import signal
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lab import balancing, instance, processes
from lab.controller import Controller
from malob.network import topology
from malob.rest.client import RestError
from malob.system import ovs
from malob.system.ports import free_port
from malob.system.waiting import say, undisturbed, wait_until
from tests.system.base import NAME, SystemTest
from tests.system.test_adoption import PORT, Transfer
from tests.system.test_cluster import Cluster

LEASE_S = 3


@pytest.mark.needs("cluster")
@pytest.mark.real_time
class MastersTest(SystemTest):
    """The controllers are left, which joins first, and right."""

    left: Controller
    right: Controller
    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        cls.addClassCleanup(directory.cleanup)
        cls.addClassCleanup(cls._clean_up)
        cls.cluster = Cluster(Path(directory.name))
        ports = [free_port(), free_port()]
        cls.lab = instance.up(topology.load("mesh5"), NAME, f"127.0.0.1:{ports[0]}", owned=True)
        for switch in cls.lab.topology.switches:
            ovs.vsctl("set-controller", cls.lab.bridge(switch), *(f"tcp:127.0.0.1:{port}" for port in ports))
            # a controller that has ended is tried again soon
            for row in re.findall(r"[0-9a-f-]{36}", ovs.vsctl("get", "Bridge", cls.lab.bridge(switch), "controller")):
                ovs.vsctl("set", "Controller", row, "max_backoff=1000")
        folders = [Path(directory.name, name) for name in ("left", "right")]
        for folder in folders:
            folder.mkdir()
        cls.left, cls.right = (
            Controller(folder, port, free_port(), options=("--etcd", cls.cluster.endpoints, "--node", folder.name))
            for folder, port in zip(folders, ports)
        )
        cls.controller = cls.left
        cls.left.start()
        cls.right.start()
        for server in cls.lab.topology.with_role("server"):
            processes.start_responder(cls.lab, server.name, http=(80,))
        cls.wait_for_network()

    @classmethod
    def _clean_up(cls) -> None:
        with undisturbed():
            for name in ("left", "right"):
                if name in cls.__dict__:
                    cls.__dict__[name].stop()
            instance.remove_own(NAME)
            if "cluster" in cls.__dict__:
                cls.cluster.stop()

    def logs(self) -> list[Path]:
        """What is shown of a test that has failed (conftest.py)."""
        return [type(self).__dict__[name].log for name in ("left", "right") if name in type(self).__dict__]

    def setUp(self) -> None:
        super().setUp()
        # each test begins with both, and left as the master
        for controller in (self.left, self.right):
            if not controller.rest.answers():
                controller.start()
        self._wait_until_ready()
        if self._masters(self.left) != self._all("left"):
            self.right.rest.post("/wm/malob/cluster/handover", {})
        self._wait_for_master(self.left, "left", 5)
        wait_until(lambda: self._roles(self.right) == {"slave"}, "right to stand by", 5)
        self.controller = self.left

    def _all(self, name: str) -> Counter[str]:
        return Counter({name: len(self.lab.topology.switches)})

    def _cluster(self, controller: Controller) -> dict[str, Any]:
        return dict(controller.rest.get("/wm/malob/cluster")["cluster"])

    def _masters(self, controller: Controller) -> Counter[str]:
        return Counter(str(line["master"]) for line in self._cluster(controller)["switches"])

    def _roles(self, controller: Controller) -> set[str]:
        return {str(line["role"]) for line in self._cluster(controller)["switches"]}

    def _wait_until_ready(self) -> None:
        """Both are connected to all switches, and say so."""
        count = len(self.lab.topology.switches)
        wait_until(
            lambda: [node["switches"] for node in self._cluster(self.left)["nodes"]] == [count, count],
            "both controllers to be connected to all switches",
            30,
            detail=lambda: str(self._cluster(self.left)["nodes"]),
        )

    def _wait_for_master(self, controller: Controller, name: str, patience_s: float) -> float:
        begin = time.monotonic()
        wait_until(
            lambda: self._masters(controller) == self._all(name) and self._roles(controller) == {"master"},
            f"{name} to be master of all switches",
            patience_s,
            0.02,
            detail=lambda: str(self._cluster(controller)["switches"]),
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
        self.assertEqual({"slave"}, self._roles(self.right))
        self.right.wait_for(self.lab.topology)
        # what it sent before it stepped down may have been rejected
        known = self.right.log.stat().st_size
        time.sleep(10)  # longer than the lifetime of a link
        self.right.wait_for(self.lab.topology, 1)
        log = self.right.log.read_bytes()[known:].decode()
        self.assertNotIn("IS_SLAVE", log)
        self.assertNotIn("switch_error", log)
        self.assertEqual([], self._own_problems(self.right))

    def _own_problems(self, controller: Controller) -> list[dict[str, Any]]:
        """Those of switches and the cluster, not of the catalog."""
        return [found for found in controller.rest.get("/wm/malob/problems") if found["kind"] is None]

    def test_master_is_killed(self) -> None:
        """kill -9: open connections continue, and new ones are placed by the other within the lease and a second"""
        virtual = self.virtual("kill", "10.0.0.150", PORT, servers=[self.servers[1]])
        beside = self.virtual("beside", "10.0.0.151", 80)
        transfer = Transfer(self, "c1", self.servers[1].name, virtual.address)
        self.left.kill()
        self.controller = self.right
        took = self._wait_for_master(self.right, "right", LEASE_S + 2)
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
        os.kill(self.left.pid, signal.SIGSTOP)
        try:
            self.controller = self.right
            self._wait_for_master(self.right, "right", LEASE_S + 2)
            self._wait_until_served("c1", virtual.address)
            time.sleep(5)
        finally:
            os.kill(self.left.pid, signal.SIGCONT)
        wait_until(lambda: self._roles(self.left) == {"slave"}, "the former master to step down", 20, detail=lambda: str(self._cluster(self.left)))
        self.assertEqual(self._all("right"), self._masters(self.right))
        self.assertEqual(self.server_names, set(self.requests("c1", virtual.address, 80, 12)))

    def test_master_stops(self) -> None:
        """SIGTERM: it hands over first, and no request fails"""
        virtual = self.virtual("hand", "10.0.0.153", 80)
        thread, results = self._during(virtual.address, 10)
        time.sleep(2)
        self.left.stop()
        self.controller = self.right
        self.assertEqual(self._all("right"), self._masters(self.right))
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
                self.left.rest.post(f"{balancing.BASE}/vips/", {"id": "no", "address": "10.0.0.155"})
            self.assertEqual(503, refused.exception.status)
            self.assertEqual({"master"}, self._roles(self.left))
            self.assertEqual(["etcd_silent"], [found["reason"] for found in self._own_problems(self.left)])
        wait_until(lambda: not self._own_problems(self.left), "the problem to be gone", 10)
        self._wait_for_master(self.left, "left", 10)
