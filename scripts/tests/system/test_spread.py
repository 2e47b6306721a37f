"""Two controllers that are each master of some switches of a real network (mastership "spread")."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

from lab import balancing, processes
from lab.controller import Controller
from lab.faults import ownership
from malob.system.place import ROOT
from malob.system.processes import run
from malob.system.waiting import say, wait_until
from tests.system.test_adoption import PORT, Transfer
from tests.system.two_controllers import TwoControllersTest

CLIENT = Path(__file__).parent / "connections.py"

#: TCP repeats a SYN after one second, and again after two more: max one may be lost.
CONNECT_S = 2.5
AGREE_S = 5


class SpreadTest(TwoControllersTest):
    """c1 and w1 are behind switches of west, the others behind those of east."""

    def test_moves_and_failure(self) -> None:
        """single, spread, and the end of a controller, with transfers over switches of both that last all the time"""
        w1, w2, _ = self.servers
        there, back = (
            self.virtual(f"to-{server.name}", address, PORT, servers=[server]) for server, address in ((w2, "10.0.0.160"), (w1, "10.0.0.161"))
        )
        web = self.virtual("web", "10.0.0.162", 80)
        transfers = [Transfer(self, "c1", w2.name, there.address)]

        self._spread()
        transfers[0].wait_for_more(3_000_000)
        transfers.append(Transfer(self, "c2", w1.name, back.address))
        for name in ("c1", "c2"):
            self.assertEqual(self.server_names, set(self.requests(name, web.address, 80, 30)), name)
        for controller in (self.east, self.west):
            self._agrees(controller)
            self.assertEqual([1, 1], [self._active(controller, each) for each in (there, back)])

        clients = [self._connect_all_the_time(name, web.address, seconds=6) for name in ("c1", "c2")]
        time.sleep(1)
        self.west.kill()
        begin = time.monotonic()
        wait_until(lambda: self._held(self.east) == set(self.lab.topology.switches), "east to be master of all switches", 5, 0.02)
        say(f"  taken over after {time.monotonic() - begin:.2f} s")
        self._agrees(self.east)
        for client in clients:
            tried = self._result(client)["tried"]
            self.assertGreater(len(tried), 100)
            self.assertEqual([], [when for when, accepted in tried if not accepted])
        for transfer in transfers:
            transfer.wait_for_more(3_000_000)
            sent, got = transfer.finish()
            self.assertIsNone(got["error"])
            self.assertEqual(sent, got)
        self._agrees(self.east)

    def _spread(self) -> None:
        """As users do it. Returns when each controller is master of its share."""
        run([str(ROOT / "malob"), "cluster", "mastership", "spread", "--url", f"http://127.0.0.1:{self.west.http_port}"], 20)
        begin, wests = time.monotonic(), set(self.MESH5_WEST)
        wait_until(
            lambda: self._held(self.west) == wests and self._held(self.east) == set(self.lab.topology.switches) - wests,
            "the masters that are preferred",
            20,
            0.05,
            detail=lambda: str([self.cluster_of(each)["switches"] for each in (self.east, self.west)]),
        )
        say(f"  shared after {time.monotonic() - begin:.1f} s")

    def _held(self, controller: Controller) -> set[str]:
        """The switches of which it is master by its own account."""
        names = {dpid: name for name, dpid in self.lab.topology.switches.items()}
        return {names[line["switch"]] for line in self.cluster_of(controller)["switches"] if line["role"] == "master"}

    def _agrees(self, controller: Controller) -> None:
        """The switches have exactly the rules that the controller shows."""
        wait_until(
            lambda: not self._differences(controller), "rules and REST to agree", AGREE_S, detail=lambda: str(self._differences(controller)[:5])
        )

    def _differences(self, controller: Controller) -> list[str]:
        return ownership.differences(self.lab, controller.rest)

    def _active(self, controller: Controller, virtual: balancing.VirtualServer) -> int:
        return sum(balancing.open_connections(controller.rest, virtual).values())

    def _connect_all_the_time(self, host: str, address: str, seconds: float) -> subprocess.Popen[str]:
        arguments = (address, "80", "--every", "0.05", "--timeout", str(CONNECT_S), "--seconds", str(seconds))
        client = subprocess.Popen(processes.script(self.lab, host, CLIENT, *arguments), stdout=subprocess.PIPE, text=True)
        self.addCleanup(processes.end, client)
        return client

    def _result(self, client: subprocess.Popen[str]) -> dict[str, Any]:
        words, _ = client.communicate(timeout=30)
        return dict(json.loads(words.splitlines()[-1]))
