"""Runs a scenario of the thesis: from set-up to summary, tables and figures."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from lab.strain import StrainMeter
from malob.errors import ScriptError
from malob.rest.local import RestError
from malob.system.preparation import need_root
from malob.system.waiting import orderly_end, say
from research.experiments import arguments, clients, machine, measurement, plan, plots, report
from research.experiments.clients import Client
from research.experiments.estimate import Estimate
from research.experiments.folder import Folder
from research.experiments.plots import Figure
from research.experiments.progress import Progress
from research.experiments.samples import Record, Sample
from research.experiments.scenario import Case, Scenario
from research.experiments.site import VIP, Site, open_site, second_address
from research.experiments.summary import Summary
from research.preparation import prepare

#: The time between two slices until the network is idle, in addition to the clients' time.
_SETTLING_S = 6.0
_RESTART_S = 15.0


def run(scenario: Scenario, options: argparse.Namespace) -> int:
    """The exit code of the command."""
    need_root(f"lab run {scenario.name}")
    prepare("lab", "controller", "experiments", *([] if options.no_plots else ["plots"]))
    facts = machine.facts()
    folder = Folder(arguments.out_directory(options, scenario.name))
    say(f"writing results to {folder.path}")
    with orderly_end():
        with open_site(scenario.setup, folder) as site:
            scenario, missing = _available(site, scenario, bool(options.only))
            parameters = {**_parameters(site, scenario, options), "unavailable": missing}
            summed = Summary(scenario.name, parameters, facts)
            _warm_up(site, scenario)
            figures = scenario.before(site, folder, summed) if scenario.before else []
            record = _measure(site, scenario, options, folder)
        return _finish(scenario, options, folder, record, summed, figures)


def _available(site: Site, scenario: Scenario, named: bool) -> tuple[Scenario, list[str]]:
    """Without the algorithms that this controller does not have; an error if they were selected by name."""
    missing: set[str] = set()
    for service, algorithm in sorted({each for case in scenario.cases for each in case.algorithms.items()}):
        try:
            site.set_algorithm(service, algorithm)
        except RestError as error:
            if error.status not in (400, 422) or named:
                raise
            missing.add(algorithm)
    if missing:
        say(f"this controller does not have {', '.join(sorted(missing))}: skipped")
    left = scenario.without(missing)
    if not left.cases:
        raise ScriptError("this controller has none of the compared algorithms")
    return left, sorted(missing)


def _parameters(site: Site, scenario: Scenario, options: argparse.Namespace) -> dict[str, object]:
    setup = scenario.setup
    return {
        "topology": setup.topology,
        "scale": setup.scale,
        "seed": options.seed,
        "quick": options.quick,
        "rounds": options.rounds or scenario.rounds,
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
        "cases": [case.key for case in scenario.cases],
        **scenario.parameters,
    }


def _measure(site: Site, scenario: Scenario, options: argparse.Namespace, folder: Folder) -> Record:
    slices = plan.interleaved([case.key for case in scenario.cases], options.rounds or scenario.rounds, options.seed)
    guesses_s = {case.key: _guess_s(case) for case in scenario.cases}
    progress = Progress(slices, Estimate(guesses_s))
    return measurement.run(ThesisStudy(site, scenario.cases, options.seed), slices, folder, progress)


def _guess_s(case: Case) -> float:
    asking_s = max(load.requests * load.workload.expected_s for load in case.loads)
    return asking_s + _SETTLING_S + (_RESTART_S if case.properties else 0)


def _warm_up(site: Site, scenario: Scenario) -> None:
    """Warms up neighbours' addresses, paths and the controller's code before the first slice."""
    say("warming up")
    first = scenario.cases[0]
    with_one = [clients.Client(each.name, each.host, each.kind, each.options, 1) for each in _clients(site, first)]
    clients.run(site.lab, VIP, with_one, _patience_s(first))


class ThesisStudy:
    """Sets algorithms in the services table, and lets all clients of the network make requests."""

    def __init__(self, site: Site, cases: Sequence[Case], seed: int) -> None:
        self._site = site
        self._cases = {case.key: case for case in cases}
        self._seed = seed
        self._rounds: Counter[str] = Counter()

    def begin(self, case: str) -> Sequence[str]:
        wanted = self._cases[case]
        self._site.use_properties({**self._site.setup.properties, **wanted.properties})
        for service, algorithm in wanted.algorithms.items():
            self._site.set_algorithm(service, algorithm)
        self._site.restart_placement()
        return self._site.settle()

    def measure(self, case: str) -> Sequence[Sample]:
        wanted = self._cases[case]
        self._rounds[case] += 1
        seed = f"{self._seed}/{self._rounds[case]}"
        with wanted.disturbance(self._site, seed) if wanted.disturbance else nullcontext():
            return clients.run(self._site.lab, VIP, _clients(self._site, wanted, seed), _patience_s(wanted))

    def strain_meter(self) -> StrainMeter:
        return StrainMeter.of(self._site.lab)


def _clients(site: Site, case: Case, seed: str = "") -> list[Client]:
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


def _finish(
    scenario: Scenario,
    options: argparse.Namespace,
    folder: Folder,
    record: Record,
    summed: Summary,
    figures: Sequence[Figure],
) -> int:
    report.summarise(summed, record, scenario.rows)
    summed.checks += scenario.checks(summed)
    folder.table("results.csv", report.RESULTS, report.results(record, scenario.rows))
    folder.document("summary.json", summed.to_json())
    if not options.no_plots:
        plots.draw([*figures, *_figures(scenario, record)], folder.path)
    if options.json:
        print(json.dumps(summed.to_json(), indent=2))
    else:
        print("\n".join(report.table(record, scenario.rows)))
        lines = report.check_lines(summed)
        print("\n".join(["", *lines] if lines else []))
    return _verdict(summed, report.troubles(record, scenario.rows), options.check, folder.path)


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


def _verdict(summed: Summary, troubles: Sequence[str], strict: bool, path: Path) -> int:
    for reason in summed.rejected:
        say(f"rejected: {reason}")
    for trouble in troubles:
        say(trouble)
    say(f"summary, raw data and figures are in {path}")
    missed = [check for check in summed.checks if check.holds is False]
    return 1 if troubles or (strict and (missed or summed.rejected)) else 0
