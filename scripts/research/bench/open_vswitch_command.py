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

_LABELS = {open_vswitch.PLAIN: "plain", open_vswitch.REACTIVE: "reactive", open_vswitch.PROACTIVE: "proactive"}


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
    return 1 if any(figures[case]["failed"] for case in open_vswitch.CASES) else 0


def _table(figures: dict[str, dict]) -> list[str]:
    rows = []
    for case, label in _LABELS.items():
        result = figures[case]
        cpu = result["cpu_us_per_connection"]
        rows.append(
            [
                label,
                *(f"{result[key]:.0f}" for key in ("connections_per_s", "connections_per_s_min", "connections_per_s_max")),
                f"{100 * result['connections_per_s_ratio']:.0f} %",
                str(result["failed"]),
                f"{result['connect_median_ms']:.2f}",
                f"× {result['connect_median_ms_ratio']:.1f}",
                f"{result['packet_ins_per_1000']:.0f}",
                *(f"{cpu[name]:.0f}" for name in cpu),
            ]
        )
    names = list(figures["plain"]["cpu_us_per_connection"])
    header = ["case", "connections/s", "min", "max", "of plain", "failed", "connect ms", "of plain", "packet-ins/1000"]
    header += [f"{name} µs" for name in names]
    return table.render(header, rows, right=range(1, len(header)))


def _counters(figures: dict[str, dict]) -> list[str]:
    """The switch's work per connection."""
    rows = [[label, *(f"{figures[case]['per_connection'][name]:.1f}" for name in switch_counters.NAMES)] for case, label in _LABELS.items()]
    header = ["per connection", *(name.replace("_", " ") for name in switch_counters.NAMES)]
    return table.render(header, rows, right=range(1, len(header)))


def parser() -> Parser:
    made = Parser(
        prog="malob bench open-vswitch",
        description="Opens connections (ab, without keep-alive) on one Open vSwitch in turn directly to a server, with the switch"
        " learning addresses by itself, through a VIP with reactive placement, and through one with proactive placement."
        " Processor time is per connection.",
    )
    made.add_argument("--requests", type=positive, default=10_000, metavar="N", help="requests per round (default %(default)s)")
    made.add_argument("--parallel", type=positive, default=20, metavar="N", help="parallel requests (default %(default)s)")
    made.add_argument("--rounds", type=positive, default=3, metavar="N", help="rounds of all three cases (default %(default)s)")
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
