"""`./malob bench compare`: balancers under the same load; their order is reversed in every second repeat."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab import control
from malob.cli import table
from malob.cli.arguments import Parser, positive
from malob.errors import MissingError, UsageError
from malob.network import topology
from malob.system import ovs
from malob.system.preparation import prepare
from malob.system.waiting import say
from research.bench.bench_command import BenchCommand, Document, turns
from research.bench.compare import balancers, figures
from research.bench.compare.balancers import Balancer
from research.bench.compare.comparison_site import ComparisonSite
from research.bench.compare.load import PAGE_BYTES, Plan, Round, run_round
from research.experiments.frame import machine, plots

#: the default networks, and the delay of their control channels: without a delay, first packets would skip the links' delays
_NETWORKS = {"mesh5": [], "geni-wan": ["10"]}

#: The values of --quick that other options override.
_QUICK = {"repeats": 1, "connections": 300, "connects": 20, "pages": 12}

#: a small load before the measurement, so that hosts are known and programs are warm
_WARM_UP = Plan(connections=60, parallel=5, connects=2, pages=2)


@dataclass(frozen=True)
class Network:
    """A network for the comparison. control_delays_ms: one way, by switch."""

    name: str
    control_delays_ms: Mapping[str, float]


class CompareCommand(BenchCommand):
    name = "compare"
    purpose = "MALOB beside no balancer and proxies, under the same load on the same networks; needs root"
    description = (
        "Puts the same load on the same emulated networks, with one balancer after the other: new connections (ab, without"
        " keep-alive), connect() alone, and pages. Figures are medians of the repeats. Exit code 1 if a connection failed."
    )
    needs = ("lab", "emulator", "bench", "controller")
    out_help = "also write them to DIR/compare.json, with figures"
    has_load = False
    _labels: Mapping[str, str] = {}

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--networks", metavar="NAMES", default=",".join(_NETWORKS), help="topologies of the lab (default %(default)s)")
        parser.add_argument("--only", metavar="NAMES", help=f"some of {','.join(balancers.ALL)} (default all)")
        parser.add_argument("--quick", action="store_true", help="one repeat with a tenth of the load: some minutes, and rough figures")
        parser.add_argument("--repeats", type=positive, default=3, metavar="N", help="repeats, in alternating order (default %(default)s)")
        parser.add_argument("--connections", type=positive, default=3000, metavar="N", help="requests of ab per client (default %(default)s)")
        parser.add_argument("--parallel", type=positive, default=10, metavar="N", help="parallel requests per client (default %(default)s)")
        parser.add_argument(
            "--connects", type=positive, default=100, metavar="N", help="timed connections per client, one after the other (default %(default)s)"
        )
        parser.add_argument(
            "--pages", type=positive, default=48, metavar="N", help="pages of 200 kB per client, one after the other (default %(default)s)"
        )
        parser.add_argument(
            "--control-delay",
            metavar="[SWITCH=]MS",
            action="append",
            default=[],
            help="the one-way delay between the controller and a switch, or all switches; may be repeated (default 10 on geni-wan, else none)",
        )
        parser.add_argument("--floodlight", metavar="FILE", help="a jar of Floodlight with its libraries, whose own balancer takes part")
        parser.add_argument("--no-plots", action="store_true", help="draw no figures (matplotlib is not needed)")

    def options(self, words: Sequence[str]) -> argparse.Namespace:
        parser = self.parser()
        if parser.parse_args(words).quick:
            parser.set_defaults(**_QUICK)
        read = parser.parse_args(words)
        self.check(read)
        return read

    def check(self, options: argparse.Namespace) -> None:
        options.chosen = _chosen(options.only, Path(options.floodlight) if options.floodlight else None)
        self._labels = {name: balancer.label for name, balancer in options.chosen.items()}
        options.measured = _networks(options)

    def parts(self, options: argparse.Namespace) -> Sequence[str]:
        return self.needs if options.out is None or options.no_plots else (*self.needs, "plots")

    def measure(self, options: argparse.Namespace) -> Document:
        skipped = _prepare(options.chosen)
        facts = machine.facts()
        plan = Plan(options.connections, options.parallel, options.connects, options.pages)
        results = [compare(network, options.chosen, skipped, plan, options.repeats) for network in options.measured]
        return {
            "parameters": {**asdict(plan), "page_bytes": PAGE_BYTES, "repeats": options.repeats},
            "machine": facts,
            "networks": results,
        }

    def write_more(self, found: Document, options: argparse.Namespace, out: Path) -> None:
        if not options.no_plots:
            plots.draw(figures.plots(found["networks"], self._labels), out)

    def lines(self, found: Document) -> list[str]:
        lines: list[str] = []
        for result in found["networks"]:
            rows = figures.rows(self._labels, result["balancers"])
            lines += [f"{result['network']} (proxies on {result['proxy_host']})"]
            lines += table.render(figures.HEADER, rows, right=range(1, len(figures.HEADER)))
            lines += [*figures.remarks(self._labels, result["balancers"]), ""]
        return lines[:-1]

    def holds(self, found: Document) -> bool:
        return not any(each.get("failed") for result in found["networks"] for each in result["balancers"].values())


def _prepare(chosen: Mapping[str, Balancer]) -> dict[str, str]:
    """The balancers whose programs could not be installed, and the reasons."""
    skipped = {}
    for name, balancer in chosen.items():
        if balancer.needs:
            try:
                prepare(balancer.needs)
            except MissingError as error:
                skipped[name] = str(error)
    return skipped


def _chosen(only: str | None, jar: Path | None) -> dict[str, Balancer]:
    available = dict(balancers.ALL)
    if jar is not None:
        available[balancers.FLOODLIGHT] = balancers.floodlight(jar)
    names = list(available) if only is None else only.split(",")
    for name in names:
        if name == balancers.FLOODLIGHT and jar is None:
            raise UsageError("--only: 'floodlight' needs --floodlight JAR")
        if name not in available:
            raise UsageError(f"--only: expected some of {','.join(available)}, not '{name}'")
    return {name: balancer for name, balancer in available.items() if name in names}


def _networks(given: argparse.Namespace) -> list[Network]:
    made = []
    for name in given.networks.split(","):
        network = topology.load(name)
        for role in ("client", "server"):
            if not network.with_role(role):
                raise UsageError(f"--networks: '{name}' has no host with the role '{role}'")
        words = given.control_delay or _NETWORKS.get(name, [])
        made.append(Network(name, control.parse_delays(words, network)))
    return made


def compare(network: Network, chosen: Mapping[str, Balancer], skipped: Mapping[str, str], plan: Plan, repeats: int) -> dict[str, Any]:
    """The figures of each balancer on a network, which is built for it and removed.

    skipped: balancers that cannot run, and the reasons.
    """
    rounds: dict[str, list[Round]] = {name: [] for name in chosen}
    reasons = dict(skipped)
    with (
        tempfile.TemporaryDirectory(prefix="malob-bench-") as directory,
        ComparisonSite(topology.load(network.name), network.control_delays_ms, Path(directory)) as site,
    ):
        for name in turns(list(chosen), repeats, turn, f"{network.name}, repeat"):
            if name not in reasons:
                try:
                    rounds[name].append(_round(site, chosen[name], plan))
                except MissingError as error:
                    say(f"{name} is skipped: {error}")
                    reasons[name] = str(error)
        proxy_host = site.proxy_host.name
    found = {name: {"skipped": reasons[name]} if name in reasons else figures.figures(made) for name, made in rounds.items()}
    return {"network": network.name, "control_delays_ms": dict(network.control_delays_ms), "proxy_host": proxy_host, "balancers": found}


def turn(names: Sequence[str], number: int) -> list[str]:
    """The order of balancers in a repeat: reversed in every second one."""
    return list(names if number % 2 == 0 else reversed(names))


def _round(site: ComparisonSite, balancer: Balancer, plan: Plan) -> Round:
    clients = [client.name for client in site.clients]
    # what the switches remember of a client's port would cost its next connection
    ovs.flush_connections()
    with balancer.run(site) as target:
        run_round(site.lab, clients, target, _WARM_UP)
        return run_round(site.lab, clients, target, plan)
