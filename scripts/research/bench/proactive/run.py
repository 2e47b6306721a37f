"""`./malob bench proactive`: a run whose buckets move for many reasons, and one without a controller for a while."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Callable

from lab.balancing import PROACTIVE, TRACKED
from lab.faults import links
from malob.cli.arguments import Parser, positive
from malob.system.waiting import say, wait_until
from research.bench.bench_command import BenchCommand, Document, add_load
from research.bench.proactive import findings
from research.bench.proactive.clients import Load
from research.bench.proactive.findings import Record, Step
from research.bench.proactive.moving import POLL_S, Moves, moves
from research.bench.proactive.observation import Observation
from research.bench.proactive.proactive_site import LINK, SPARE, ProactiveSite, proactive_site
from research.experiments.frame import arguments

#: The first period, without a change.
STEADY = "steady"
_STEADY_S = 5.0
#: The weights of the two members that stay, in turn.
_WEIGHTS = ((1, 3), (3, 1), (1, 1))
#: Long enough for buckets to move meanwhile, and short enough for new ones on the member that joins.
_DOWNLOAD_S = 20.0
_LINK_DOWN_S = 3.0
#: Buckets are at rest when none has moved for this time.
_CALM_S = 5.0
_MAX_STEP_S = 60.0


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
        parser.add_argument(
            "--placement",
            choices=(PROACTIVE, TRACKED),
            default=PROACTIVE,
            help="of the VIP (default %(default)s); with tracked, buckets move at once",
        )
        add_load(parser, 500)

    def measure(self, options: argparse.Namespace) -> Document:
        load = Load(options.rate, options.downloads)
        if options.controller_down is None:
            return findings.document(move_buckets(load, options.moves, options.placement))
        return findings.document(without_controller(load, 60 * options.controller_down, options.placement))

    def lines(self, found: Document) -> list[str]:
        return findings.text(found)


def move_buckets(load: Load, wanted: int, placement: str = PROACTIVE) -> Record:
    """Changes members and links, in whole cycles, until so many buckets have moved."""
    with proactive_site(placement) as site:
        return _Run(site, load).move_buckets(wanted)


def without_controller(load: Load, down_s: float, placement: str = PROACTIVE) -> Record:
    """Kills the controller, and starts it again after this time."""
    with proactive_site(placement) as site:
        return _Run(site, load).without_controller(down_s)


class _Run(Observation):
    def __init__(self, site: ProactiveSite, load: Load) -> None:
        super().__init__(site, load)
        self._cycle = 0

    def move_buckets(self, wanted: int) -> Record:
        steps: Mapping[str, tuple[Callable[[], None], bool]] = {
            "weight": (lambda: self.site.weigh(_WEIGHTS[self._cycle % len(_WEIGHTS)]), True),
            "add": (self.site.add_spare, True),
            "drain": (self.site.drain_spare, True),
            # no bucket leads to it any more
            "remove": (self.site.remove_spare, False),
            "link": (self._cut_link, False),
        }
        with self.clients(download_s=_DOWNLOAD_S) as clients, Moves(self.site) as watch:
            self._steady(watch)
            while self._cycle == 0 or watch.count < wanted:
                for cause, (change, moves_buckets) in steps.items():
                    say(f"{watch.count} moves, {len(clients.failures)} connections failed; next: {cause}")
                    self._step(watch, cause, change, moves_buckets)
                self._cycle += 1
            return self.record(clients, watch.buckets)

    def without_controller(self, down_s: float) -> Record:
        # downloads from before the kill go on until after the restart
        with self.clients(down_s + _MAX_STEP_S) as clients:
            with Moves(self.site) as watch:
                self._steady(watch)
            before = self.site.assignment()
            self.site.controller.kill()
            self.steps.append(Step("controller-down", time.monotonic(), 0))
            say(f"the controller is down for {down_s:g} s")
            time.sleep(down_s)
            self.steps.append(Step("restart", time.monotonic(), 0))
            self.site.restart_controller()
            time.sleep(_CALM_S)
            after = self.site.assignment()
            self.steps[-1] = replace(self.steps[-1], moves=moves(before, after))
            if before != after:
                self.wrong.append(f"{len(before.items() ^ after.items())} buckets differ after the restart")
            return self.record(clients, len(before))

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
            time.sleep(POLL_S)
        self.steps.append(Step(cause, begin, watch.count - before, SPARE if cause == "remove" else "", settled))

    def _at_rest(self, watch: Moves, begin: float) -> bool:
        return time.monotonic() > max(begin, watch.last) + _CALM_S and self.site.moving() == 0

    def _cut_link(self) -> None:
        with links.down(self.site.lab, *LINK):
            time.sleep(_LINK_DOWN_S)
        self.site.wait_for_network()
