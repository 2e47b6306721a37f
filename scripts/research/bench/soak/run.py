"""`./malob bench soak`: one run, from set-up to observations."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import rules
from malob.cli.arguments import Parser, positive
from malob.errors import ScriptError, UsageError
from malob.system.progress import Bar
from malob.system.waiting import say, undisturbed, wait_until
from research.bench.bench_command import BenchCommand, Document
from research.bench.soak import controller_log, events, findings, model
from research.bench.soak.clients import Clients
from research.bench.soak.events import Event
from research.bench.soak.findings import Record, Violation
from research.bench.soak.injection import Injection
from research.bench.soak.soak_site import SoakSite
from research.bench.soak.watch import Watch
from research.experiments.frame import arguments

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


class SoakCommand(BenchCommand):
    name = "soak"
    purpose = "a long run on real Open vSwitch with changing load, members, servers and links; needs root"
    description = (
        "A long run on Open vSwitch, with changing clients, members, servers and links, and failures under"
        " load. Exit code 1 if a connection failed without a cause, if switches and controller disagree, if heap, threads or rules grow,"
        " or if the p99 of REST is above 50 ms."
    )
    needs = ("lab", "emulator", "controller")
    result = "report"
    out_help = "also write it to DIR/soak.json, and the controller's log beside it"
    _log = ""

    def add_options(self, parser: Parser) -> None:
        time = parser.add_mutually_exclusive_group()
        time.add_argument("--minutes", type=positive, default=10, metavar="M", help="how long to open connections (default %(default)s)")
        time.add_argument("--seconds", type=positive, metavar="N", help="the same in seconds")
        parser.add_argument("--seed", type=int, default=1, metavar="S", help="the same seed gives the same events (default %(default)s)")
        parser.add_argument("--rate", type=positive, default=30, metavar="R", help="connections per second (default %(default)s)")
        parser.add_argument(
            "--every",
            type=arguments.amount,
            default=events.EVERY_S,
            metavar="S",
            help=f"seconds from one event to the next, on average (default {events.EVERY_S:g})",
        )
        parser.add_argument("--only", metavar="KINDS", help=f"some of {','.join(events.KINDS)} (default all)")

    def check(self, options: argparse.Namespace) -> None:
        options.kinds = _kinds(options.only)

    def measure(self, options: argparse.Namespace) -> Document:
        seconds = options.seconds or 60 * options.minutes
        record, self._log = soak(Plan(seconds, options.seed, options.rate, options.kinds, options.every))
        return findings.document(record)

    def write_more(self, found: Document, options: argparse.Namespace, out: Path) -> None:
        (out / "controller.log").write_text(self._log, encoding="utf-8")

    def lines(self, found: Document) -> list[str]:
        return findings.text(found)


def _kinds(only: str | None) -> list[str]:
    if only is None:
        return list(events.KINDS)
    chosen = [name for name in only.split(",") if name]
    for name in chosen:
        if name not in events.KINDS:
            raise UsageError(f"--only: expected some of {','.join(events.KINDS)}, not '{name}'")
    return chosen


def soak(plan: Plan) -> tuple[Record, str]:
    """Builds everything, runs, and removes everything again. Returns the controller's log, too."""
    with tempfile.TemporaryDirectory(prefix="malob-soak-") as directory:
        with SoakSite(Path(directory)) as site:
            return _Run(plan, site).run()


class _Run:
    def __init__(self, plan: Plan, site: SoakSite) -> None:
        self._plan, self._site = plan, site
        self._events = events.draw(plan.seed, plan.seconds, site.targets, plan.kinds, plan.every_s)
        self._injection = Injection(site)
        self._watch = Watch(site, self._injection)
        self._violations: list[Violation] = []
        self._late_s = 0.0

    def run(self) -> tuple[Record, str]:
        plan, watch = self._plan, self._watch
        begin, now = time.monotonic(), time.localtime()
        clients = Clients(self._site, plan.seed, plan.rate, plan.seconds, min(_LONGEST_S, plan.seconds / 2))
        watch.start()
        try:
            self._play(begin)
            wait_until(clients.ended, "the clients to end", _LONGEST_S + _PATIENCE_S)
            self._wait_for_quiet()
        finally:
            with undisturbed():
                watch.stop()
                clients.end()
                self._injection.end_all()
        log = self._site.controller.log.read_text(encoding="utf-8", errors="replace")
        log_lines = controller_log.moments(log.splitlines(), begin, 3600 * now.tm_hour + 60 * now.tm_min + now.tm_sec)
        for line in controller_log.errors(log.splitlines()):
            self._violate(f"the controller's log has: {line}")
        self._violations += [Violation(at, sentence) for at, sentence in watch.violations]
        faults = sorted([*self._injection.faults, *controller_log.downs(log_lines)], key=lambda fault: fault.begin)
        record = Record(
            plan.seed,
            begin,
            plan.seconds,
            self._late_s,
            faults,
            clients.outcomes,
            clients.failures,
            clients.connect_ms,
            clients.bytes,
            watch.rest_ms,
            watch.samples,
            watch.compared,
            sorted([*log_lines, *watch.rejected]),
            self._violations,
        )
        return record, log

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
        count = sum(rules.count(self._site.lab.bridge(switch), rules.REQUEST) for switch in self._site.targets.switches)
        left = [f"{count} connections have rules"] if count else []
        known = self._site.open_connections()
        left += [f"{len(known)} connections are open for the controller"] if known else []
        for service in self._site.targets.services:
            left += [
                f"{each['id']} has {each['active_connections']} active connections"
                for each in self._site.members(service)
                if each["active_connections"]
            ]
        used = sum(path["connections"] for path in self._site.rest.get("/wm/malob/paths"))
        return left + ([f"{used} connections count on paths"] if used else [])

    def _violate(self, sentence: str) -> None:
        self._violations.append(Violation(time.monotonic(), sentence))
