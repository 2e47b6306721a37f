"""`endhost-static`: 100 files over uplinks with constant rates (section 7, figures 7 to 10, of the paper of 2020)."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from lab.multihomed import UplinkLine
from research import distribution
from research.distribution import Mean
from research.experiments.endhost import model
from research.experiments.endhost.model import Job
from research.experiments.endhost.program import Fetching
from research.experiments.endhost.study import EndhostStudy
from research.experiments.frame import arguments
from research.experiments.frame.plots import Chart, Line
from research.experiments.frame.samples import Record, Sample
from research.experiments.frame.study import Report
from research.experiments.frame.summary import Check, Summary
from research.experiments.frame.table import Column, Table

FILES = 100

#: The default that the key of a metric omits.
USUAL_KILOBYTES, USUAL_AT_A_TIME = 100, 20

KILOBYTES = (1, 25, 50, 75, 100)
CONCURRENCY = (1, 2, 5, 10, 20)

ALGORITHMS = {"rr": "RR", "wrr": "WRR", "group": "GROUP"}
POLICIES = ("single", *ALGORITHMS)

#: One way.
DELAY_MS = 1.0

#: The former default length of interface queues.
_QUEUE_PACKETS = 1000
_SETTING_UP_S = 4.0
_PATIENCE_S = 120

#: The program gets its time to begin before that.
_TO_BEGIN_S = 0.1

#: Before the first run of a controller: a JVM that has just started takes several times as long for a flow's first packet.
_WARM_UP_FILES = 300

#: The figures in the text (sections 7.1 and 7.2), in seconds.
PAPER_S = {"single.10": 8.4, "rr.10+10": 4.2, "wrr.10+20": 2.82, "group.10+20": 2.99}

#: The target as a factor of the ideal time with whole files.
_MAX_OVER_IDEAL = 1.01

_CHANCES = 400


@dataclass(frozen=True)
class Case:
    """policy: "single" is a host without MALOB; the others' algorithms are in ALGORITHMS."""

    policy: str
    rates_mbps: tuple[float, ...]
    kilobytes: int = USUAL_KILOBYTES
    at_a_time: int = USUAL_AT_A_TIME

    @property
    def links(self) -> str:
        """As in 10+20."""
        return "+".join(f"{rate:g}" for rate in self.rates_mbps)

    @property
    def key(self) -> str:
        """The part of a metric's key after the quantity."""
        size = "" if self.kilobytes == USUAL_KILOBYTES else f".{self.kilobytes}kB"
        at_a_time = "" if self.at_a_time == USUAL_AT_A_TIME else f".c{self.at_a_time}"
        return f"{self.policy}.{self.links}{size}{at_a_time}"

    @property
    def job(self) -> Job:
        return Job(FILES, self.at_a_time, self.kilobytes * 1000, self.rates_mbps, 2 * DELAY_MS / 1000)

    @property
    def weights(self) -> list[float | None]:
        """The configured capacities of MALOB's uplinks: their rates if the policy uses them, otherwise none."""
        goes_by_rates = self.policy == "group" or len(set(self.rates_mbps)) > 1
        return [rate if goes_by_rates else None for rate in self.rates_mbps]


#: Of a chart: by policy, the cases and their places on the x axis.
_Subjects = Sequence[tuple[str, Sequence[tuple[int, Case]]]]


def cases(quick: bool, policies: Sequence[str]) -> list[Case]:
    """The cases of figures 7 to 10; quick: one for each policy."""
    two, unequal = (10.0, 10.0), (10.0, 20.0)
    if quick:
        found = [Case("single", (10.0,), 25), Case("rr", two, 25), Case("group", two, 25), Case("wrr", unequal, 25)]
        return [case for case in found if case.policy in policies]
    found = []
    for policy, rates in (("single", (10.0,)), ("rr", two), ("group", two), ("wrr", unequal), ("group", unequal)):
        found += [Case(policy, rates, kilobytes) for kilobytes in KILOBYTES]
    for policy in ("rr", "group"):
        found += [Case(policy, two, at_a_time=number) for number in CONCURRENCY if number != USUAL_AT_A_TIME]
        found += [Case(policy, (10.0,) * number) for number in (3, 4, 5)]
    return [case for case in found if case.policy in policies]


class Results:
    """By case: times, and the models' results. flows: by case, the number of each uplink in each run."""

    def __init__(self, record: Record, cases: Sequence[Case], flows: Mapping[str, list[list[int]]], seed: int) -> None:
        times = {case: [sample.seconds for sample in record.samples(case.key, "files") if sample.good] for case in cases}
        self.means: dict[Case, Mean] = {case: found for case in cases if (found := distribution.mean(times[case])) is not None}
        self.flows = flows
        self.ideal_s = {case: model.ideal_s(case.job) for case in cases}
        self.fluid_s = {case: model.fluid_s(case.job) for case in cases}
        self.expected_s = {case: model.by_chance_s(case.job, seed, _CHANCES) for case in cases if case.policy == "group"}

    def target_s(self, case: Case) -> float:
        """The max time of the policy: the expected time if it chooses at random, otherwise one percent above the ideal."""
        return self.expected_s[case] if case in self.expected_s else _MAX_OVER_IDEAL * self.ideal_s[case]


def summarise(summary: Summary, results: Results) -> None:
    """Adds the metrics of all cases, the paper's figures, and targets."""
    table(results).add_metrics(summary, lambda case: case.key)
    for case, found in results.means.items():
        if case.key in PAPER_S:
            summary.paper(f"time_s.{case.key}", PAPER_S[case.key], "s")
        if case.policy != "single" and case.kilobytes == USUAL_KILOBYTES:
            summary.checks.append(Check(f"{case.key} to what is wanted", found.value / results.target_s(case), 1.0))


def _flows(runs: Sequence[Sequence[int]]) -> str:
    return " ".join(f"{sum(uplink) / len(runs):.1f}" for uplink in zip(*runs))


def table(results: Results) -> Table[Case]:
    """A row for each case that was measured. flows: per uplink, on average over the runs."""
    means = results.means
    columns: list[Column[Case]] = [
        Column("policy", "policy", lambda case: case.policy),
        Column("links", "links", lambda case: case.links),
        Column("kilobytes", "kB", lambda case: case.kilobytes, "d"),
        Column("at_a_time", "at a time", lambda case: case.at_a_time, "d"),
        Column("runs", "runs", lambda case: means[case].count, "d"),
        Column("time_s", "seconds", lambda case: means[case].value, ".4f", ".3f", unit="s"),
        Column("ci90", "± (90 %)", lambda case: means[case].ci90, ".4f", ".3f", unit="s"),
        Column("ideal_s", "ideal", results.ideal_s.get, ".4f", ".3f", unit="s"),
        Column("fluid_s", "", results.fluid_s.get, ".4f"),
        Column("", "% over", lambda case: 100 * (means[case].value / results.ideal_s[case] - 1), "+.1f"),
        Column("expected_s", "by chance", results.expected_s.get, ".4f", ".3f", unit="s"),
        Column("flows", "flows", lambda case: _flows(results.flows.get(case.key, []))),
    ]
    return Table(columns, means)


def figures(results: Results) -> list[Chart]:
    """Figures 7 to 10."""
    two, unequal, one = (10.0, 10.0), (10.0, 20.0), (10.0,)
    size, number = "size of each file, kB", "files at a time"

    def of_sizes(*subjects: tuple[str, tuple[float, ...]]) -> _Subjects:
        return [(policy, [(size, Case(policy, rates, size)) for size in KILOBYTES]) for policy, rates in subjects]

    parallel: _Subjects = [(policy, [(count, Case(policy, two, at_a_time=count)) for count in CONCURRENCY]) for policy in ("rr", "group")]
    links: _Subjects = [
        (policy, [(count, Case("single" if count == 1 else policy, one * count)) for count in range(1, 6)]) for policy in ("rr", "group")
    ]
    equal, larger = of_sizes(("single", one), ("rr", two), ("group", two)), of_sizes(("single", one), ("wrr", unequal), ("group", unequal))
    return [
        _chart(results, "figure-7", "Two uplinks of 10 Mbit/s, 20 files at a time", size, equal),
        _chart(results, "figure-8", "Two uplinks of 10 Mbit/s, files of 100 kB", number, parallel),
        _chart(results, "figure-9", "Uplinks of 10 Mbit/s, files of 100 kB, 20 at a time", "uplinks", links),
        _chart(results, "figure-10", "Uplinks of 10 and 20 Mbit/s, 20 files at a time", size, larger),
    ]


def _chart(results: Results, name: str, title: str, x_label: str, subjects: _Subjects) -> Chart:
    lines = []
    for policy, points in subjects:
        known = [(x, case) for x, case in points if case in results.means]
        if known:
            at, cases = [x for x, _ in known], [case for _, case in known]
            means, label = [results.means[case] for case in cases], "by chance" if policy == "group" else "ideal"
            lines.append(Line(policy, at, [mean.value for mean in means], count=min(mean.count for mean in means)))
            lines.append(Line(f"{policy}, {label}", at, [results.expected_s.get(case, results.ideal_s[case]) for case in cases], of="model"))
    return Chart(name, title, x_label, "time for 100 files, s", lines)


class StaticStudy(EndhostStudy):
    """One set of links after the other; the cases of a set take turns."""

    name = "endhost-static"
    purpose = "100 files over uplinks of fixed rates (figures 7 to 10 of the end host's paper of 2020)"
    policies = POLICIES

    def __init__(self, options: argparse.Namespace) -> None:
        self.cases = {case.key: case for case in cases(options.quick, arguments.chosen(options.only, POLICIES))}
        sizes = sorted({case.kilobytes * 1000 for case in self.cases.values()})
        super().__init__(options, list(self.cases), arguments.rounds(options, 10), sizes=sizes)
        #: by case: the number of flows of each uplink in each run
        self.flows: dict[str, list[list[int]]] = {key: [] for key in self.cases}
        self._number = 0

    def places(self) -> list[tuple[list[UplinkLine], list[str]]]:
        by_rates: dict[tuple[float, ...], list[str]] = {}
        for key, case in self.cases.items():
            by_rates.setdefault(case.rates_mbps, []).append(key)
        return [([UplinkLine.of(rate, DELAY_MS, _QUEUE_PACKETS) for rate in rates], keys) for rates, keys in by_rates.items()]

    def guesses_s(self) -> dict[str, float]:
        return {key: case.job.wire_bytes * FILES * 8e-6 / sum(case.rates_mbps) + _SETTING_UP_S for key, case in self.cases.items()}

    def begin(self, case: str) -> Sequence[str]:
        each = self.cases[case]
        if each.policy == "single":
            self.site.be_plain()
        elif self.site.be_balanced(ALGORITHMS[each.policy], each.weights):
            self._fetch(self.sizes[0], _WARM_UP_FILES, USUAL_AT_A_TIME)
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        each = self.cases[case]
        before = self._flow_counts(each)
        began = time.monotonic()
        seconds, complete = self._fetch(each.kilobytes * 1000, FILES, each.at_a_time)
        self.flows[case].append([after - count for after, count in zip(self._flow_counts(each), before)])
        self._number += 1
        error = f"{FILES - complete} of {FILES} files failed" if complete < FILES else ""
        return [Sample("host", "files", self._number, began, seconds, FILES * each.kilobytes * 1000, "", True, error)]

    def _fetch(self, size: int, files: int, at_a_time: int) -> tuple[float, int]:
        """The seconds that files of that size take, and the number of complete ones."""
        with closing(Fetching(self.site, size, at_a_time, _PATIENCE_S, fetches=files)) as fetching:
            begin = time.monotonic() + _TO_BEGIN_S
            fetching.start(begin, begin + 2 * _PATIENCE_S)
            found = fetching.result()
            return found.seconds, found.files

    def _flow_counts(self, case: Case) -> list[int]:
        """The number of flows of each uplink so far, as MALOB counts them; none without it."""
        if case.policy == "single":
            return []
        return [uplink["flows"]["total"] for uplink in self.site.product.status()["uplinks"]]

    def own_parameters(self) -> dict[str, object]:
        return {"files": FILES, "delay_ms": DELAY_MS, "queue_packets": _QUEUE_PACKETS, "links_by": "emulator"}

    def report(self, record: Record) -> Report:
        results = Results(record, list(self.cases.values()), self.flows, self.options.seed)
        summarise(self.summed, results)
        return table(results), figures(results)
