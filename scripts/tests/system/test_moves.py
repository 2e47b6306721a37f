"""A long download is led over a better path while it goes on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from lab import balancing
from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest
from tests.system.test_adoption import PORT, Transfer

RATES_MBPS = {("near", "far"): 8, ("near", "middle"): 40, ("middle", "far"): 40}
SECONDS = 5


@pytest.mark.real_time
@pytest.mark.needs("emulator")
class MovesTest(SystemTest):
    topology_name = str(Path(__file__).parent / "two_ways.json")

    def test_long_download_goes_on_over_the_faster_way(self) -> None:
        """the short way carries 8 Mbit/s, the long one 40: the download begins on one and ends on the other"""
        for (one, other), mbps in RATES_MBPS.items():
            for src, dst in ((one, other), (other, one)):
                port = self.lab.topology.ports(src)[dst]
                self.controller.rest.put(f"/wm/malob/capacities/{self.lab.topology.switches[src]}/{port}", {"mbps": mbps})
        virtual = self.virtual("moves", "10.0.0.150", PORT)
        transfer = Transfer(self, "c1", "w1", virtual.address)
        self.assertEqual(["far", "near"], self._way_of_replies())
        before = self._bytes_per_second(transfer)

        wait_until(lambda: self._moves()["moved"] == 1, "the download to be moved", 60, detail=lambda: str(self._moves()))

        self.assertEqual(["far", "middle", "near"], self._way_of_replies())
        time.sleep(SECONDS)  # until TCP has found out
        after = self._bytes_per_second(transfer)
        say(f"{before / 1e6:.2f} MB/s before, {after / 1e6:.2f} MB/s after")
        # a receiver that was held up for a moment catches up; the other way has 5 MB/s
        self.assertLess(before, 2e6)
        self.assertGreater(after, 1.5 * before)
        sent, got = transfer.finish()
        self.assertEqual((None, None), (sent["error"], got["error"]))
        self.assertEqual(sent, got)
        self.assertEqual({"moved": 1, "failed": 0}, {key: self._moves()[key] for key in ("moved", "failed")})
        stats = f"{balancing.BASE}/pools/moves/stats/"
        wait_until(lambda: self.controller.rest.get(stats)["active_connections"] == 0, "the download to be over", 40)
        wait_until(
            lambda: sum(path["connections"] for path in self.controller.rest.get("/wm/malob/paths")) == 0, "no connection to be on any path", 40
        )

    def _moves(self) -> dict[str, Any]:
        moves: dict[str, Any] = self.controller.rest.get("/wm/malob/moves")
        return moves

    def _bytes_per_second(self, transfer: Transfer) -> float:
        start, count = time.monotonic(), transfer.received()
        time.sleep(SECONDS)
        return (transfer.received() - count) / (time.monotonic() - start)

    def _way_of_replies(self) -> list[str]:
        names = {dpid: name for name, dpid in self.lab.topology.switches.items()}
        ways = [[names[dpid] for dpid in path["switches"]] for path in self.controller.rest.get("/wm/malob/paths") if path["active"]]
        replies = [way for way in ways if way[0] == "far"]
        self.assertEqual(1, len(replies), ways)
        return replies[0]
