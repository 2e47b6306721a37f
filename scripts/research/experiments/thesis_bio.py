"""`thesis-bio`: computations (section 4.2.3, figures 4.4 and 4.5)."""

from __future__ import annotations

import argparse

from malob.cli.arguments import positive
from research.experiments import arguments, combinations, request_cpu, thesis_arguments, thesis_ftp, thesis_http
from research.experiments.arguments import amount
from research.experiments.report import Row
from research.experiments.scenario import Case, Plot, Scenario
from research.experiments.summary import Check, Summary
from research.experiments.workloads.compute import Compute
from research.experiments.workloads.http import Http
from research.experiments.workloads.workload import Load, Workload

NAME = "thesis-bio"
HELP = "computations of a fixed amount of processor time (figures 4.4 and 4.5)"

#: The expected time of the CPU rule, which finds a processor for each request, and of all others.
PAPER_S = {
    **dict.fromkeys(combinations.PAPER, (65.0, 65.0)),
    **{name: (35.0, 35.0) for name in combinations.PAPER if name.startswith("CPU")},
}

#: The time of a single request in the thesis: the median if no two share a processor.
PAPER_ALONE_S = 35.0

#: With one each, four requests share six processors, and the algorithms hardly differ, because most requests have a processor
#: for themselves.
_AT_ONCE = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    thesis_arguments.add(parser, "computations", 0.2)
    parser.add_argument(
        "--alone", type=amount, metavar="S", help="how long a computation takes on an idle processor (default 5; with --quick 1.5; thesis 35)"
    )
    parser.add_argument("--at-once", type=positive, default=_AT_ONCE, metavar="N", help="parallel computations per client (default %(default)s)")


def scenario(options: argparse.Namespace) -> Scenario:
    names = arguments.chosen(options.only, combinations.ALL)
    alone_s = options.alone or (1.5 if options.quick else 5.0)
    workload = workload_of(alone_s, options.processor)
    others: list[Workload] = [Http(thesis_http.PAGE_BYTES), thesis_ftp.workload_of(10.0 if options.quick else 100.0, options.scale)]
    requests = options.requests or (3 if options.quick else 4)
    rounds = options.rounds or (1 if options.quick else 3)
    return Scenario(
        NAME,
        thesis_arguments.setup(options, "geni-wan", [workload, *others], balanced=[workload]),
        [Case(name, {workload.name: name}, [Load(workload, requests, options.at_once)]) for name in names],
        [Row(name, name, workload.name, 4 * options.at_once * requests * rounds, PAPER_S.get(name)) for name in names],
        rounds,
        [Plot("figure-4.5-bio", f"Computations that take {alone_s:g} s alone", number="4.5")],
        {"alone_s": alone_s, "cpu_s_per_request": workload.cpu_s, "at_once_per_client": options.at_once, "requests_per_client_and_round": requests},
        _checks,
        paper_factor=alone_s / PAPER_ALONE_S,
        before=lambda site, folder, summary: request_cpu.measure(site, folder, summary, [*others, workload]),
    )


def workload_of(alone_s: float, processor: float) -> Compute:
    """A computation that takes alone_s on a processor that is this share of a core."""
    return Compute(round(alone_s * processor, 6), alone_s)


def _checks(summary: Summary) -> list[Check]:
    return [
        Check(f"median of CPU+{path} to that of RR+{path}", summary.ratio(f"median_s.CPU+{path}", f"median_s.RR+{path}"), 0.6)
        for path in ("SPH", "SPL", "HTP")
    ]
