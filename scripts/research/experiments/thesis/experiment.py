"""Runs a scenario of the thesis: from set-up to summary, tables and figures."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from lab.saturation import SaturationMeter
from malob.errors import ScriptError
from malob.rest.client import RestError
from malob.system.waiting import say
from research.experiments.frame import report
from research.experiments.frame.plots import Figure
from research.experiments.frame.samples import Record, Sample
from research.experiments.frame.study import Report, Study
from research.experiments.site import clients
from research.experiments.site.clients import Client
from research.experiments.site.site import VIP, ExperimentSite, second_address
from research.experiments.thesis.scenario import Case, Scenario

#: The time between two slices until the network is idle, in addition to the clients' time.
_SETTLING_S = 6.0
_RESTART_S = 15.0


class ThesisStudy(Study):
    """Sets algorithms in the services table, and lets all clients of the network make requests."""

    parts = ("lab", "controller", "experiments")
    _site: ExperimentSite

    def __init__(self, scenario: Scenario, options: argparse.Namespace) -> None:
        super().__init__(options, [case.key for case in scenario.cases], scenario.rounds)
        self.name = scenario.name
        self._scenario = scenario
        self._unavailable: list[str] = []
        self._done: Counter[str] = Counter()
        self._figures: list[Figure] = []

    def run(self) -> Record:
        with ExperimentSite(self._scenario.setup, self.folder) as self._site:
            self._leave_out_unavailable()
            self._cases = {case.key: case for case in self._scenario.cases}
            self.keys = list(self._cases)
            self._warm_up()
            if self._scenario.before:
                self._figures = self._scenario.before(self._site, self.folder, self.summed)
            return super().run()

    def _leave_out_unavailable(self) -> None:
        """Without the algorithms that this controller does not have; an error if they were selected by name."""
        missing: set[str] = set()
        for service, algorithm in sorted({each for case in self._scenario.cases for each in case.algorithms.items()}):
            try:
                self._site.set_algorithm(service, algorithm)
            except RestError as error:
                if error.status not in (400, 422) or self.options.only:
                    raise
                missing.add(algorithm)
        if missing:
            say(f"this controller does not have {', '.join(sorted(missing))}: skipped")
        self._unavailable, self._scenario = sorted(missing), self._scenario.without(missing)
        if not self._scenario.cases:
            raise ScriptError("this controller has none of the compared algorithms")

    def _warm_up(self) -> None:
        """Warms up neighbours' addresses, paths and the controller's code before the first slice."""
        say("warming up")
        first = self._scenario.cases[0]
        clients.run(self._site.lab, VIP, [replace(each, wanted=1) for each in _clients(self._site, first)], _patience_s(first))

    def guesses_s(self) -> dict[str, float]:
        return {
            key: max(load.requests * load.workload.expected_s for load in case.loads) + _SETTLING_S + (_RESTART_S if case.properties else 0)
            for key, case in self._cases.items()
        }

    def begin(self, case: str) -> Sequence[str]:
        wanted = self._cases[case]
        self._site.use_properties({**self._site.setup.properties, **wanted.properties})
        for service, algorithm in wanted.algorithms.items():
            self._site.set_algorithm(service, algorithm)
        self._site.restart_placement()
        return self._site.settle()

    def measure(self, case: str) -> Sequence[Sample]:
        wanted = self._cases[case]
        self._done[case] += 1
        seed = f"{self.options.seed}/{self._done[case]}"
        with wanted.disturbance(self._site, seed) if wanted.disturbance else nullcontext():
            return clients.run(self._site.lab, VIP, _clients(self._site, wanted, seed), _patience_s(wanted))

    def saturation_meter(self) -> SaturationMeter:
        return SaturationMeter.of(self._site.lab)

    def parameters(self) -> dict[str, object]:
        site, scenario = self._site, self._scenario
        setup = scenario.setup
        return {
            "topology": setup.topology,
            "scale": setup.scale,
            "seed": self.options.seed,
            "quick": self.options.quick,
            "rounds": self.rounds,
            "links_by": site.lab.shaper_kind,
            "datapath": site.lab.datapath,
            "congestion_control": setup.congestion,
            "placement": setup.placement,
            "controller_at": setup.controller_at,
            "control_delays_ms": setup.control_delays_ms(),
            "interface_mbps": site.interface_mbps,
            "processors": dict(setup.processors),
            "processor_cores": setup.processor,
            "processors_by": site.limits.description,
            "controller_properties": dict(setup.properties),
            "paper_factor": scenario.paper_factor,
            "cases": self.keys,
            **scenario.parameters,
            "unavailable": self._unavailable,
        }

    def report(self, record: Record) -> Report:
        rows = self._scenario.rows
        report.summarise(self.summed, record, rows)
        self.summed.checks += self._scenario.checks(self.summed)
        return report.table(record, rows), [*self._figures, *_figures(self._scenario, record)]

    def troubles(self, record: Record) -> Sequence[str]:
        return report.troubles(record, self._scenario.rows)


def _clients(site: ExperimentSite, case: Case, seed: str = "") -> list[Client]:
    """For each client host and kind of request, one client, or as many as parallel requests.

    With second addresses, twice as many. seed: of requests at random times.
    """
    found = []
    for host in site.lab.topology.with_role("client"):
        sources = ["", second_address(host.ip)] if site.setup.second_addresses else [""]
        for load in case.loads:
            for number, source in enumerate(sources * load.at_once):
                options = [*load.workload.client_options(), *(["--source", source] if source else [])]
                name = f"{host.name}.{number + 1}" if number else host.name
                found.append(Client(name, host.name, load.workload.name, [*options, "--seed", f"{seed}/{name}"], load.requests))
    return found


def _patience_s(case: Case) -> float:
    return 120 + 20 * max(load.workload.expected_s for load in case.loads)


def _figures(scenario: Scenario, record: Record) -> list[Figure]:
    scale = f", × {scenario.paper_factor:.3g}" if scenario.paper_factor != 1 else ""
    return [
        Figure(
            plot.name,
            plot.title,
            "response time, s",
            report.bars(record, [row for row in scenario.rows if plot.kind in ("", row.kind)], scenario.paper_factor),
            paper_label=f"thesis{f', figure {plot.number}' if plot.number else ''}{scale}",
            note=f"Rates × {scenario.setup.scale:g}.",
        )
        for plot in scenario.plots
    ]
