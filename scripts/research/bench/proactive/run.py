"""`./malob bench proactive`: a run whose buckets move for many reasons, and one without a controller for a while."""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Callable

from lab.faults import links, ownership
from malob.cli.arguments import Parser, positive
from malob.errors import ScriptError
from malob.system.waiting import say, undisturbed, wait_until
from research.bench.bench_command import BenchCommand, Document, add_load
from research.bench.proactive import findings
from research.bench.proactive.clients import Clients, Load
from research.bench.proactive.findings import Record, Step
from research.bench.proactive.proactive_site import LINK, SERVICE, SPARE, ProactiveSite
from research.experiments.frame import arguments

#: The first period, without a change.
STEADY = "steady"
_STEADY_S = 5.0
#: The weights of the two members that stay, in turn.
_WEIGHTS = ((1, 3), (3, 1), (1, 1))
#: Long enough for buckets to move meanwhile, and short enough for new ones on the member that joins.
_DOWNLOAD_S = 20.0
_LINK_DOWN_S = 3.0
#: A bucket is on the move for seconds, so no move is missed.
_POLL_S = 0.5
#: Buckets are at rest when none has moved for this time.
_CALM_S = 5.0
_MAX_STEP_S = 60.0
_RULES_S = 60.0


class ProactiveCommand(BenchCommand):
    name = "proactive"
    purpose = "connections through a proactive VIP while its buckets move, or without a controller; needs root"
    description = (
        "Short connections and long downloads through a proactive VIP on Open vSwitch, while its buckets move: by weights, a"
        " member that is added, drained and removed, and a link that fails. Exit code 1 if a connection breaks, except those of the"
        " removed member, or if switches and controller disagree."
    )
    result = "report"

    def add_options(self, parser: Parser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--moves", type=positive, default=1000, metavar="N", help="min number of moves of buckets (default %(default)s)")
        what.add_argument(
            "--controller-down",
            type=arguments.amount,
            metavar="MINUTES",
            help="instead, kill the controller and start it again after this time; no bucket may then have moved",
        )
        add_load(parser, 500)

    def measure(self, options: argparse.Namespace) -> Document:
        load = Load(options.rate, options.downloads)
        if options.controller_down is None:
            return findings.document(move_buckets(load, options.moves))
        return findings.document(without_controller(load, 60 * options.controller_down))

    def lines(self, found: Document) -> list[str]:
        return findings.text(found)


class Moves:
    """Counts the moves of buckets by the switches' tables, in a thread of its own, inside a with statement."""

    def __init__(self, site: ProactiveSite) -> None:
        self._site = site
        self._assignment = site.assignment()
        self._stopped = threading.Event()
        self._error: ScriptError | None = None
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._count = 0
        self.last = time.monotonic()

    @property
    def count(self) -> int:
        """So far. Raises ScriptError if it could not read a table."""
        if self._error is not None:
            raise self._error
        return self._count

    @property
    def buckets(self) -> int:
        return len(self._assignment)

    def _watch(self) -> None:
        while not self._stopped.wait(_POLL_S):
            try:
                now = self._site.assignment()
            except ScriptError as error:
                self._error = error
                return
            moved = moves(self._assignment, now)
            if moved:
                self._count += moved
                self.last = time.monotonic()
            # buckets that are moving keep their old member
            self._assignment = {**self._assignment, **now}

    def __enter__(self) -> Moves:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()


def moves(before: Mapping[tuple[str, str], str], after: Mapping[tuple[str, str], str]) -> int:
    """The number of buckets that have another member. Buckets that are in one of them only do not count."""
    return sum(bucket in before and before[bucket] != member for bucket, member in after.items())


def move_buckets(load: Load, wanted: int) -> Record:
    """Changes members and links, in whole cycles, until so many buckets have moved."""
    with _site() as site:
        return _Run(site, load).move_buckets(wanted)


def without_controller(load: Load, down_s: float) -> Record:
    """Kills the controller, and starts it again after this time."""
    with _site() as site:
        return _Run(site, load).without_controller(down_s)


@contextmanager
def _site() -> Iterator[ProactiveSite]:
    with tempfile.TemporaryDirectory(prefix="malob-bench-") as directory:
        with ProactiveSite(Path(directory)) as site:
            yield site


class _Run:
    def __init__(self, site: ProactiveSite, load: Load) -> None:
        self._site, self._load = site, load
        self._begin = time.monotonic()
        self._steps: list[Step] = []
        self._wrong: list[str] = []
        self._cycle = 0

    def move_buckets(self, wanted: int) -> Record:
        steps: Mapping[str, tuple[Callable[[], None], bool]] = {
            "weight": (lambda: self._site.weigh(_WEIGHTS[self._cycle % len(_WEIGHTS)]), True),
            "add": (self._site.add_spare, True),
            "drain": (self._site.drain_spare, True),
            # no bucket leads to it any more
            "remove": (self._site.remove_spare, False),
            "link": (self._cut_link, False),
        }
        with self._clients(download_s=_DOWNLOAD_S) as clients, Moves(self._site) as watch:
            self._steady(watch)
            while self._cycle == 0 or watch.count < wanted:
                for cause, (change, moves_buckets) in steps.items():
                    say(f"{watch.count} moves, {len(clients.failures)} connections failed; next: {cause}")
                    self._step(watch, cause, change, moves_buckets)
                self._cycle += 1
            return self._record(clients, watch.buckets)

    def without_controller(self, down_s: float) -> Record:
        # downloads from before the kill go on until after the restart
        with self._clients(down_s + _MAX_STEP_S) as clients:
            with Moves(self._site) as watch:
                self._steady(watch)
            before = self._site.assignment()
            self._site.controller.kill()
            self._steps.append(Step("controller-down", time.monotonic(), 0))
            say(f"the controller is down for {down_s:g} s")
            time.sleep(down_s)
            self._steps.append(Step("restart", time.monotonic(), 0))
            self._site.restart_controller()
            time.sleep(_CALM_S)
            after = self._site.assignment()
            self._steps[-1] = replace(self._steps[-1], moves=moves(before, after))
            if before != after:
                self._wrong.append(f"{len(before.items() ^ after.items())} buckets differ after the restart")
            return self._record(clients, len(before))

    @contextmanager
    def _clients(self, download_s: float) -> Iterator[Clients]:
        clients = Clients(self._site.lab, self._site.clients, SERVICE, self._load.rate, self._load.downloads, download_s)
        try:
            yield clients
        finally:
            with undisturbed():
                clients.end()

    def _steady(self, watch: Moves) -> None:
        self._step(watch, STEADY, lambda: time.sleep(_STEADY_S), False)

    def _step(self, watch: Moves, cause: str, change: Callable[[], None], moves_buckets: bool) -> None:
        """Makes a change, and returns once buckets have moved, if they should, and are at rest.

        Raises ScriptError if none moves that should.
        """
        begin, before = time.monotonic(), watch.count
        change()
        if moves_buckets:
            wait_until(lambda: watch.count > before, f"buckets to move ({cause})", _MAX_STEP_S)
        while not (settled := self._at_rest(watch, begin)) and time.monotonic() < begin + _MAX_STEP_S:
            time.sleep(_POLL_S)
        self._steps.append(Step(cause, begin, watch.count - before, SPARE if cause == "remove" else "", settled))

    def _at_rest(self, watch: Moves, begin: float) -> bool:
        return time.monotonic() > max(begin, watch.last) + _CALM_S and self._site.moving() == 0

    def _cut_link(self) -> None:
        with links.down(self._site.lab, *LINK):
            time.sleep(_LINK_DOWN_S)
        self._site.wait_for_network()

    def _record(self, clients: Clients, buckets: int) -> Record:
        seconds = time.monotonic() - self._begin
        totals = clients.finish()
        try:
            wait_until(lambda: not self._differences(), "rules to be as they should", _RULES_S)
        except ScriptError:
            self._wrong += self._differences()
        return Record(self._begin, seconds, self._steps, buckets, totals, list(clients.failures), self._wrong)

    def _differences(self) -> list[str]:
        return ownership.differences(self._site.lab, self._site.rest)
