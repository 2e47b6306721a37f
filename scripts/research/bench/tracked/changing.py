"""Many changes of shares under load, on a busy machine."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Callable

from lab import processes
from malob.system.progress import Bar
from research import background
from research.bench.proactive.findings import Record, Step
from research.bench.proactive.moving import Moves
from research.bench.proactive.observation import Observation
from research.bench.proactive.proactive_site import ProactiveSite

STEADY = "steady"
_STEADY_S = 5.0
_DOWNLOAD_S = 20.0
_MAX_WEIGHT = 5
#: The first one follows weights only, the others what is measured, too.
ALGORITHMS = ("WRR+SPH", "LC+SPH", "SL-PS", "PREQUAL")
#: How often each change is drawn: those of weights change shares each time.
_CHANCES = {"weight": 6, "drain": 2, "algorithm": 2}


@dataclass(frozen=True)
class Changes:
    """count: of all changes. per_second: the pace. busy: processes that do nothing but compute, beside the run. seed: of what is drawn."""

    count: int
    per_second: float
    busy: int
    seed: int


class Changing(Observation):
    """The run with changes."""

    _drained = False

    def run(self, wanted: Changes) -> Record:
        chance = random.Random(wanted.seed)
        with busy(self.site, wanted.busy), self.clients(_DOWNLOAD_S) as clients, Moves(self.site) as watch, Bar(wanted.count) as bar:
            self._step(watch, STEADY, lambda: None, _STEADY_S)
            for number in range(wanted.count):
                cause, change = self.draw(chance)
                bar.begin(f"change {number + 1}, {cause}, {len(clients.failures)} failed")
                self._step(watch, cause, change, 1 / wanted.per_second)
            self._step(watch, STEADY, lambda: None, _STEADY_S)
            return self.record(clients, watch.buckets)

    def draw(self, chance: random.Random) -> tuple[str, Callable[[], None]]:
        """The name of the next change, and what makes it."""
        cause = chance.choices(list(_CHANCES), list(_CHANCES.values()))[0]
        if cause == "weight":
            weights = tuple(chance.randint(1, _MAX_WEIGHT) for _ in self.site.servers)
            return cause, lambda: self.site.weigh(weights)
        if cause == "algorithm":
            algorithm = chance.choice(ALGORITHMS)
            return cause, lambda: self.site.place_by(algorithm)
        self._drained = not self._drained
        return ("drain", self.site.drain_spare) if self._drained else ("undrain", self.site.undrain_spare)

    def _step(self, watch: Moves, cause: str, change: Callable[[], None], lasts_s: float) -> None:
        """Makes a change; it has lasts_s from its beginning to the next one."""
        begin, before = time.monotonic(), watch.count
        change()
        time.sleep(max(0.0, begin + lasts_s - time.monotonic()))
        self.steps.append(Step(cause, begin, watch.count - before))


@contextmanager
def busy(site: ProactiveSite, count: int) -> Iterator[None]:
    """So many processes compute all the time."""
    with ExitStack() as running:
        for _ in range(count):
            process = background.start([sys.executable, "-I", "-c", "while True: pass"], site.lab.directory / "busy.log")
            running.callback(processes.end, process)
        yield
