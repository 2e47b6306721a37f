"""`./malob bench open-vswitch`: new connections on one real Open vSwitch, each case in pairs with plain forwarding."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from malob.cli.arguments import Parser, positive
from malob.system.preparation import prepare
from research.bench import ovn
from research.bench.bench_command import BenchCommand, Document, add_connects, check_parallel
from research.bench.open_vswitch.cases import CASES, OVN
from research.bench.open_vswitch.figures import counters, figures, table
from research.bench.open_vswitch.site import OpenVSwitchSite


class OpenVSwitchCommand(BenchCommand):
    name = "open-vswitch"
    purpose = "new connections on real Open vSwitch, by placements, through OVN's load balancer and without one; needs root"
    description = (
        "Opens connections (ab, without keep-alive) on one Open vSwitch, through VIPs with different placements and through OVN's"
        " load balancer. Each round has another one beside it, directly to a server with the switch learning addresses by itself"
        " (plain); ratios are those within such a pair. Processor time is per connection."
    )
    needs = ("lab", "bench", "controller")

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--case", action="append", choices=list(CASES), help="run only this case; may be repeated (default all but ovn)")
        parser.add_argument("--requests", type=positive, default=10_000, metavar="N", help="requests per round (default %(default)s)")
        parser.add_argument("--parallel", type=positive, default=20, metavar="N", help="parallel requests (default %(default)s)")
        parser.add_argument("--rounds", type=positive, default=3, metavar="N", help="pairs of rounds of each case (default %(default)s)")
        add_connects(parser)

    def check(self, options: argparse.Namespace) -> None:
        check_parallel(options)

    def measure(self, options: argparse.Namespace) -> Document:
        cases = _available(options)
        with tempfile.TemporaryDirectory(prefix="malob-bench-") as directory, OpenVSwitchSite(Path(directory), cases, options) as site:
            return figures(site.measure(), options.requests)

    def lines(self, found: Document) -> list[str]:
        found = {case: each for case, each in found.items() if isinstance(each, dict)}
        return [*table(found).printed(), "", *counters(found).printed()]

    def holds(self, found: Document) -> bool:
        return not any(each["failed"] for each in found.values() if isinstance(each, dict))


def _available(options: argparse.Namespace) -> list[str]:
    """The cases. OVN only by name: on Open vSwitch 3.1, requests through it time out in rounds of 10,000."""
    cases = [case for name, case in CASES.items() if name in (options.case or CASES.keys() - {"ovn"})]
    if OVN in cases:
        prepare(ovn.NEEDS)
    return cases
