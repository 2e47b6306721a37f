"""Connections that say nothing for a long time, among it a flood of SYNs from forged addresses."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from lab import processes
from lab.program import Program
from malob.system.processes import run
from malob.system.waiting import say, undisturbed
from research.bench.proactive.findings import Record, Step
from research.bench.proactive.observation import Observation
from research.bench.proactive.proactive_site import PORT, VIP

SILENCE, FLOOD, AFTER = "silence", "flood", "after the flood"


@dataclass(frozen=True)
class Idleness:
    """seconds: of silence in all. flood_s: of which this is the flood, in the middle; from the first client's host, rate SYNs per second."""

    seconds: float
    flood_s: float
    rate: float


@dataclass(frozen=True)
class Flood:
    """forged: SYNs that were sent. entries: of the datapath's connection table at the end of the flood; none if that is the kernel's."""

    forged: int
    entries: int | None


class Idling(Observation):
    """The run without a word. The load has silent connections only."""

    def run(self, wanted: Idleness) -> tuple[Record, Flood]:
        around_s = (wanted.seconds - wanted.flood_s) / 2
        with self.clients(wanted.seconds) as clients:
            self._step(SILENCE)
            time.sleep(around_s)
            self._step(FLOOD)
            flood = self._flood(wanted)
            self._step(AFTER)
            time.sleep(around_s)
            return self.record(clients, len(self.site.assignment())), flood

    def _step(self, cause: str) -> None:
        say(cause)
        self.steps.append(Step(cause, time.monotonic(), 0))

    def _flood(self, wanted: Idleness) -> Flood:
        host = self.site.clients[0].name
        limits = ["--seconds", f"{wanted.flood_s:g}", "--rate", f"{wanted.rate:g}", "--right"]
        program = Program(processes.script(self.site.lab, host, processes.FLOOD, VIP, str(PORT), *limits), f"the flood of {host} ended")
        try:
            forged = int(program.line())
        finally:
            with undisturbed():
                program.end()
        return Flood(forged, entries_in(run(["ovs-appctl", "dpctl/ct-stats-show"])) if self.site.lab.datapath == "netdev" else None)


def entries_in(words: str) -> int:
    """The size of a connection table. words: the output of dpctl/ct-stats-show."""
    found = re.search(r"^\s*Total: (\d+)$", words, re.MULTILINE)
    return int(found.group(1)) if found else 0
