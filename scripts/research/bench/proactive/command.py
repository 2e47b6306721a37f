"""`./malob bench proactive`: its command line."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from malob.cli.arguments import Parser, positive
from malob.system.preparation import need_root, prepare
from malob.system.waiting import orderly_end
from research.bench.proactive import findings, run
from research.bench.proactive.run import Load
from research.experiments import arguments


def main(words: Sequence[str]) -> int:
    options = parser().parse_args(words)
    need_root("bench proactive")
    prepare("lab")
    prepare("controller")
    plan = Load(options.rate, options.downloads)
    with orderly_end():
        load = os.getloadavg()[0]
        if options.controller_down is None:
            record = run.move_buckets(plan, options.moves)
        else:
            record = run.without_controller(plan, 60 * options.controller_down)
    found = {**findings.document(record), "load_before": load}
    document = json.dumps(found, indent=2) + "\n"
    if options.out:
        Path(options.out).mkdir(parents=True, exist_ok=True)
        (Path(options.out) / "proactive.json").write_text(document, encoding="utf-8")
    print(document.rstrip() if options.json else "\n".join(findings.text(found)))
    return 0 if found["ok"] else 1


def parser() -> Parser:
    made = Parser(
        prog="malob bench proactive",
        description="Short connections and long downloads through a proactive VIP on Open vSwitch, while its buckets move: by weights, a"
        " member that is added, drained and removed, and a link that fails. Exit code 1 if a connection breaks, except those of the"
        " removed member, or if switches and controller disagree.",
    )
    what = made.add_mutually_exclusive_group()
    what.add_argument("--moves", type=positive, default=1000, metavar="N", help="min number of moves of buckets (default %(default)s)")
    what.add_argument(
        "--controller-down",
        type=arguments.amount,
        metavar="MINUTES",
        help="instead, kill the controller and start it again after this time; no bucket may then have moved",
    )
    made.add_argument("--rate", type=positive, default=500, metavar="R", help="short connections per second, of both clients (default %(default)s)")
    made.add_argument("--downloads", type=positive, default=10, metavar="N", help="downloads at a time, of each client (default %(default)s)")
    made.add_argument("--json", action="store_true", help="print the report as JSON")
    made.add_argument("--out", metavar="DIR", help="also write it to DIR/proactive.json")
    return made
