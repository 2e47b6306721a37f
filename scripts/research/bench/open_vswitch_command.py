"""`./malob bench open-vswitch`: its command line."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from malob.cli import table
from malob.cli.arguments import Parser, positive
from malob.errors import UsageError
from malob.system.preparation import need_root, prepare
from malob.system.waiting import orderly_end
from research.bench import open_vswitch, switch_counters


def main(words: Sequence[str]) -> int:
    options = _options(words)
    need_root("bench open-vswitch")
    prepare("lab")
    prepare("bench")
    prepare("controller")
    plan = open_vswitch.Plan(options.requests, options.parallel, options.rounds, options.connects)
    with orderly_end():
        load = os.getloadavg()[0]
        figures = {**open_vswitch.measure(plan), "load_before": load}
    document = json.dumps(figures, indent=2) + "\n"
    if options.out:
        Path(options.out).mkdir(parents=True, exist_ok=True)
        (Path(options.out) / "open-vswitch.json").write_text(document, encoding="utf-8")
    print(document if options.json else "\n".join([*_table(figures), "", *_counters(figures)]))
    return 0 if figures["plain"]["failed"] == figures["balanced"]["failed"] == 0 else 1


def _table(figures: dict[str, dict]) -> list[str]:
    rows = []
    for way in ("plain", "balanced"):
        result = figures[way]
        cpu = result["cpu_us_per_connection"]
        rows.append(
            [
                way,
                *(f"{result[key]:.0f}" for key in ("connections_per_s", "connections_per_s_min", "connections_per_s_max")),
                str(result["failed"]),
                f"{result['connect_median_ms']:.2f}",
                *(f"{cpu[name]:.0f}" for name in cpu),
            ]
        )
    names = list(figures["plain"]["cpu_us_per_connection"])
    header = ["way", "connections/s", "min", "max", "failed", "connect ms", *(f"{name} µs" for name in names)]
    return table.render(header, rows, right=range(1, len(header)))


def _counters(figures: dict[str, dict]) -> list[str]:
    """The switch's work per connection."""
    rows = [[way, *(f"{figures[way]['per_connection'][name]:.1f}" for name in switch_counters.NAMES)] for way in ("plain", "balanced")]
    header = ["per connection", *(name.replace("_", " ") for name in switch_counters.NAMES)]
    return table.render(header, rows, right=range(1, len(header)))


def parser() -> Parser:
    made = Parser(
        prog="malob bench open-vswitch",
        description="Opens connections (ab, without keep-alive) on one Open vSwitch in turn through a VIP and directly to"
        " a server, with the switch learning addresses by itself. Processor time is per connection.",
    )
    made.add_argument("--requests", type=positive, default=10_000, metavar="N", help="requests per round (default %(default)s)")
    made.add_argument("--parallel", type=positive, default=20, metavar="N", help="parallel requests (default %(default)s)")
    made.add_argument("--rounds", type=positive, default=3, metavar="N", help="rounds with and without MALOB (default %(default)s)")
    made.add_argument(
        "--connects",
        type=positive,
        default=200,
        metavar="N",
        help="connections per round whose connect() is timed, one after the other (default %(default)s)",
    )
    made.add_argument("--json", action="store_true", help="print the results as JSON")
    made.add_argument("--out", metavar="DIR", help="also write them to DIR/open-vswitch.json")
    return made


def _options(words: Sequence[str]) -> argparse.Namespace:
    options = parser().parse_args(words)
    if options.parallel > options.requests:
        raise UsageError("--parallel: more than --requests")
    return options
