"""`thesis-herding`: HT-PS with and without counting its placements since the last measurement. Not in the thesis."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

from malob.cli.arguments import positive
from malob.errors import UsageError
from research.experiments.frame import arguments
from research.experiments.frame.arguments import amount
from research.experiments.frame.report import Row
from research.experiments.frame.summary import Check, Summary
from research.experiments.thesis import ftp
from research.experiments.thesis.scenario import GREEDY, Case, Plot, Scenario, add_options, setup
from research.experiments.workloads import Load

NAME = "thesis-herding"
HELP = "eight clients: HT-PS that counts its own placements against greedy HT-PS, over measuring intervals"

_ALGORITHM = "HT-PS"

#: Shorter than a transfer; otherwise each transfer would be placed on a new measurement, without herding.
_INTERVALS_S, _QUICK_INTERVALS_S = "1,5,15", "5"
_MONITOR = "io.malob.monitor.MonitorModule"

#: How many intervals a case takes at least, by default. The first measurements show the idle network and mislead nothing.
_MIN_INTERVALS = 4

#: Two clients on each of four hosts.
_CLIENTS = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "transfers", 0.15)
    parser.add_argument("--size", type=amount, metavar="MB", help="of the file, multiplied by --scale (default 100; with --quick 30)")
    parser.add_argument(
        "--intervals",
        metavar="S,S...",
        help="seconds from one measurement of links to the next, shorter than transfers take"
        f" (default {_INTERVALS_S}; with --quick {_QUICK_INTERVALS_S})",
    )


def scenario(options: argparse.Namespace) -> Scenario:
    if options.only or options.greedy:
        raise UsageError(f"{NAME} runs {_ALGORITHM} with and without --greedy: --only and --greedy are not allowed")
    size_mb = options.size or (30.0 if options.quick else 100.0)
    workload = ftp.workload_of(size_mb, options.scale)
    rounds = arguments.rounds(options, 3)
    intervals = _intervals(options.intervals or (_QUICK_INTERVALS_S if options.quick else _INTERVALS_S))
    enough = math.ceil(_MIN_INTERVALS * intervals[-1] / workload.expected_s)
    requests = options.requests or max(enough, 2 if options.quick else 4)
    cases, rows = [], []
    for interval_s in intervals:
        for way, properties in (("counted", {}), ("greedy", GREEDY)):
            key = f"{_ALGORITHM}.{way}.{interval_s}s"
            cases.append(Case(key, {workload.name: _ALGORITHM}, [Load(workload, requests)], {**_measuring(interval_s), **properties}))
            rows.append(Row(key, key, workload.name, _CLIENTS * requests * rounds, label=f"{interval_s} s", group=way))
    rows.sort(key=lambda row: row.group)
    return Scenario(
        NAME,
        setup(options, "geni-wan", [workload], second_addresses=True),
        cases,
        rows,
        rounds,
        [Plot("herding", f"FTP, {size_mb:g} MB × {options.scale:g}, eight clients, HT-PS, by measuring interval")],
        {
            "size_mb": size_mb,
            "file_bytes": workload.file_bytes,
            "intervals_s": intervals,
            "clients": _CLIENTS,
            "requests_per_client_and_round": requests,
        },
        lambda summary: _checks(summary, intervals),
    )


def _measuring(interval_s: int) -> dict[str, str]:
    """A value is valid until the third one after it is due."""
    return {
        f"{_MONITOR}.portStatisticsMillis": str(1000 * interval_s),
        f"{_MONITOR}.portStatisticsLifeSeconds": str(max(10, 3 * interval_s)),
    }


def _intervals(text: str) -> list[int]:
    try:
        return sorted({positive(word) for word in text.split(",")})
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--intervals: {error}") from None


def _checks(summary: Summary, intervals: Sequence[int]) -> list[Check]:
    found = []
    for interval_s in intervals:
        counted, greedy = (f"p90_s.{_ALGORITHM}.{way}.{interval_s}s" for way in ("counted", "greedy"))
        found.append(Check(f"p90 counted to p90 greedy, measured every {interval_s} s", summary.ratio(counted, greedy), 0.6))
    return found
