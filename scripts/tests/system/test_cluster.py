"""Several controllers on a real etcd of three servers, without switches."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lab.balancing import BASE
from lab.controller import Controller
from malob.errors import ScriptError
from malob.rest.client import RestError
from malob.system.place import ROOT
from malob.system.ports import free_port
from malob.system.processes import bound_to_us
from malob.system.waiting import say, undisturbed, wait_until

SERVERS = 3
_STATIC = "/wm/staticentrypusher/json"
#: If the leader of etcd was killed, an election takes one to two seconds, twice if votes are split, and a request that is lost takes two.
_ELECTION_S = 6


class Cluster:
    """./malob cluster, as users run it."""

    def __init__(self, directory: Path) -> None:
        self.log = directory / "cluster.log"
        # a test process that does not see these processes takes their directory for that of a run that was killed
        environment = {**os.environ, "TMPDIR": str(directory)}
        with open(self.log, "ab") as log:
            self._command = subprocess.Popen(
                bound_to_us([str(ROOT / "malob"), "cluster"]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment,
            )
        assert self._command.stdout is not None
        words = self._command.stdout.readline().split()
        if words[:1] != ["--etcd"]:
            raise ScriptError(f"no etcd: {self.log.read_text()}")
        self.endpoints = words[1]
        self._processes = [int(pid) for pid in re.findall(r"etcd-\d: .* process (\d+),", self.log.read_text())]
        self._ended: list[int] = []

    def kill(self, number: int) -> None:
        """As abruptly as a power cut."""
        os.kill(self._processes[number], signal.SIGKILL)
        self._ended.append(number)

    @contextmanager
    def without_quorum(self) -> Iterator[None]:
        """Inside, one server is left that does anything."""
        frozen = [self._processes[number] for number in range(SERVERS) if number not in self._ended][: SERVERS - 1 - len(self._ended)]
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in frozen:
                os.kill(pid, signal.SIGCONT)

    def stop(self) -> None:
        self._command.terminate()
        self._command.communicate(timeout=30)


@pytest.mark.needs("cluster")
@pytest.mark.long
@pytest.mark.real_time
class ClusterTest(unittest.TestCase):
    """Two controllers, each of which shows what the other one has changed."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        self.addCleanup(directory.cleanup)
        self.cluster = Cluster(Path(directory.name))
        self.addCleanup(self._stop)
        self.controllers: list[Controller] = []
        for name in ("left", "right"):
            folder = Path(directory.name, name)
            folder.mkdir()
            options = ("--etcd", self.cluster.endpoints, "--node", name)
            self.controllers.append(Controller(folder, free_port(), free_port(), options=options))
            self.controllers[-1].start()
        self.left, self.right = self.controllers

    def _stop(self) -> None:
        with undisturbed():
            for controller in self.controllers:
                controller.stop()
            self.cluster.stop()

    def logs(self) -> Sequence[Path]:
        """What is shown of a test that has failed (conftest.py)."""
        return [self.cluster.log, *(controller.log for controller in self.controllers)]

    def test_change_is_shown_by_the_other_controller(self) -> None:
        """within a second, and survives kill -9 of the controller that has acknowledged it"""
        self._add(self.left, "one")
        self._shows(self.right, {"one"}, 1)
        self._add(self.right, "two")
        self._shows(self.left, {"one", "two"}, 1)
        self._add(self.left, "three")
        self.left.kill()
        self._shows(self.right, {"one", "two", "three"}, 1)
        self.left.start()
        self.assertEqual({"one", "two", "three"}, self._vips(self.left))
        self.assertEqual([], list(self.left.data.glob("*.json")), "nothing is in files")

    def test_of_concurrent_changes_with_one_tag_one_is_made(self) -> None:
        self._add(self.left, "vip")
        self._shows(self.right, {"vip"}, 1)
        for turn in range(20):
            path = f"{BASE}/vips/vip"
            tags = {controller.rest.ask("GET", path).etag or "" for controller in self.controllers}
            self.assertEqual(1, len(tags))
            results: dict[str, int] = {}
            start = threading.Barrier(2)

            def change(controller: Controller, name: str, tag: str) -> None:
                start.wait()
                try:
                    controller.rest.ask("PUT", path, {"name": name}, {"If-Match": tag})
                    results[name] = 200
                except RestError as refused:
                    results[name] = refused.status

            threads = [
                threading.Thread(target=change, args=(controller, f"{number}-{turn}", next(iter(tags))))
                for number, controller in enumerate(self.controllers)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            made = [name for name, status in results.items() if status == 200]
            self.assertEqual(1, len(made), results)
            self.assertLessEqual(set(results.values()), {200, 409, 412})
            wait_until(lambda: all(self._name(controller) == made[0] for controller in self.controllers), f"both to show {made[0]}", 1, 0.02)

    def test_acknowledged_writes_survive_kills(self) -> None:
        """Clients create the same names at both controllers, while a controller and a server of etcd are killed"""
        made: list[tuple[str, str]] = []
        statuses: set[int] = set()
        ends = threading.Event()

        def create(controller: Controller, path: str, fields: dict[str, str]) -> None:
            try:
                controller.rest.post(path, fields)
                made.append((path, fields.get("id") or fields["name"]))
            except RestError as refused:
                statuses.add(refused.status)

        def write(controller: Controller, name: str) -> None:
            turn = 0
            while not ends.is_set():
                create(controller, f"{BASE}/pools/", {"id": f"same-{turn}"})
                create(controller, f"{BASE}/pools/", {"id": f"{name}-{turn}"})
                create(controller, _STATIC, {"switch": "1", "name": f"{name}-{turn}", "priority": str(turn % 1000)})
                turn += 1
                time.sleep(0.1)  # other tests run on the same disk

        clients = [threading.Thread(target=write, args=(self.controllers[number % 2], f"client{number}")) for number in range(4)]
        for client in clients:
            client.start()
        time.sleep(1)
        self.cluster.kill(0)
        time.sleep(1.5)
        self.left.kill()
        time.sleep(0.5)
        self.left.start()
        time.sleep(0.5)
        ends.set()
        for client in clients:
            client.join()
        say(f"  {len(made)} writes acknowledged; refusals: {sorted(statuses)}")
        # 0: the connection broke; 503: a leader of etcd was missing for a moment
        self.assertLessEqual(statuses, {0, 409, 503})
        self.assertIn(409, statuses)
        self.assertGreater(len(made), 100)
        self.assertEqual(len(made), len(set(made)), "each name is created once")
        pools = {name for path, name in made if path != _STATIC}
        entries = {name for path, name in made if path == _STATIC}
        for controller in self.controllers:
            wait_until(lambda: pools <= self._pools(controller), "all acknowledged pools", 1, 0.05)
            wait_until(lambda: entries <= self._entries(controller), "all acknowledged static entries", 1, 0.05)
        self.assertEqual(self._pools(self.left), self._pools(self.right))
        self.assertEqual(self._entries(self.left), self._entries(self.right))

    def _pools(self, controller: Controller) -> set[str]:
        return {pool["id"] for pool in controller.rest.get_all(f"{BASE}/pools/")}

    def _entries(self, controller: Controller) -> set[str]:
        return {name for entries in controller.rest.get(_STATIC).values() for entry in entries for name in entry}

    def test_servers_of_etcd_fail(self) -> None:
        """one: changes go on; a quorum: changes get 503 within seconds, reads go on, and after it all works"""
        self._add(self.left, "before")
        self.cluster.kill(0)
        for number, controller in enumerate(self.controllers * 2):
            self._add(controller, f"vip-{number}", patience_s=_ELECTION_S)
        expected = {"before", "vip-0", "vip-1", "vip-2", "vip-3"}
        for controller in self.controllers:
            self._shows(controller, expected, 5)
        with self.cluster.without_quorum():
            for controller in self.controllers:
                begun = time.monotonic()
                with self.assertRaises(RestError) as refused:
                    self._add(controller, f"late-{controller.http_port}")
                taken_s = time.monotonic() - begun
                say(f"  {refused.exception.status} after {taken_s:.1f} s: {refused.exception.sentence}")
                self.assertEqual(503, refused.exception.status)
                self.assertIn("etcd has no quorum or cannot be reached", refused.exception.sentence)
                self.assertLess(taken_s, 6)
            self._many_changes_are_refused(expected)
        for controller in self.controllers:
            self._add(controller, f"after-{controller.http_port}", patience_s=10)
        wait_until(lambda: self._vips(self.left) == self._vips(self.right), "both to show the same", 5)
        # what was answered with 503 may have been made
        self.assertLessEqual(expected | {f"after-{controller.http_port}" for controller in self.controllers}, self._vips(self.left))

    def _many_changes_are_refused(self, expected: set[str]) -> None:
        """More clients change something than the controller has threads for requests: all get an answer in time, and then reads do."""
        statuses: list[int] = []

        def change(number: int) -> None:
            try:
                self.left.rest.post(f"{BASE}/pools/", {"id": f"pool-{number}"})
            except RestError as refused:
                statuses.append(refused.status)

        clients = [threading.Thread(target=change, args=(number,)) for number in range(40)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        self.assertEqual([503] * len(clients), statuses)
        for controller in self.controllers:
            begun = time.monotonic()
            self.assertEqual(expected, self._vips(controller))
            self.assertLess(time.monotonic() - begun, 1)

    def _add(self, controller: Controller, vip: str, patience_s: float = 0) -> None:
        """Adds a VIP; with patience it tries again after 412 and 503."""
        self._added = getattr(self, "_added", 0) + 1
        fields = {"id": vip, "name": vip, "protocol": "tcp", "address": f"10.0.1.{self._added}", "port": "80"}
        deadline = time.monotonic() + patience_s
        while True:
            try:
                controller.rest.post(f"{BASE}/vips/", fields)
                return
            except RestError as refused:
                if refused.status not in (412, 503) or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _vips(self, controller: Controller) -> set[Any]:
        return {vip["id"] for vip in controller.rest.get(f"{BASE}/vips/")}

    def _name(self, controller: Controller) -> str:
        return str(controller.rest.get(f"{BASE}/vips/vip")["name"])

    def _shows(self, controller: Controller, expected: set[str], within_s: float) -> None:
        wait_until(
            lambda: self._vips(controller) == expected, f"the controller to show {expected}", within_s, 0.02, lambda: f"{self._vips(controller)}"
        )
