"""`./malob bench faults`: its command line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from malob.cli import table
from malob.cli.arguments import Parser, positive
from malob.system.preparation import need_root, prepare
from malob.system.waiting import orderly_end
from research.bench import faults


def main(words: Sequence[str]) -> int:
    options = parser().parse_args(words)
    need_root("bench faults")
    prepare("lab")
    prepare("controller")
    with orderly_end():
        figures = faults.measure(options.fault or list(faults.FAULTS), options.rounds)
    document = json.dumps(figures, indent=2) + "\n"
    if options.out:
        Path(options.out).mkdir(parents=True, exist_ok=True)
        (Path(options.out) / "faults.json").write_text(document, encoding="utf-8")
    print(document if options.json else "\n".join(table_of(figures)))
    return 1 if any(each["lost"] for each in figures.values()) else 0


def table_of(figures: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A header, and a line for each fault."""
    header = ["fault", "rounds", "lost", "longest answer ms", "segments again", "labels moved ms", "rules right s", "load"]
    rows = [
        [
            name,
            str(each["rounds"]),
            str(each["lost"]),
            _spread(each["longest_ms"], 0),
            str(each["retransmitted"]),
            _spread(each["repaired_ms"], 0),
            _spread(each["owned_s"], 1),
            f"{each['load']:.1f}",
        ]
        for name, each in figures.items()
    ]
    return table.render(header, rows, right=range(1, len(header)))


def _spread(spread: Mapping[str, float] | None, digits: int) -> str:
    return "–" if spread is None else f"{spread['median']:.{digits}f}, {spread['worst']:.{digits}f}"


def parser() -> Parser:
    made = Parser(
        prog="malob bench faults",
        description="Measures the effect of faults on an open connection through a VIP, on five Open vSwitches. Times are the median and the"
        " maximum of: the longest response time; the time from the fault until the connection was rerouted; and the time from the"
        " end of the fault until the switches had exactly the rules that they should have.",
    )
    made.add_argument("--fault", action="append", choices=sorted(faults.FAULTS), help="run only this fault; may be repeated")
    made.add_argument("--rounds", type=positive, default=10, metavar="N", help="rounds per fault (default %(default)s)")
    made.add_argument("--json", action="store_true", help="print the results as JSON")
    made.add_argument("--out", metavar="DIR", help="also write them to DIR/faults.json")
    return made
