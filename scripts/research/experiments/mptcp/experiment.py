"""`mptcp`: MPTCP over Hamiltonian paths against TCP and plain MPTCP (section IV and figure 5 of the MPTCP paper)."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lab.saturation import SaturationMeter
from malob.errors import UsageError
from malob.network import topology
from malob.network.topology import Topology
from research.experiments.frame import arguments, machine
from research.experiments.frame.arguments import amount
from research.experiments.frame.folder import Folder
from research.experiments.frame.samples import Record, Sample
from research.experiments.frame.study import Report, Study
from research.experiments.frame.summary import Summary
from research.experiments.mptcp import methods, sessions
from research.experiments.mptcp import model as mptcp_model
from research.experiments.mptcp import pairs as mptcp_pairs
from research.experiments.mptcp import report as mptcp_report
from research.experiments.mptcp import site as mptcp_site
from research.experiments.mptcp.methods import METHODS
from research.experiments.mptcp.model import Traffic
from research.experiments.mptcp.report import Cell, Results
from research.experiments.mptcp.sessions import Timing
from research.experiments.mptcp.site import MptcpSite

TOPOLOGIES = ("mptcp-1", "gridnet", "att-mpls")
_QUICK_TOPOLOGIES = TOPOLOGIES[:1]

_SETTING_UP_S = 3.0

#: The default rounds of --model-only, which are cheap.
_FORECAST_ROUNDS = 100


class MptcpStudy(Study):
    """Measures one network after the other, all methods and loads of each in turn."""

    name = "mptcp"
    purpose = "MPTCP over Hamiltonian paths, per VLAN or not, against TCP and plain MPTCP (figure 5 of the MPTCP paper)"
    parts = ("lab", "controller")
    subjects = "sessions"
    #: the network, while it is up
    site: MptcpSite

    def __init__(self, options: argparse.Namespace) -> None:
        """Raises UsageError."""
        names = arguments.chosen(options.only, [method.name for method in METHODS])
        loads = arguments.chosen(options.load and options.load.upper(), mptcp_pairs.LOADS, "--load")
        self._networks = [_with_rates(topology.load(name)) for name in _topologies(options)]
        self.cells = [Cell(name, load, network.name) for network in self._networks for load in loads for name in names]
        self._by_key = {cell.key: cell for cell in self.cells}
        super().__init__(options, list(self._by_key), arguments.rounds(options, 5))
        self.congestion = arguments.congestion(options.congestion)
        self.seconds = options.seconds or (9.0 if options.quick else 15.0)
        self.traffic = Traffic(mptcp_site.ACCESS_MBPS)
        #: sessions with fewer sub-flows than addresses, or that fell back to TCP
        self.incomplete = 0
        self._timing = Timing(self.seconds / 3, self.seconds)
        self._done: Counter[str] = Counter()
        self._pairs: Sequence[tuple[str, str]] = ()

    @classmethod
    def add_options(cls, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
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
        arguments.add_congestion(parser, "each sub-flow")
        parser.add_argument("--model-only", action="store_true", help="only compute the fluid model's results for plans made offline; needs no root")

    def main(self) -> int:
        return self._forecast() if self.options.model_only else super().main()

    def places(self) -> list[tuple[Topology, list[str]]]:
        return [(network, [cell.key for cell in self.cells if cell.topology == network.name]) for network in self._networks]

    def guesses_s(self) -> dict[str, float]:
        return dict.fromkeys(self.keys, self._timing.warm_up_s + self.seconds + _SETTING_UP_S)

    @contextmanager
    def network(self, place: Topology) -> Iterator[None]:
        with MptcpSite(place, self.options.scale, self.congestion, self.folder) as self.site:
            self.traffic.network(place.name, self.site.lab.topology)
            yield
            for method, answer in self.site.plans.items():
                if not methods.named(method).by_load:
                    self.traffic.plan(f"{place.name}.{method}", answer)

    def begin(self, case: str) -> Sequence[str]:
        cell = self._by_key[case]
        self._done[case] += 1
        self._pairs = mptcp_pairs.draw(cell.load, self.site.lab.topology, mptcp_pairs.seed_of(self.options.seed, cell.topology, self._done[case]))
        self.site.use(methods.named(cell.method), self._pairs)
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        cell, site, number, pairs = self._by_key[case], self.site, self._done[case], self._pairs
        method = methods.named(cell.method)
        addresses = [site.addresses(method, client, server) for client, server in pairs]
        planned = None if method.plan is None else f"{cell.topology}.{method.name}"
        if method.by_load:
            planned = self.traffic.plan_of_run(case, number, site.plans[method.name])
        self.traffic.add(case, cell.topology, planned, number, pairs, addresses)
        outcomes = sessions.run(site.lab, pairs, sessions.MPTCP if method.mptcp else sessions.TCP, self._timing)
        self.incomplete += sum(1 for outcome, sources in zip(outcomes, addresses) if not outcome.error and outcome.subflows != len(sources))
        return [
            Sample(outcome.client, cell.load, place, outcome.began_s, self.seconds, outcome.size, outcome.server, True, outcome.error)
            for place, outcome in enumerate(outcomes, start=1)
        ]

    def saturation_meter(self) -> SaturationMeter:
        return SaturationMeter.of(self.site.lab)

    def parameters(self) -> dict[str, object]:
        return {
            "topologies": {network.name: _rates(network, self.options.scale) for network in self._networks},
            "scale": self.options.scale,
            "seed": self.options.seed,
            "quick": self.options.quick,
            "rounds": self.rounds,
            "seconds": self.seconds,
            "warm_up_s": self._timing.warm_up_s,
            "congestion_control": self.congestion,
            "access_mbps": mptcp_site.ACCESS_MBPS,
            "queue_s": mptcp_site.QUEUE_S,
            "links_by": self.site.lab.shaper_kind,
            "most_sessions": mptcp_pairs.MAX_SESSIONS,
            "endpoints": "subflow",
            "plans": self.traffic.described_plans(),
            "cells": list(self.keys),
        }

    def report(self, record: Record) -> Report:
        results = Results(record, self.cells, self.seconds, mptcp_model.mbps(self.folder, self.traffic))
        mptcp_report.summarise(self.summed, results)
        self.summed.metric("sessions_without_all_subflows", self.incomplete, "1")
        return mptcp_report.table(results), mptcp_report.figures(results)

    def _forecast(self) -> int:
        """The fluid model's results for plans made offline."""
        options, scale = self.options, self.options.scale
        folder = Folder(arguments.out_directory(options, self.name))
        rounds = options.rounds or _FORECAST_ROUNDS
        mptcp_model.forecast(self.traffic, [network.scaled(scale) for network in self._networks], self.cells, rounds, options.seed)
        model = mptcp_model.mbps(folder, self.traffic)
        fixed = {"model_only": True, "rounds": rounds, "seed": options.seed, "scale": scale, "access_mbps": mptcp_site.ACCESS_MBPS}
        summed = Summary(self.name, {**fixed, "plans": self.traffic.described_plans()}, machine.facts())
        table = mptcp_model.forecast_table(self.cells, model)
        table.add_metrics(summed, lambda cell: cell.key)
        folder.document("summary.json", summed.to_json())
        print(json.dumps(summed.to_json(), indent=2) if options.json else "\n".join(table.printed()))
        return 0


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


def _rates(network: Topology, scale: float) -> dict[str, object]:
    rates = sorted({round((link.direction(end).rate_mbps or 0) * scale, 3) for link in network.links for end in link.ends})
    return {"switches": len(network.switches), "links": len(network.links), "hosts": len(network.hosts), "link_mbps": rates}
