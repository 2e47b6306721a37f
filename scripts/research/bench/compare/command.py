"""`./malob bench compare`: its command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab import control
from malob.cli import table
from malob.cli.arguments import Parser, positive
from malob.errors import MissingError, UsageError
from malob.network import topology
from malob.system.preparation import need_root, prepare
from malob.system.waiting import orderly_end
from research.bench.compare import balancers, comparison, figures
from research.bench.compare.comparison import Network
from research.bench.compare.load import PAGE_BYTES, Plan
from research.experiments import machine, plots

#: the default networks, and the delay of their control channels: without a delay, first packets would skip the links' delays
_NETWORKS = {"mesh5": [], "geni-wan": ["10"]}

#: The values of --quick that other options override.
_QUICK = {"repeats": 1, "connections": 300, "connects": 20, "pages": 12}


def options(words: Sequence[str]) -> argparse.Namespace:
    made = parser()
    read = made.parse_args(words)
    if read.quick:
        made.set_defaults(**_QUICK)
        read = made.parse_args(words)
    return read


def main(words: Sequence[str]) -> int:
    given = options(words)
    chosen = _chosen(given.only, Path(given.floodlight) if given.floodlight else None)
    labels = {name: balancer.label for name, balancer in chosen.items()}
    networks = _networks(given)
    plan = Plan(given.connections, given.parallel, given.connects, given.pages)
    out = Path(given.out) if given.out else None
    if out is not None:
        _make(out)
    need_root("bench compare")
    for part in ("lab", "emulator", "bench", "controller"):
        prepare(part)
    if out is not None and not given.no_plots:
        prepare("plots")
    skipped = _prepare(chosen)
    facts = machine.facts()
    with orderly_end():
        results = [comparison.compare(network, chosen, skipped, plan, given.repeats) for network in networks]
    document = {"parameters": {**asdict(plan), "page_bytes": PAGE_BYTES, "repeats": given.repeats}, "machine": facts, "networks": results}
    text = json.dumps(document, indent=2)
    if out is not None:
        (out / "compare.json").write_text(text + "\n", encoding="utf-8")
        if not given.no_plots:
            plots.draw(figures.plots(results, labels), out)
    print(text if given.json else "\n".join(_shown(document, labels)))
    failed = any(found.get("failed") for result in results for found in result["balancers"].values())
    return 1 if failed else 0


def _shown(document: Mapping[str, Any], labels: Mapping[str, str]) -> list[str]:
    lines: list[str] = []
    for result in document["networks"]:
        rows = figures.rows(labels, result["balancers"])
        lines += [f"{result['network']} (proxies on {result['proxy_host']})"]
        lines += table.render(figures.HEADER, rows, right=range(1, len(figures.HEADER)))
        lines += [*figures.remarks(labels, result["balancers"]), ""]
    return lines[:-1]


def _prepare(chosen: Mapping[str, balancers.Balancer]) -> dict[str, str]:
    """The balancers whose programs could not be installed, and the reasons."""
    skipped = {}
    for name, balancer in chosen.items():
        if balancer.needs:
            try:
                prepare(balancer.needs)
            except MissingError as error:
                skipped[name] = str(error)
    return skipped


def _chosen(only: str | None, jar: Path | None) -> dict[str, balancers.Balancer]:
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


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out: cannot write to {out}: {error.strerror}") from None


def parser() -> Parser:
    made = Parser(
        prog="malob bench compare",
        description="Puts the same load on the same emulated networks, with one balancer after the other: new connections (ab, without"
        " keep-alive), connect() alone, and pages. Figures are medians of the repeats. Exit code 1 if a connection failed.",
    )
    made.add_argument("--networks", metavar="NAMES", default=",".join(_NETWORKS), help="topologies of the lab (default %(default)s)")
    made.add_argument("--only", metavar="NAMES", help=f"some of {','.join(balancers.ALL)} (default all)")
    made.add_argument("--quick", action="store_true", help="one repeat with a tenth of the load: some minutes, and rough figures")
    made.add_argument("--repeats", type=positive, default=3, metavar="N", help="repeats, in alternating order (default %(default)s)")
    made.add_argument("--connections", type=positive, default=3000, metavar="N", help="requests of ab per client (default %(default)s)")
    made.add_argument("--parallel", type=positive, default=10, metavar="N", help="parallel requests per client (default %(default)s)")
    made.add_argument(
        "--connects", type=positive, default=100, metavar="N", help="timed connections per client, one after the other (default %(default)s)"
    )
    made.add_argument("--pages", type=positive, default=48, metavar="N", help="pages of 200 kB per client, one after the other (default %(default)s)")
    made.add_argument(
        "--control-delay",
        metavar="[SWITCH=]MS",
        action="append",
        default=[],
        help="the one-way delay between the controller and a switch, or all switches; may be repeated (default 10 on geni-wan, else none)",
    )
    made.add_argument("--floodlight", metavar="FILE", help="a jar of Floodlight with its libraries, whose own balancer takes part")
    made.add_argument("--no-plots", action="store_true", help="draw no figures (matplotlib is not needed)")
    made.add_argument("--json", action="store_true", help="print the results as JSON")
    made.add_argument("--out", metavar="DIR", help="also write them to DIR/compare.json, with figures")
    return made
