"""A flood of SYNs from forged addresses, on a real switch."""

from __future__ import annotations

import json
import sys
import time

from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest

ATTACKED = "10.0.0.141"
OTHER = "10.0.0.142"
PORT = 8060
MAX_HALF_OPEN = 300
FLOOD_S = 4


class StormTest(SystemTest):
    topology_name = "single"
    properties = {
        "io.malob.balancer.BalancerModule.maxHalfOpen": str(MAX_HALF_OPEN),
        "io.malob.balancer.BalancerModule.floodPerSecond": "500",
    }

    def test_flood_of_syns(self) -> None:
        """one VIP is flooded: its open connection goes on, another VIP answers, new ones get through once the flood's last rules have ended"""
        server = self.servers[0]
        self.talker(server.name, "serve", server.name, str(PORT))
        wait_until(lambda: self.on(server.name, "ss", "-Htln", "sport", "=", f":{PORT}"), "the server to listen", 10)
        self.virtual("attacked", ATTACKED, PORT, servers=[server], member_port=PORT)
        self.virtual("other", OTHER, 80, servers=[server])
        holding = self.talker("c1", "hold", ATTACKED, str(PORT), "--every", "0.05")
        assert holding.stdout is not None and holding.stdin is not None
        self.assertIn("local", json.loads(holding.stdout.readline()))

        flood = self.flood(self.servers[1].name, ATTACKED, str(PORT), "--seconds", str(FLOOD_S))
        answers = self.requests("c1", OTHER, 80, 3 * 20, rate=20)
        open_now = self.controller.rest.get("/wm/malob/counters")["open_connections"]
        sent = int(flood.communicate()[0])
        began = time.monotonic()
        self.on("c1", sys.executable, "-I", "-c", f"import socket; socket.create_connection(('{ATTACKED}', {PORT}), 15).close()")
        recovered = time.monotonic() - began
        said = [json.loads(line) for line in holding.communicate("quit\n")[0].splitlines()]

        refused = self.controller.rest.get("/wm/malob/refusals")["half_open"]
        say(f"  {sent} SYNs, {refused} refused, {open_now} open, connected {recovered:.2f} s after")
        self.assertEqual({server.name}, set(answers), "all are answered")
        self.assertEqual(3 * 20, sum(answers.values()))
        self.assertEqual("quit", said[-1].get("end"), "it was not reset")
        self.assertGreater(len(said), 20)
        self.assertGreater(sent, 10 * MAX_HALF_OPEN)
        self.assertLess(open_now, MAX_HALF_OPEN + 3 * 20 + 2)
