"""One run, from set-up to observations."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import rules
from malob.errors import ScriptError
from malob.system.progress import Bar
from malob.system.waiting import say, undisturbed, wait_until
from research.bench.soak import events, model, said
from research.bench.soak.crowd import Crowd
from research.bench.soak.events import Event
from research.bench.soak.findings import Record, Violation
from research.bench.soak.injection import Injection
from research.bench.soak.site import Site
from research.bench.soak.watch import Watch

#: The duration of a long connection, if the run is long enough: with pauses in which its rules expire.
_LONGEST_S = 40.0
#: The time for pending answers after the last connection is opened.
_PATIENCE_S = 90.0
#: An event that is late by less does not delay the others.
_PUNCTUAL_S = 0.2
_QUIET_S = model.IDLE_S + 15


@dataclass(frozen=True)
class Plan:
    """seconds: the period in which connections are opened.

    rate: connections per second. kinds: events that may begin, of events.KINDS, and every_s: their average interval.
    """

    seconds: float
    seed: int
    rate: float
    kinds: Sequence[str]
    every_s: float = events.EVERY_S


@dataclass(frozen=True)
class Outcome:
    """log: the controller's log."""

    record: Record
    log: str


def soak(plan: Plan) -> Outcome:
    """Builds everything, runs, and removes everything again."""
    with tempfile.TemporaryDirectory(prefix="malob-soak-") as directory:
        site = Site(Path(directory))
        try:
            site.build()
            return _Run(plan, site).run()
        finally:
            site.remove()


class _Run:
    def __init__(self, plan: Plan, site: Site) -> None:
        self._plan, self._site = plan, site
        self._events = events.draw(plan.seed, plan.seconds, site.world, plan.kinds, plan.every_s)
        self._injection = Injection(site)
        self._watch = Watch(site, self._injection)
        self._violations: list[Violation] = []
        self._late_s = 0.0

    def run(self) -> Outcome:
        plan, watch = self._plan, self._watch
        begin, now = time.monotonic(), time.localtime()
        crowd = Crowd(self._site, plan.seed, plan.rate, plan.seconds, min(_LONGEST_S, plan.seconds / 2))
        watch.start()
        try:
            self._play(begin)
            wait_until(crowd.ended, "the clients to end", _LONGEST_S + _PATIENCE_S)
            self._wait_for_quiet()
        finally:
            with undisturbed():
                watch.stop()
                crowd.end()
                self._injection.end_all()
        log = self._site.controller.log.read_text(encoding="utf-8", errors="replace")
        log_lines = said.moments(log.splitlines(), begin, 3600 * now.tm_hour + 60 * now.tm_min + now.tm_sec)
        for line in said.errors(log.splitlines()):
            self._violate(f"the controller's log has: {line}")
        self._violations += [Violation(at, sentence) for at, sentence in watch.violations]
        faults = sorted([*self._injection.faults, *said.downs(log_lines)], key=lambda fault: fault.begin)
        return Outcome(
            Record(
                plan.seed,
                begin,
                plan.seconds,
                self._late_s,
                faults,
                crowd.outcomes,
                crowd.failures,
                crowd.connect_ms,
                crowd.bytes,
                watch.rest_ms,
                watch.samples,
                watch.compared,
                sorted([*log_lines, *watch.rejected]),
                self._violations,
            ),
            log,
        )

    def _play(self, begin: float) -> None:
        """Carries out the events, and returns at the end of the plan's seconds, or somewhat later.

        If an event takes long, all later ones are delayed as much, because repaired targets need time before they are relied
        on. Then the last ones do not begin.
        """
        end = begin + self._plan.seconds
        with Bar(max(1, len(self._events))) as bar:
            for event in self._events:
                due = begin + event.at_s + self._late_s
                time.sleep(max(0.0, due - time.monotonic()))
                self._late_s += max(0.0, time.monotonic() - due - _PUNCTUAL_S)
                if due < end or self._injection.ends_something(event):
                    bar.begin(str(event))
                    self._carry_out(event)
        time.sleep(max(0.0, end - time.monotonic()))

    def _carry_out(self, event: Event) -> None:
        try:
            self._injection.carry_out(event)
        except ScriptError as error:
            self._violate(f"{event}: {error}")

    def _wait_for_quiet(self) -> None:
        """Without clients, no connection may remain, neither in the switches nor in the controller's counts."""
        say("waiting until the last rules have expired")
        try:
            wait_until(lambda: not self._left(), "nothing to be left", _QUIET_S, interval_s=1)
        except ScriptError:
            for each in self._left():
                self._violate(f"{_QUIET_S:g} s after the end {each}")

    def _left(self) -> list[str]:
        count = sum(rules.count(self._site.lab.bridge(switch), rules.REQUEST) for switch in self._site.world.switches)
        left = [f"{count} connections have rules"] if count else []
        known = self._site.open_connections()
        left += [f"{len(known)} connections are open for the controller"] if known else []
        for service in self._site.world.services:
            left += [
                f"{each['id']} has {each['active_connections']} active connections"
                for each in self._site.members(service)
                if each["active_connections"]
            ]
        used = sum(path["connections"] for path in self._site.rest.get("/wm/malob/paths"))
        return left + ([f"{used} connections count on paths"] if used else [])

    def _violate(self, sentence: str) -> None:
        self._violations.append(Violation(time.monotonic(), sentence))
