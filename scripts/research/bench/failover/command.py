"""`./malob bench failover`: its command line."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from malob.cli.arguments import Parser, positive
from malob.system.preparation import need_root, prepare
from malob.system.waiting import orderly_end
from research.bench.failover import findings, run
from research.bench.failover.run import FAULTS, Load


def main(words: Sequence[str]) -> int:
    options = parser().parse_args(words)
    need_root("bench failover")
    for what in ("lab", "controller", "cluster"):
        prepare(what)
    with orderly_end():
        load = os.getloadavg()[0]
        record = run.run(Load(options.rate, options.downloads), options.controllers, options.faults)
    found = {**findings.document(record), "load_before": load}
    document = json.dumps(found, indent=2) + "\n"
    if options.out:
        Path(options.out).mkdir(parents=True, exist_ok=True)
        (Path(options.out) / "failover.json").write_text(document, encoding="utf-8")
    print(document.rstrip() if options.json else "\n".join(findings.text(found)))
    return 0 if found["ok"] else 1


def parser() -> Parser:
    made = Parser(
        prog="malob bench failover",
        description="Short connections and long downloads through a reactive VIP on Open vSwitch, with several controllers in namespaces and"
        " three etcd servers, while controllers and servers fail. Exit code 1 if an open connection breaks, a new one takes longer than"
        " promised, or switches and controller disagree.",
    )
    made.add_argument("--faults", metavar="NAMES", type=_faults, default=tuple(FAULTS), help=f"some of {','.join(FAULTS)} (default all)")
    made.add_argument("--controllers", type=positive, default=2, metavar="N", help="controllers (default %(default)s)")
    made.add_argument("--rate", type=positive, default=100, metavar="R", help="short connections per second, of both clients (default %(default)s)")
    made.add_argument("--downloads", type=positive, default=10, metavar="N", help="downloads at a time, of each client (default %(default)s)")
    made.add_argument("--json", action="store_true", help="print the report as JSON")
    made.add_argument("--out", metavar="DIR", help="also write it to DIR/failover.json")
    return made


def _faults(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in FAULTS:
            raise argparse.ArgumentTypeError(f"no fault '{name}'; there are: {', '.join(FAULTS)}")
    return names
