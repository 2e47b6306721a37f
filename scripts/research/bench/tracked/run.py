"""`./malob bench tracked`: changes of shares, and a long silence."""

from __future__ import annotations

import argparse
import dataclasses

from lab.balancing import TRACKED
from malob.cli.arguments import Parser, positive
from malob.errors import UsageError
from research.bench.bench_command import BenchCommand, Document, add_load
from research.bench.proactive import findings
from research.bench.proactive.clients import Load
from research.bench.proactive.proactive_site import proactive_site
from research.bench.tracked.changing import Changes, Changing
from research.bench.tracked.idling import Idleness, Idling
from research.experiments.frame import arguments

CHANGES, IDLE = "changes", "idle"


class TrackedCommand(BenchCommand):
    name = "tracked"
    purpose = "open connections through a tracked VIP while shares change, and in a silence with a flood; needs root"
    description = (
        "Connections through a tracked VIP on five Open vSwitches. The case 'changes' changes weights, drains and algorithms under load,"
        " beside processes that keep the machine busy. In the case 'idle', connections say nothing for half an hour, in which a client sends"
        " SYNs from forged addresses. Exit code 1 if a connection breaks, or if switches and controller disagree."
    )
    result = "report"

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--case", action="append", choices=(CHANGES, IDLE), help="run only this case; may be repeated")
        parser.add_argument("--changes", type=positive, default=1000, metavar="N", help="changes in the case 'changes' (default %(default)s)")
        parser.add_argument("--pace", type=arguments.amount, default=4, metavar="R", help="of them per second (default %(default)s)")
        parser.add_argument("--busy", type=int, default=2, metavar="N", help="processes that compute meanwhile (default %(default)s)")
        parser.add_argument("--seed", type=int, default=1, help="of the changes that are drawn (default %(default)s)")
        add_load(parser, 500)
        parser.add_argument("--silent", type=positive, default=20, metavar="N", help="silent connections of each client (default %(default)s)")
        parser.add_argument(
            "--silence", type=arguments.amount, default=30, metavar="MINUTES", help="duration of the case 'idle' (default %(default)s)"
        )
        parser.add_argument("--flood", type=arguments.amount, default=60, metavar="S", help="seconds of SYNs in its middle (default %(default)s)")
        parser.add_argument("--flood-rate", type=positive, default=7000, metavar="R", help="of these SYNs per second (default %(default)s)")

    def check(self, options: argparse.Namespace) -> None:
        if options.flood > 60 * options.silence:
            raise UsageError("--flood: longer than --silence")

    def measure(self, options: argparse.Namespace) -> Document:
        cases = {name: measure(options) for name, measure in ((CHANGES, _changes), (IDLE, _idle)) if name in (options.case or (CHANGES, IDLE))}
        return {"ok": all(each["ok"] for each in cases.values()), "cases": cases}

    def lines(self, found: Document) -> list[str]:
        lines: list[str] = []
        for name, each in found["cases"].items():
            lines += [f"{name}:", *findings.text(each)]
            if name == IDLE:
                lines.append(f"{each['forged']:,} forged SYNs; then {each['entries'] or 0:,} entries in the connection table")
            lines.append("")
        return lines[:-1]


def _changes(options: argparse.Namespace) -> Document:
    load, wanted = Load(options.rate, options.downloads, options.silent), Changes(options.changes, options.pace, options.busy, options.seed)
    with proactive_site(TRACKED) as site:
        site.add_spare()
        return findings.document(Changing(site, load).run(wanted))


def _idle(options: argparse.Namespace) -> Document:
    with proactive_site(TRACKED) as site:
        record, flood = Idling(site, Load(0, 0, options.silent)).run(Idleness(60 * options.silence, options.flood, options.flood_rate))
    return {**findings.document(record), **dataclasses.asdict(flood)}
