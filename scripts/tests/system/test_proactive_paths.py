"""A path of a proactive VIP gets worse or better: its buckets follow, and no connection notices."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab import balancing, rules
from lab.balancing import VirtualServer
from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest

WEB, TALK, TALK_PORT = "10.0.0.141", "10.0.0.142", 8060
CLIENT, SERVER = "c1", "w1"
DIRECT, AROUND = ("near", "far"), ("near", "middle", "far")
#: One way, in ms. Far apart, because a busy machine adds some to each link.
SHORT_MS, LONG_MS, SLOW_MS = 5, 10, 60
#: New connections per second, and the pauses of established ones in seconds.
RATE, PAUSES_S = 20, (0.1, 1, 4)
FOLLOW_S = 40

_LABEL = re.compile(r"set_field:(0a:4d:4c:[0-9a-f:]+)->eth_dst")
_CHANGE = re.compile(r"\bevent=(\w+) .*\bcookie=(0x[0-9a-f]+)")


@pytest.mark.real_time
@pytest.mark.needs("emulator")
class PathTest(SystemTest):
    topology_name = str(Path(__file__).parent / "two_ways.json")

    def test_buckets_follow_the_fastest_path(self) -> None:
        """a link of the path gets slow, then fast again, with connections in progress and new ones"""
        self._delay(DIRECT, SHORT_MS)
        for ends in zip(AROUND, AROUND[1:]):
            self._delay(ends, LONG_MS)
        self.talker(SERVER, "serve", SERVER, str(TALK_PORT))
        wait_until(lambda: self.on(SERVER, "ss", "-Htln", "sport", "=", f":{TALK_PORT}"), "the server to listen", 10)
        virtuals = [self._proactive("web", WEB, 80), self._proactive("talk", TALK, TALK_PORT)]
        self.requests(CLIENT, WEB, 80, 2)
        for virtual in virtuals:
            balancing.wait_for_proactive(self.controller.rest, virtual.pool_id)
        wait_until(lambda: self._ways() == {DIRECT}, "buckets to take the direct path", FOLLOW_S, detail=lambda: str(self._ways()))
        holding = [self.talker(CLIENT, "hold", TALK, str(TALK_PORT), "--every", str(pause)) for pause in PAUSES_S]
        for each in holding:
            assert each.stdout is not None
            self.assertIn("local", json.loads(each.stdout.readline()))
        buckets = self._buckets()
        self.assertEqual(2 * 64, len(buckets))
        packet_ins = self.packet_ins()
        changes = self._watched_changes()

        for delay_ms, way in ((SLOW_MS, AROUND), (SHORT_MS, DIRECT)):
            with self.subTest(delay_ms=delay_ms):
                before = changes()
                self._delay(DIRECT, delay_ms)
                wait_until(lambda: self._works() and self._ways() == {way}, f"buckets to take {way}", FOLLOW_S, detail=lambda: str(self._ways()))
                self._works()
                self.assertEqual(Counter({("MODIFIED", cookie): 1 for cookie in buckets}), changes() - before)

        said = [[json.loads(line) for line in each.communicate("quit\n")[0].splitlines()] for each in holding]
        say(f"  {sum(map(len, said))} answers to established connections")
        self.assertEqual(["quit"] * len(PAUSES_S), [lines[-1].get("end") for lines in said], "no connection was broken")
        self.assertEqual({SERVER}, {line["by"] for lines in said for line in lines if "by" in line})
        self.assertEqual(packet_ins, self.packet_ins())
        self.assertEqual([0, 0], [vip["moves"] for vip in balancing.placement_state(self.controller.rest)])

    def _proactive(self, key: str, address: str, port: int) -> VirtualServer:
        return self.virtual(key, address, port, algorithm="RR+SPL", placement=balancing.PROACTIVE)

    def _delay(self, ends: tuple[str, str], delay_ms: float) -> None:
        """Sets the delay of both directions of a link."""
        link = self.lab.topology.link(*ends)
        for here in ends:
            self.lab.shape(here, link.other(here), replace(link.direction(here), delay_ms=delay_ms))

    def _works(self) -> bool:
        """Opens connections, and looks whether all buckets are at rest."""
        self.assertEqual({SERVER}, set(self.requests(CLIENT, WEB, 80, RATE, RATE)), "all are answered")
        state = balancing.placement_state(self.controller.rest)
        self.assertEqual([("proactive", 0)] * 2, [(vip["state"], balancing.moving_buckets(state, vip["vip_id"])) for vip in state])
        return True

    def _rules(self) -> list[str]:
        """The rules of buckets at the client's switch."""
        return list(rules.of_kind(rules.dump(self.lab, AROUND[0], "table=1"), rules.BUCKET))

    def _buckets(self) -> set[int]:
        """Their cookies: each names its bucket."""
        return {rules.cookie(line) for line in self._rules()}

    def _ways(self) -> set[Any]:
        """The paths that buckets lead over."""
        names = {dpid: name for name, dpid in self.lab.topology.switches.items()}
        paths = {path["label"]: tuple(names[dpid] for dpid in path["switches"]) for path in self.controller.rest.get("/wm/malob/paths")}
        return {paths.get(label) for line in self._rules() for label in _LABEL.findall(line)}

    def _watched_changes(self) -> Any:
        """Counts changes of buckets' rules from now on, by kind of change and cookie, as the switch reports them."""
        path = self.lab.directory / "changes"
        with open(path, "wb") as file:
            command = ["ovs-ofctl", "-O", "OpenFlow14", "monitor", self.lab.bridge(AROUND[0]), "watch:!initial,table=1"]
            monitor = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        self.addCleanup(monitor.wait)
        self.addCleanup(monitor.terminate)

        def changes() -> Counter[tuple[str, int]]:
            self.assertIsNone(monitor.poll(), path.read_text())
            found = ((event, int(cookie, 16)) for event, cookie in _CHANGE.findall(path.read_text()))
            return Counter(change for change in found if change[1] >> 48 == rules.BUCKET)

        return changes
