"""`thesis-discussion`: SL-PS against HT-PS with one server nearer and the other on a faster link (section 4.2.4)."""

from __future__ import annotations

import argparse

from research.experiments.frame import arguments
from research.experiments.frame.arguments import amount
from research.experiments.frame.report import Row
from research.experiments.frame.summary import Check, Summary
from research.experiments.thesis import ftp, http
from research.experiments.thesis.scenario import JOINT, OWN, Case, Plot, Scenario, add_options, setup
from research.experiments.workloads import Http, Load, Workload

NAME = "thesis-discussion"
HELP = "SL-PS against HT-PS on the network of Table 4.4 (figures 4.7 and 4.8)"

# 300 kB over one connection take a quarter of a second on a link of 9.8 Mbit/s at the least, and less than that over the
# longer, faster one, where TCP's window soon holds a whole page: the outcome that the thesis reports needs a connection per page.

_COMPARED = (*JOINT, *OWN)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "HTTP requests, and for each five of them an FTP transfer,", 1.0)
    parser.add_argument("--size", type=amount, metavar="MB", help="of the file, multiplied by --scale (default 20; with --quick 5; thesis 100)")
    parser.add_argument(
        "--one-connection",
        action="store_true",
        help="load the pages of a request over one connection, as in thesis-http (default: one connection each)",
    )


def scenario(options: argparse.Namespace) -> Scenario:
    names = arguments.chosen(options.only, _COMPARED)
    size_mb = options.size or (5.0 if options.quick else 20.0)
    requests = options.requests or (5 if options.quick else 15)
    rounds = arguments.rounds(options, 5, 2)
    workloads: list[tuple[Workload, int]] = [
        (Http(http.PAGE_BYTES, connection_per_page=not options.one_connection), requests),
        (ftp.workload_of(size_mb, options.scale), max(1, requests // 5)),
    ]
    connections = "one connection" if options.one_connection else "a connection each"
    cases, rows = [], []
    for workload, count in workloads:
        for name in names:
            key = f"{name}.{workload.name}"
            cases.append(Case(key, {workload.name: name}, [Load(workload, count)]))
            rows.append(Row(key, key, workload.name, count * rounds, label=name))
    return Scenario(
        NAME,
        setup(options, "thesis-two-servers", [workload for workload, _ in workloads], servers=2),
        cases,
        rows,
        rounds,
        [
            Plot("figure-4.7-http", f"HTTP, five pages of 60 KB per request, {connections}, Table 4.4", "http"),
            Plot("figure-4.8-ftp", f"FTP, files of {size_mb:g} MB × {options.scale:g}, Table 4.4", "ftp"),
        ],
        {
            "page_bytes": http.PAGE_BYTES,
            "connection_per_page": not options.one_connection,
            "size_mb": size_mb,
            "requests_per_client_and_round": requests,
        },
        _checks,
    )


def _checks(summary: Summary) -> list[Check]:
    return [
        Check("HTTP: median of SL-PS to that of HT-PS", summary.ratio("median_s.SL-PS.http", "median_s.HT-PS.http"), 1.0),
        Check("FTP: median of HT-PS to that of SL-PS", summary.ratio("median_s.HT-PS.ftp", "median_s.SL-PS.ftp"), 1.0),
    ]
