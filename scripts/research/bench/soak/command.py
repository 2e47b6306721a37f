"""`./malob bench soak`: its command line."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from malob.cli.arguments import Parser, positive
from malob.errors import UsageError
from malob.system.preparation import need_root
from malob.system.waiting import orderly_end
from research.bench.soak import findings, run
from research.bench.soak.events import EVERY_S, KINDS
from research.experiments import arguments
from research.preparation import prepare


def main(words: Sequence[str]) -> int:
    options = parser().parse_args(words)
    kinds = _kinds(options.only)
    need_root("bench soak")
    prepare("lab", "emulator", "controller")
    seconds = options.seconds or 60 * options.minutes
    with orderly_end():
        load = os.getloadavg()[0]
        outcome = run.soak(run.Plan(seconds, options.seed, options.rate, kinds, options.every))
    found = {**findings.document(outcome.record), "load_before": load}
    document = json.dumps(found, indent=2) + "\n"
    if options.out:
        folder = Path(options.out)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "soak.json").write_text(document, encoding="utf-8")
        (folder / "controller.log").write_text(outcome.log, encoding="utf-8")
    print(document.rstrip() if options.json else "\n".join(findings.text(found)))
    return 0 if found["ok"] else 1


def _kinds(only: str | None) -> list[str]:
    if only is None:
        return list(KINDS)
    chosen = [name for name in only.split(",") if name]
    for name in chosen:
        if name not in KINDS:
            raise UsageError(f"--only: expected some of {','.join(KINDS)}, not '{name}'")
    return chosen


def parser() -> Parser:
    made = Parser(
        prog="malob bench soak",
        description="A long run on Open vSwitch, with changing clients, members, servers and links, and failures under"
        " load. Exit code 1 if a connection failed without a cause, if switches and controller disagree, if heap, threads or rules grow,"
        " or if the p99 of REST is above 50 ms.",
    )
    time = made.add_mutually_exclusive_group()
    time.add_argument("--minutes", type=positive, default=10, metavar="M", help="how long to open connections (default %(default)s)")
    time.add_argument("--seconds", type=positive, metavar="N", help="the same in seconds")
    made.add_argument("--seed", type=int, default=1, metavar="S", help="the same seed gives the same events (default %(default)s)")
    made.add_argument("--rate", type=positive, default=30, metavar="R", help="connections per second (default %(default)s)")
    made.add_argument(
        "--every", type=arguments.amount, default=EVERY_S, metavar="S", help=f"seconds from one event to the next, on average (default {EVERY_S:g})"
    )
    made.add_argument("--only", metavar="KINDS", help=f"some of {','.join(KINDS)} (default all)")
    made.add_argument("--json", action="store_true", help="print the report as JSON")
    made.add_argument("--out", metavar="DIR", help="also write it to DIR/soak.json, and the controller's log beside it")
    return made
