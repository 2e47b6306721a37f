"""A VIP whose buckets place connections in a flood, and the controller before and after, on real switches."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from lab import balancing, processes
from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest, needs_idle_machine

FLOODED, OTHER = "10.0.0.141", "10.0.0.142"
PORT = 8060
MAX_HALF_OPEN = 2000
AUTO_PER_S, CALM_S, MOVE_S = 300, 5, 2
FLOOD_S = 7
#: Many times what makes the VIP busy, but not all that a core can do: switches and hosts share it.
FLOOD_PER_S = 10_000
MAX_CHANGE_S = 2
#: less than a retransmission of a SYN: switches, hosts and the flood share the machine
MAX_P99_MS = 900
POLL_S = 0.1
_SETTINGS = "io.malob.balancer.BalancerModule."
#: The pauses of open connections in seconds: one that always talks, and those that are silent around a change.
PAUSES_S = (0.05, 2, 4)


@needs_idle_machine
@pytest.mark.real_time
class AutoTest(SystemTest):
    topology_name = "mesh5"
    properties = {
        _SETTINGS + "maxHalfOpen": str(MAX_HALF_OPEN),
        _SETTINGS + "floodPerSecond": "500",
        _SETTINGS + "autoPerSecond": str(AUTO_PER_S),
        _SETTINGS + "autoCalmSeconds": str(CALM_S),
        _SETTINGS + "bucketMoveSeconds": str(MOVE_S),
    }

    def test_flood_from_forged_addresses(self) -> None:
        """SYNs from addresses that do not exist, from the second client's host"""
        self._check(lambda: self.flood("c2", FLOODED, str(PORT), "--seconds", str(FLOOD_S), "--rate", str(FLOOD_PER_S)))

    def test_flood_from_a_client(self) -> None:
        """many connections of a real client, one after the other, 50 at a time"""
        self._check(lambda: self._connecting("c2"))

    def _connecting(self, client: str) -> subprocess.Popen[str]:
        program = (
            "import socket, sys, threading, time\n"
            "end = time.monotonic() + float(sys.argv[3])\n"
            "counts = []\n"
            "def run():\n"
            "    count = 0\n"
            "    while time.monotonic() < end:\n"
            "        with socket.socket() as it:\n"
            "            it.settimeout(2)\n"
            "            count += it.connect_ex((sys.argv[1], int(sys.argv[2]))) == 0\n"
            "    counts.append(count)\n"
            "threads = [threading.Thread(target=run) for _ in range(50)]\n"
            "[each.start() for each in threads]\n"
            "[each.join() for each in threads]\n"
            "print(sum(counts))\n"
        )
        command = self.lab.inside(client, [sys.executable, "-I", "-c", program, FLOODED, str(PORT), str(FLOOD_S)])
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def _state(self) -> str:
        return str(next(vip["tracking"] for vip in balancing.placement_state(self.controller.rest) if vip["vip_id"] == "flooded"))

    def _check(self, start_flood: Any) -> None:
        for server in self.servers:
            self.talker(server.name, "serve", server.name, str(PORT))
            wait_until(lambda name=server.name: self.on(name, "ss", "-Htln", "sport", "=", f":{PORT}"), f"{server.name} to listen", 10)  # type: ignore[misc]
        self.virtual("flooded", FLOODED, PORT, placement=balancing.AUTO)
        self.virtual("other", OTHER, 80)
        holding = [self.talker("c1", "hold", FLOODED, str(PORT), "--every", str(pause)) for pause in PAUSES_S]
        for each in holding:
            assert each.stdout is not None
            self.assertIn("local", json.loads(each.stdout.readline()))
        # now the client is known, so that its switch gets buckets
        balancing.wait_for_proactive(self.controller.rest, "flooded")
        self.assertEqual("exact", self._state())

        requester = subprocess.Popen(
            processes.script(self.lab, "c1", processes.REQUESTER, OTHER, "80", "--rate", "20", "--seconds", str(FLOOD_S + CALM_S)),
            stdout=subprocess.PIPE,
            text=True,
        )
        states: list[tuple[float, str]] = []
        open_counts: list[int] = []
        over = threading.Event()
        began = time.monotonic()
        flood = start_flood()
        watching = threading.Thread(target=self._watch, args=(began, states, open_counts, over))
        watching.start()
        try:
            sent = int(flood.communicate()[0])
            flooded_s = time.monotonic() - began
            requests = [json.loads(line) for line in requester.communicate()[0].splitlines()]
            wait_until(lambda: self._state() == "exact", "the controller to choose again", CALM_S + 15)
            exact_s = time.monotonic() - began - flooded_s
            time.sleep(max(PAUSES_S))
        finally:
            over.set()
            watching.join()
        said = [[json.loads(line) for line in each.communicate("quit\n")[0].splitlines()] for each in holding]

        shares_s = next((at for at, state in states if state == "shares"), None)
        latencies = sorted(request["ms"] for request in requests if "ms" in request)
        p99_ms = latencies[int(0.99 * len(latencies))]
        say(
            f"  {sent} in {flooded_s:.1f} s; shares after {shares_s} s, exact {exact_s:.1f} s after its end;"
            f" the other VIP: {len(requests)} requests, p99 {p99_ms:.1f} ms; at most {max(open_counts)} open connections"
        )
        self.assertGreater(sent, AUTO_PER_S * FLOOD_S / 2)
        assert shares_s is not None
        self.assertLess(shares_s, MAX_CHANGE_S)
        during = {state for at, state in states if shares_s < at < flooded_s}
        self.assertEqual({"shares"}, during, "it does not change back in the flood")
        self.assertEqual([], [request for request in requests if "server" not in request], "the other VIP answers all")
        self.assertGreater(len(requests), 20 * FLOOD_S)
        self.assertLess(p99_ms, MAX_P99_MS)
        self.assertEqual(["quit"] * len(PAUSES_S), [each[-1].get("end") for each in said], "no open connection was reset")
        for lines in said:
            self.assertEqual(1, len({line["by"] for line in lines if "by" in line}), "always the same server")
        self.assertLess(max(open_counts), MAX_HALF_OPEN + len(requests) + len(PAUSES_S))

    def _watch(self, began: float, states: list[tuple[float, str]], open_counts: list[int], over: threading.Event) -> None:
        while not over.wait(POLL_S):
            states.append((round(time.monotonic() - began, 2), self._state()))
            open_counts.append(self.controller.rest.get("/wm/malob/counters")["open_connections"])
