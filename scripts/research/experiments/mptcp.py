"""`mptcp`: MPTCP over Hamiltonian paths against TCP and plain MPTCP (section IV and figure 5 of the MPTCP paper)."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lab.strain import StrainMeter
from malob.errors import UsageError
from malob.network import topology
from malob.network.topology import Topology
from malob.system.preparation import need_root
from malob.system.waiting import orderly_end, say
from research.experiments import (
    arguments,
    machine,
    measurement,
    mptcp_forecast,
    mptcp_methods,
    mptcp_model,
    mptcp_pairs,
    mptcp_report,
    mptcp_sessions,
    mptcp_site,
    plan,
    plots,
    report,
    thesis_arguments,
)
from research.experiments.arguments import amount
from research.experiments.estimate import Estimate
from research.experiments.folder import Folder
from research.experiments.mptcp_methods import METHODS
from research.experiments.mptcp_model import Traffic
from research.experiments.mptcp_report import Cell, Results
from research.experiments.mptcp_sessions import Timing
from research.experiments.mptcp_site import MptcpSite
from research.experiments.progress import Progress
from research.experiments.samples import Record, Sample, SliceResult
from research.experiments.summary import Summary
from research.preparation import prepare

NAME = "mptcp"
HELP = "MPTCP over Hamiltonian paths, per VLAN or not, against TCP and plain MPTCP (figure 5 of the MPTCP paper)"

TOPOLOGIES = ("mptcp-1", "gridnet", "att-mpls")
_QUICK_TOPOLOGIES = TOPOLOGIES[:1]

_SETTING_UP_S = 3.0

#: The default rounds of --model-only, which are cheap.
_FORECAST_ROUNDS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    arguments.add_common(parser)
    parser.add_argument("--only", metavar="METHOD,METHOD...", help=f"run these methods only, of {', '.join(method.name for method in METHODS)}")
    parser.add_argument(
        "--topology",
        metavar="NAME,NAME...",
        help=f"names or files of topologies (default {','.join(TOPOLOGIES)}; with --quick {','.join(_QUICK_TOPOLOGIES)})",
    )
    parser.add_argument("--load", metavar="LOAD,LOAD...", help=f"of {', '.join(mptcp_pairs.LOADS)} (default all)")
    parser.add_argument("--scale", type=amount, default=1.0, metavar="F", help="multiplies the rates of all links (default %(default)s)")
    parser.add_argument(
        "--seconds", type=amount, metavar="S", help="duration of each session, after a warm-up of a third of it (default 15; with --quick 9)"
    )
    parser.add_argument("--congestion", metavar="NAME", help="congestion control of each sub-flow (default cubic if the kernel has it)")
    parser.add_argument("--model-only", action="store_true", help="only compute the fluid model's results for plans made offline; needs no root")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """The exit code of the command."""
    names = arguments.chosen(options.only, [method.name for method in METHODS])
    loads = arguments.chosen(options.load and options.load.upper(), mptcp_pairs.LOADS, "--load")
    networks = [_with_rates(topology.load(name)) for name in _topologies(options)]
    if options.model_only:
        return _forecast(options, networks, names, loads)
    congestion = thesis_arguments.congestion(options.congestion)
    need_root(f"lab run {NAME}")
    prepare("lab", "controller", *([] if options.no_plots else ["plots"]))
    study = MptcpStudy(options, networks, names, loads, congestion)
    with orderly_end():
        record = study.run()
        return _finish(options, study, record)


def _forecast(options: argparse.Namespace, networks: Sequence[Topology], names: Sequence[str], loads: Sequence[str]) -> int:
    folder = Folder(arguments.out_directory(options, NAME))
    rounds = options.rounds or _FORECAST_ROUNDS
    scaled = [network.scaled(options.scale) for network in networks]
    cells = _cells(networks, names, loads)
    traffic = Traffic(mptcp_site.ACCESS_MBPS)
    mptcp_forecast.draw(traffic, scaled, cells, rounds, options.seed)
    model = mptcp_model.mbps(folder, traffic)
    summed = Summary(
        NAME,
        {
            "model_only": True,
            "rounds": rounds,
            "seed": options.seed,
            "scale": options.scale,
            "access_mbps": mptcp_site.ACCESS_MBPS,
            "plans": traffic.described_plans(),
        },
        machine.facts(),
    )
    mptcp_forecast.summarise(summed, cells, model)
    folder.document("summary.json", summed.to_json())
    print(json.dumps(summed.to_json(), indent=2) if options.json else "\n".join(mptcp_forecast.table(cells, model)))
    return 0


def _cells(networks: Sequence[Topology], names: Sequence[str], loads: Sequence[str]) -> list[Cell]:
    return [Cell(name, load, network.name) for network in networks for load in loads for name in names]


def _topologies(options: argparse.Namespace) -> Sequence[str]:
    if options.topology is not None:
        return [name.strip() for name in options.topology.split(",")]
    return _QUICK_TOPOLOGIES if options.quick else TOPOLOGIES


def _with_rates(network: Topology) -> Topology:
    """The network unchanged. Raises UsageError if a link has no rate: then it has no fair share and cannot be modelled."""
    for link in network.links:
        if link.forward.rate_mbps is None or link.reverse.rate_mbps is None:
            raise UsageError(f"--topology: the link {link.first} - {link.second} of '{network.name}' has no rate_mbps")
    return network


class MptcpStudy:
    """Measures one network after the other, all methods and loads of each in turn."""

    def __init__(
        self, options: argparse.Namespace, networks: Sequence[Topology], names: Sequence[str], loads: Sequence[str], congestion: str
    ) -> None:
        self.seconds = options.seconds or (9.0 if options.quick else 15.0)
        self.rounds = options.rounds or (1 if options.quick else 5)
        self.cells = _cells(networks, names, loads)
        self.folder = Folder(arguments.out_directory(options, NAME))
        self.traffic = Traffic(mptcp_site.ACCESS_MBPS)
        #: sessions with fewer sub-flows than addresses, or that fell back to TCP
        self.incomplete = 0
        self._options = options
        self._networks = networks
        self._congestion = congestion
        self._timing = Timing(self.seconds / 3, self.seconds)
        self._done: Counter[str] = Counter()
        self._pairs: Sequence[tuple[str, str]] = ()
        self._site: MptcpSite | None = None
        self._by_key = {cell.key: cell for cell in self.cells}
        self.facts = machine.facts()
        self._links_by: str | None = None

    def run(self) -> Record:
        """All slices of all networks."""
        say(f"writing results to {self.folder.path}")
        slices = {
            network.name: plan.interleaved([cell.key for cell in self.cells if cell.topology == network.name], self.rounds, self._options.seed)
            for network in self._networks
        }
        guess_s = self._timing.warm_up_s + self.seconds + _SETTING_UP_S
        progress = Progress([each for some in slices.values() for each in some], Estimate(dict.fromkeys(self._by_key, guess_s)))
        results: list[SliceResult] = []
        for network in self._networks:
            with mptcp_site.open_site(network, self._options.scale, self._congestion, self.folder) as self._site:
                self.traffic.network(network.name, self._site.lab.topology)
                self._links_by = self._site.lab.shaper_kind
                results += measurement.run(self, slices[network.name], self.folder, progress).slices
                for method, answer in self._site.plans.items():
                    if not mptcp_methods.named(method).by_load:
                        self.traffic.plan(f"{network.name}.{method}", answer)
        return Record(results)

    def begin(self, case: str) -> Sequence[str]:
        assert self._site is not None
        cell = self._by_key[case]
        self._done[case] += 1
        self._pairs = mptcp_pairs.draw(cell.load, self._site.lab.topology, mptcp_pairs.seed_of(self._options.seed, cell.topology, self._done[case]))
        self._site.use(mptcp_methods.named(cell.method), self._pairs)
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        assert self._site is not None
        cell, site, number, pairs = self._by_key[case], self._site, self._done[case], self._pairs
        method = mptcp_methods.named(cell.method)
        addresses = [site.addresses(method, client, server) for client, server in pairs]
        planned = None if method.plan is None else f"{cell.topology}.{method.name}"
        if method.by_load:
            planned = self.traffic.plan_of_run(case, number, site.plans[method.name])
        self.traffic.add(case, cell.topology, planned, number, pairs, addresses)
        outcomes = mptcp_sessions.run(site.lab, pairs, mptcp_sessions.MPTCP if method.mptcp else mptcp_sessions.TCP, self._timing)
        self.incomplete += sum(1 for outcome, sources in zip(outcomes, addresses) if not outcome.error and outcome.subflows != len(sources))
        return [
            Sample(outcome.client, cell.load, place, outcome.began_s, self.seconds, outcome.size, outcome.server, True, outcome.error)
            for place, outcome in enumerate(outcomes, start=1)
        ]

    def strain_meter(self) -> StrainMeter:
        assert self._site is not None
        return StrainMeter.of(self._site.lab)

    def parameters(self) -> dict[str, object]:
        """The fixed parameters."""
        return {
            "topologies": {network.name: _rates(network, self._options.scale) for network in self._networks},
            "scale": self._options.scale,
            "seed": self._options.seed,
            "quick": self._options.quick,
            "rounds": self.rounds,
            "seconds": self.seconds,
            "warm_up_s": self._timing.warm_up_s,
            "congestion_control": self._congestion,
            "access_mbps": mptcp_site.ACCESS_MBPS,
            "queue_s": mptcp_site.QUEUE_S,
            "links_by": self._links_by,
            "most_sessions": mptcp_pairs.MAX_SESSIONS,
            "endpoints": "subflow",
            "plans": self.traffic.described_plans(),
            "cells": [cell.key for cell in self.cells],
        }


def _rates(network: Topology, scale: float) -> dict[str, object]:
    rates = sorted({round((link.direction(end).rate_mbps or 0) * scale, 3) for link in network.links for end in link.ends})
    return {"switches": len(network.switches), "links": len(network.links), "hosts": len(network.hosts), "link_mbps": rates}


def _finish(options: argparse.Namespace, study: MptcpStudy, record: Record) -> int:
    model = mptcp_model.mbps(study.folder, study.traffic)
    results = Results(record, study.cells, study.seconds, model)
    summed = Summary(NAME, study.parameters(), study.facts)
    mptcp_report.summarise(summed, results)
    report.add_strain(summed, record)
    summed.metric("sessions_without_all_subflows", study.incomplete, "1")
    study.folder.table("results.csv", mptcp_report.RESULTS, mptcp_report.rows(results))
    study.folder.document("summary.json", summed.to_json())
    if not options.no_plots:
        plots.draw(mptcp_report.figures(results), study.folder.path)
    if options.json:
        print(json.dumps(summed.to_json(), indent=2))
    else:
        print("\n".join(["", *mptcp_report.table(results), "", *report.check_lines(summed)]))
    return _verdict(summed, record, options.check, study.folder.path)


def _verdict(summed: Summary, record: Record, strict: bool, path: Path) -> int:
    for reason in summed.rejected:
        say(f"rejected: {reason}")
    failed = record.failed()
    if failed:
        say(f"{len(failed)} sessions failed: " + ", ".join(sorted({sample.error for sample in failed})))
    say(f"summary, raw data and figures are in {path}")
    missed = [check for check in summed.checks if check.holds is False]
    return 1 if failed or (strict and (missed or summed.rejected)) else 0
