"""What all runs have: clients, steps, and what was wrong besides broken connections."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from lab.faults import ownership
from malob.errors import ScriptError
from malob.system.waiting import undisturbed, wait_until
from research.bench.proactive.clients import Clients, Load
from research.bench.proactive.findings import Record, Step
from research.bench.proactive.proactive_site import SERVICE, ProactiveSite

_RULES_S = 60.0


class Observation:
    """Of one run, from now on. steps, wrong: what the run adds."""

    def __init__(self, site: ProactiveSite, load: Load) -> None:
        self.site, self._load = site, load
        self.begin = time.monotonic()
        self.steps: list[Step] = []
        self.wrong: list[str] = []

    @contextmanager
    def clients(self, download_s: float) -> Iterator[Clients]:
        """Their load, within the context. download_s: the duration of each download."""
        clients = Clients(self.site.lab, self.site.clients, SERVICE, self._load, download_s)
        try:
            yield clients
        finally:
            with undisturbed():
                clients.end()

    def record(self, clients: Clients, buckets: int) -> Record:
        """The end of the run: clients end their connections, and the switches' rules are compared."""
        seconds = time.monotonic() - self.begin
        totals = clients.finish()
        try:
            wait_until(lambda: not self._differences(), "rules to be as they should", _RULES_S)
        except ScriptError:
            self.wrong += self._differences()
        return Record(self.begin, seconds, self.steps, buckets, totals, list(clients.failures), self.wrong)

    def _differences(self) -> list[str]:
        return ownership.differences(self.site.lab, self.site.rest)
