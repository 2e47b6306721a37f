"""`thesis-bio`: computations (section 4.2.3, figures 4.4 and 4.5)."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Sequence

from malob.cli.arguments import positive
from malob.system.waiting import say
from research.experiments.frame import arguments
from research.experiments.frame.arguments import amount
from research.experiments.frame.folder import Folder
from research.experiments.frame.plots import Bar, Figure
from research.experiments.frame.report import Row
from research.experiments.frame.summary import Check, Summary
from research.experiments.site import clients
from research.experiments.site.clients import Client
from research.experiments.site.site import ExperimentSite
from research.experiments.thesis import ftp, http
from research.experiments.thesis.scenario import ALL, PAPER, Case, Plot, Scenario, add_options, setup
from research.experiments.workloads import Compute, Http, Load, Workload

NAME = "thesis-bio"
HELP = "computations of a fixed amount of processor time (figures 4.4 and 4.5)"

#: The expected time of the CPU rule, which finds a processor for each request, and of all others.
PAPER_S = {
    **dict.fromkeys(PAPER, (65.0, 65.0)),
    **{name: (35.0, 35.0) for name in PAPER if name.startswith("CPU")},
}

#: The time of a single request in the thesis: the median if no two share a processor.
PAPER_ALONE_S = 35.0

#: With one each, four requests share six processors, and the algorithms hardly differ, because most requests have a processor
#: for themselves.
_AT_ONCE = 2

_SERVER, _CLIENT = "server-2", "client-2"
_INTERVAL_S = 0.1
_BEFORE_S = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "computations", 0.2)
    parser.add_argument(
        "--alone", type=amount, metavar="S", help="how long a computation takes on an idle processor (default 5; with --quick 1.5; thesis 35)"
    )
    parser.add_argument("--at-once", type=positive, default=_AT_ONCE, metavar="N", help="parallel computations per client (default %(default)s)")


def scenario(options: argparse.Namespace) -> Scenario:
    names = arguments.chosen(options.only, ALL)
    alone_s = options.alone or (1.5 if options.quick else 5.0)
    workload = workload_of(alone_s, options.processor)
    others: list[Workload] = [Http(http.PAGE_BYTES), ftp.workload_of(10.0 if options.quick else 100.0, options.scale)]
    requests = options.requests or (3 if options.quick else 4)
    rounds = arguments.rounds(options, 3)
    return Scenario(
        NAME,
        setup(options, "geni-wan", [workload, *others], balanced=[workload]),
        [Case(name, {workload.name: name}, [Load(workload, requests, options.at_once)]) for name in names],
        [Row(name, name, workload.name, 4 * options.at_once * requests * rounds, PAPER_S.get(name)) for name in names],
        rounds,
        [Plot("figure-4.5-bio", f"Computations that take {alone_s:g} s alone", number="4.5")],
        {"alone_s": alone_s, "cpu_s_per_request": workload.cpu_s, "at_once_per_client": options.at_once, "requests_per_client_and_round": requests},
        _checks,
        paper_factor=alone_s / PAPER_ALONE_S,
        before=lambda site, folder, summary: _measure_cpu(site, folder, summary, [*others, workload]),
    )


def workload_of(alone_s: float, processor: float) -> Compute:
    """A computation that takes alone_s on a processor that is this share of a core."""
    return Compute(round(alone_s * processor, 6), alone_s)


def _checks(summary: Summary) -> list[Check]:
    return [
        Check(f"median of CPU+{path} to that of RR+{path}", summary.ratio(f"median_s.CPU+{path}", f"median_s.RR+{path}"), 0.6)
        for path in ("SPH", "SPL", "HTP")
    ]


def _measure_cpu(site: ExperimentSite, folder: Folder, summary: Summary, workloads: Sequence[Workload]) -> list[Figure]:
    """Figure 4.4: the share of server 2's processor that a request of each kind uses.

    Adds `cpu_mean.KIND` and `cpu_peak.KIND` (of a tenth of a second), and writes request-cpu.csv.
    """
    rows, bars = [], []
    for workload in workloads:
        say(f"the use of {_SERVER}'s processor by one request: {workload.name}")
        uses = _uses(site, workload)
        mean, peak = sum(uses) / len(uses), max(uses)
        summary.metric(f"cpu_mean.{workload.name}", round(mean, 4), "1")
        summary.metric(f"cpu_peak.{workload.name}", round(peak, 4), "1")
        rows += [[workload.name, f"{number * _INTERVAL_S:.1f}", f"{use:.4f}"] for number, use in enumerate(uses)]
        bars.append(Bar(workload.name, 100 * mean, 100 * mean, 100 * peak, len(uses)))
    folder.table("request-cpu.csv", ["kind", "seconds", "cpu"], rows)
    return [
        Figure(
            "figure-4.4-cpu",
            f"Use of {_SERVER}'s processor during one request",
            "% of the processor",
            bars,
            whiskers=f"up to the largest of all {_INTERVAL_S:g} s",
        )
    ]


def _uses(site: ExperimentSite, workload: Workload) -> list[float]:
    """The share in each interval of the request, which is sent directly to the server."""
    address = site.lab.topology.hosts[_SERVER].ip
    client = Client(_CLIENT, _CLIENT, workload.name, [*workload.client_options(), "--count", "2"], 2)
    # the first request finds neighbours' addresses and a route
    clients.run(site.lab, address, [Client(_CLIENT, _CLIENT, workload.name, client.options, 1)], 600)
    time.sleep(_BEFORE_S)
    readings: list[tuple[float, float]] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.is_set():
            readings.append((time.monotonic(), site.limits.used_s(_SERVER)))
            ended.wait(_INTERVAL_S)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        sample = clients.run(site.lab, address, [Client(_CLIENT, _CLIENT, workload.name, client.options, 1)], 600)[0]
    finally:
        ended.set()
        watching.join()
    readings.append((time.monotonic(), site.limits.used_s(_SERVER)))
    quota = site.limits.quota(_SERVER)
    return [
        (after[1] - before[1]) / (after[0] - before[0]) / quota
        for before, after in zip(readings, readings[1:])
        if after[0] > sample.began_s and before[0] < sample.began_s + sample.seconds and after[0] > before[0]
    ]
