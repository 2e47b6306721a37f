"""`endhost-static`: 100 files over uplinks with constant rates (section 7, figures 7 to 10, of the paper of 2020)."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from lab.multihomed import UplinkLine
from lab.strain import StrainMeter
from malob.system.waiting import orderly_end, say
from research.experiments import arguments, endhost_arguments, endhost_static_cases, endhost_static_report, machine, measurement, plan, report
from research.experiments.endhost_loop import FetchBatch
from research.experiments.endhost_site import EndhostSite, open_site
from research.experiments.endhost_static_cases import ALGORITHMS, DELAY_MS, FILES, POLICIES, USUAL_AT_A_TIME, Case
from research.experiments.estimate import Estimate
from research.experiments.folder import Folder
from research.experiments.progress import Progress
from research.experiments.samples import Record, Sample, SliceResult
from research.experiments.summary import Summary

NAME = "endhost-static"
HELP = "100 files over uplinks of fixed rates (figures 7 to 10 of the end host's paper of 2020)"

#: The former default length of interface queues.
_QUEUE_PACKETS = 1000
_SETTING_UP_S = 4.0
_PATIENCE_S = 120

#: Before the first run of a controller: a JVM that has just started takes several times as long for a flow's first packet.
_WARM_UP_FILES = 300


def add_arguments(parser: argparse.ArgumentParser) -> None:
    endhost_arguments.add(parser, POLICIES)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """The exit code of the command."""
    policies = arguments.chosen(options.only, POLICIES)
    congestion = endhost_arguments.congestion(options)
    endhost_arguments.prepare(options, NAME)
    study = StaticStudy(options, endhost_static_cases.cases(options.quick, policies), congestion)
    with orderly_end():
        return _finish(options, study, study.run())


class StaticStudy:
    """One set of links after the other; the cases of a set take turns."""

    def __init__(self, options: argparse.Namespace, cases: Sequence[Case], congestion: str) -> None:
        self.cases = cases
        self.rounds = options.rounds or (1 if options.quick else 10)
        self.folder = Folder(arguments.out_directory(options, NAME))
        self.facts = machine.facts()
        #: by case: the number of flows of each uplink in each run
        self.flows: dict[str, list[list[int]]] = {case.key: [] for case in cases}
        self._options, self._congestion = options, congestion
        self._by_key = {case.key: case for case in cases}
        self._site: EndhostSite | None = None
        self._number = 0

    def run(self) -> Record:
        """All slices."""
        say(f"writing results to {self.folder.path}")
        by_rates: dict[tuple[float, ...], list[str]] = {}
        for case in self.cases:
            by_rates.setdefault(case.rates_mbps, []).append(case.key)
        slices = {rates: plan.interleaved(keys, self.rounds, self._options.seed) for rates, keys in by_rates.items()}
        guesses = {case.key: case.job.wire_bytes * FILES * 8e-6 / sum(case.rates_mbps) + _SETTING_UP_S for case in self.cases}
        progress = Progress([each for some in slices.values() for each in some], Estimate(guesses))
        sizes = sorted({case.kilobytes * 1000 for case in self.cases})
        results: list[SliceResult] = []
        for rates, some in slices.items():
            lines = [UplinkLine.of(rate, DELAY_MS, _QUEUE_PACKETS) for rate in rates]
            with open_site(lines, self._congestion, self.folder, sizes) as self._site:
                results += measurement.run(self, some, self.folder, progress).slices
        return Record(results)

    def begin(self, case: str) -> Sequence[str]:
        assert self._site is not None
        each = self._by_key[case]
        if each.policy == "single":
            self._site.be_plain()
        elif self._site.be_balanced(ALGORITHMS[each.policy], each.weights):
            self._fetch(min(case.kilobytes for case in self.cases) * 1000, _WARM_UP_FILES, USUAL_AT_A_TIME)
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        each = self._by_key[case]
        before = self._flow_counts(each)
        began = time.monotonic()
        seconds, complete = self._fetch(each.kilobytes * 1000, FILES, each.at_a_time)
        self.flows[case].append([after - count for after, count in zip(self._flow_counts(each), before)])
        self._number += 1
        error = f"{FILES - complete} of {FILES} files failed" if complete < FILES else ""
        return [Sample("host", "files", self._number, began, seconds, FILES * each.kilobytes * 1000, "", True, error)]

    def _fetch(self, size: int, files: int, at_a_time: int) -> tuple[float, int]:
        """The seconds that files of that size take, and the number of complete ones."""
        assert self._site is not None
        fetching = FetchBatch(self._site, size, files, at_a_time, _PATIENCE_S)
        try:
            return fetching.run(2 * _PATIENCE_S)
        finally:
            fetching.close()

    def _flow_counts(self, case: Case) -> list[int]:
        """The number of flows of each uplink so far, as MALOB counts them; none without it."""
        if case.policy == "single" or self._site is None:
            return []
        return [uplink["flows"]["total"] for uplink in self._site.product.status()["uplinks"]]

    def strain_meter(self) -> StrainMeter:
        assert self._site is not None
        return self._site.strain_meter()

    def parameters(self) -> dict[str, object]:
        """The fixed parameters."""
        return {
            "files": FILES,
            "seed": self._options.seed,
            "quick": self._options.quick,
            "rounds": self.rounds,
            "delay_ms": DELAY_MS,
            "queue_packets": _QUEUE_PACKETS,
            "congestion_control": self._congestion,
            "links_by": "emulator",
            "cases": [case.key for case in self.cases],
        }


def _finish(options: argparse.Namespace, study: StaticStudy, record: Record) -> int:
    results = endhost_static_report.Results(record, study.cases, study.flows, options.seed)
    summed = Summary(NAME, study.parameters(), study.facts)
    endhost_static_report.summarise(summed, results)
    report.add_strain(summed, record)
    study.folder.table("results.csv", endhost_static_report.RESULTS, endhost_static_report.rows(results))
    table, figures = endhost_static_report.table(results), endhost_static_report.figures(results)
    return endhost_arguments.finish(options, study.folder, summed, record, table, figures)
