"""`thesis-mix`: web pages, files and computations at the same time, through one VIP. Not in the thesis."""

from __future__ import annotations

import argparse

from research.experiments.frame import arguments
from research.experiments.frame.arguments import amount
from research.experiments.frame.report import Row
from research.experiments.thesis import bio, ftp, http
from research.experiments.thesis.scenario import ALL, Case, Plot, Scenario, add_options, setup
from research.experiments.workloads import Http, Load

NAME = "thesis-mix"
HELP = "web pages, files and computations at the same time through one VIP"

#: The conclusion of the thesis: the suitable rule for each service.
BY_SERVICE = "by-service"
_BY_SERVICE = {"http": "SL-PS", "ftp": "HT-PS", "compute": "CPU+SPL"}

#: The approximate number of pages and computations in the time of a file.
_PAGES_PER_FILE, _COMPUTATIONS_PER_FILE = 20, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(
        parser, f"transfers, {_COMPUTATIONS_PER_FILE} times as many computations and {_PAGES_PER_FILE} times as many requests of five pages", 0.15
    )
    parser.add_argument("--size", type=amount, metavar="MB", help="of the file, multiplied by --scale (default 50; with --quick 10; thesis 100)")
    parser.add_argument(
        "--alone", type=amount, metavar="S", help="how long a computation takes on an idle processor (default 3; with --quick 1; thesis 35)"
    )


def scenario(options: argparse.Namespace) -> Scenario:
    names = arguments.chosen(options.only, (*ALL, BY_SERVICE))
    size_mb = options.size or (10.0 if options.quick else 50.0)
    alone_s = options.alone or (1.0 if options.quick else 3.0)
    requests = options.requests or (1 if options.quick else 2)
    rounds = arguments.rounds(options, 3)
    loads = [
        Load(Http(http.PAGE_BYTES), requests * _PAGES_PER_FILE),
        Load(ftp.workload_of(size_mb, options.scale), requests),
        Load(bio.workload_of(alone_s, options.processor), requests * _COMPUTATIONS_PER_FILE),
    ]
    kinds = [load.workload.name for load in loads]
    return Scenario(
        NAME,
        setup(options, "geni-wan", [load.workload for load in loads]),
        [Case(name, _BY_SERVICE if name == BY_SERVICE else dict.fromkeys(kinds, name), loads) for name in names],
        [Row(f"{name}.{load.workload.name}", name, load.workload.name, 4 * load.requests * rounds, label=name) for load in loads for name in names],
        rounds,
        [Plot(f"mix-{kind}", f"All at the same time: {kind}", kind) for kind in kinds],
        {
            "page_bytes": http.PAGE_BYTES,
            "size_mb": size_mb,
            "alone_s": alone_s,
            "by_service": _BY_SERVICE,
            "requests_per_client_and_round": {load.workload.name: load.requests for load in loads},
        },
        lambda summary: [],
    )
