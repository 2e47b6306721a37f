"""`./malob bench endhost`: its command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from malob.cli import table
from malob.cli.arguments import Parser, positive
from malob.errors import UsageError
from malob.system.preparation import need_root
from malob.system.waiting import orderly_end
from research.bench import endhost, endhost_figures
from research.bench.endhost_figures import OSKEN
from research.experiments import arguments, endhost_arguments
from research.preparation import prepare


def main(words: Sequence[str]) -> int:
    options = _options(words)
    ways = tuple(arguments.chosen(options.only, endhost_figures.WAYS))
    congestion = endhost_arguments.congestion(options)
    out = Path(options.out) if options.out else None
    if out is not None:
        _make(out)
    need_root("bench endhost")
    prepare("lab", "endhost", "bench", *(["os-ken"] if OSKEN in ways else []))
    plan = endhost.Plan(ways, options.rounds, options.seconds, options.settle, options.connects, options.requests, options.parallel, options.seed)
    with orderly_end():
        result = endhost.measure(plan, congestion, out)
    document = json.dumps(result, indent=2) + "\n"
    if out is not None:
        (out / "endhost.json").write_text(document, encoding="utf-8")
    print(document.rstrip() if options.json else "\n".join(_shown(result)))
    failed = any(figures["failed"] for figures in result["figures"].values())
    return 0 if not failed and all(check["holds"] for check in result["checks"]) else 1


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out: cannot write to {out}: {error.strerror}") from None


def _shown(result: Mapping[str, Any]) -> list[str]:
    found = result["figures"]
    header = ["", *found]
    return [*table.render(header, endhost_figures.rows(found), right=range(1, len(header))), "", *endhost_figures.verdicts(result["checks"])]


def parser() -> Parser:
    made = Parser(
        prog="malob bench endhost",
        description="Measures the cost of MALOB on a host with two uplinks, compared with os-ken doing round robin on the same switch, and"
        " with no switch: memory, start, processor when idle, connect(), new flows per second; medians of the rounds."
        " Exit code 1 if a request failed or a target is missed.",
    )
    made.add_argument("--rounds", type=positive, default=3, metavar="N", help="rounds of each case (default %(default)s)")
    made.add_argument("--only", metavar="WAYS", help=f"some of {','.join(endhost_figures.WAYS)}")
    made.add_argument("--seconds", type=arguments.amount, default=20.0, metavar="N", help="how long to measure idle controllers (default 20)")
    made.add_argument(
        "--settle",
        type=positive,
        default=20,
        metavar="N",
        help="seconds to wait after the start until a controller counts as idle (default %(default)s)",
    )
    made.add_argument(
        "--connects",
        type=positive,
        default=200,
        metavar="N",
        help="connections per round whose connect() is timed, one after the other (default %(default)s)",
    )
    made.add_argument("--requests", type=positive, default=2000, metavar="N", help="requests of ab per round (default %(default)s)")
    made.add_argument("--parallel", type=positive, default=20, metavar="N", help="parallel requests (default %(default)s)")
    made.add_argument("--seed", type=int, default=1, metavar="N", help="of the order of cases in each round (default %(default)s)")
    made.add_argument("--congestion", metavar="NAME", help="congestion control of the server (default cubic if the kernel has it)")
    made.add_argument("--json", action="store_true", help="print the results as JSON")
    made.add_argument("--out", metavar="DIR", help="also write them to DIR/endhost.json, and MALOB's logs to DIR/logs")
    return made


def _options(words: Sequence[str]) -> argparse.Namespace:
    options = parser().parse_args(words)
    if options.parallel > options.requests:
        raise UsageError("--parallel: more than --requests")
    return options
