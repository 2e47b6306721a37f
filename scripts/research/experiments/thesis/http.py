"""`thesis-http`: five pages per request (section 4.2.1, figure 4.2)."""

from __future__ import annotations

import argparse

from research.experiments.frame import arguments
from research.experiments.frame.arguments import duration
from research.experiments.frame.report import Row
from research.experiments.frame.summary import Check, Summary
from research.experiments.thesis.scenario import ALL, JOINT, SEPARATE, Case, Plot, Scenario, add_options, setup
from research.experiments.workloads import Http, Load

NAME = "thesis-http"
HELP = "web pages: five of 60 KB per request (figure 4.2)"

PAGE_BYTES = 60_000

#: The text gives a median for the joint rules, and a range for the others.
PAPER_S = {**dict.fromkeys(SEPARATE, (0.4, 0.6)), **dict.fromkeys(JOINT, (0.2, 0.2))}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "requests of five pages", 1.0)
    parser.add_argument(
        "--pause",
        type=duration,
        default=0.3,
        metavar="S",
        help="seconds between two requests of a client; the thesis's made 3000 in two hours (default %(default)s)",
    )


def scenario(options: argparse.Namespace) -> Scenario:
    names = arguments.chosen(options.only, ALL)
    workload = Http(PAGE_BYTES, pause_s=options.pause)
    requests = options.requests or (5 if options.quick else 15)
    rounds = arguments.rounds(options, 5, 2)
    return Scenario(
        NAME,
        setup(options, "geni-wan", [workload]),
        [Case(name, {workload.name: name}, [Load(workload, requests)]) for name in names],
        [Row(name, name, workload.name, 4 * requests * rounds, PAPER_S.get(name)) for name in names],
        rounds,
        [Plot("figure-4.2-http", "HTTP, five pages of 60 KB per request", number="4.2")],
        {"page_bytes": PAGE_BYTES, "pages": workload.pages, "requests_per_client_and_round": requests, "pause_s": options.pause},
        _checks,
    )


def _checks(summary: Summary) -> list[Check]:
    return [Check("median of SL-PS to that of RR+SPH", summary.ratio("median_s.SL-PS", "median_s.RR+SPH"), 0.5)]
