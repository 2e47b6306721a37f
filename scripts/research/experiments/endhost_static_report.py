"""Converts the times of `lab run endhost-static` to summary, table and figures. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from malob.cli.table import render
from research import distribution
from research.distribution import Mean
from research.experiments import endhost_model
from research.experiments.endhost_static_cases import CONCURRENCY, KILOBYTES, USUAL_KILOBYTES, Case
from research.experiments.plots import Chart, Line
from research.experiments.samples import Record
from research.experiments.summary import Check, Summary

RESULTS = ["policy", "links", "kilobytes", "at_a_time", "runs", "time_s", "ci90", "ideal_s", "fluid_s", "expected_s", "flows"]

#: The figures in the text (sections 7.1 and 7.2), in seconds.
PAPER_S = {"single.10": 8.4, "rr.10+10": 4.2, "wrr.10+20": 2.82, "group.10+20": 2.99}

#: The target as a factor of the ideal time with whole files.
_MAX_OVER_IDEAL = 1.01

_CHANCES = 400


class Results:
    """By case: times, and the models' results. flows: by case, the number of each uplink in each run."""

    def __init__(self, record: Record, cases: Sequence[Case], flows: Mapping[str, list[list[int]]], seed: int) -> None:
        times = {case: [sample.seconds for sample in record.samples(case.key, "files") if sample.good] for case in cases}
        self.means: dict[Case, Mean] = {case: found for case in cases if (found := distribution.mean(times[case])) is not None}
        self.flows = flows
        self.ideal_s = {case: endhost_model.ideal_s(case.job) for case in cases}
        self.fluid_s = {case: endhost_model.fluid_s(case.job) for case in cases}
        self.expected_s = {case: endhost_model.by_chance_s(case.job, seed, _CHANCES) for case in cases if case.policy == "group"}

    def target_s(self, case: Case) -> float:
        """The max time of the policy: the expected time if it chooses at random, otherwise one percent above the ideal."""
        return self.expected_s[case] if case in self.expected_s else _MAX_OVER_IDEAL * self.ideal_s[case]


def summarise(summary: Summary, results: Results) -> None:
    """Adds the metrics of all cases, the paper's figures, and targets."""
    for case, found in results.means.items():
        summary.metric(f"time_s.{case.key}", round(found.value, 4), "s")
        if found.ci90 is not None:
            summary.metric(f"ci90.{case.key}", round(found.ci90, 4), "s")
        summary.metric(f"ideal_s.{case.key}", round(results.ideal_s[case], 4), "s")
        if case in results.expected_s:
            summary.metric(f"expected_s.{case.key}", round(results.expected_s[case], 4), "s")
        if case.key in PAPER_S:
            summary.paper(f"time_s.{case.key}", PAPER_S[case.key], "s")
        if case.policy != "single" and case.kilobytes == USUAL_KILOBYTES:
            summary.checks.append(Check(f"{case.key} to what is wanted", found.value / results.target_s(case), 1.0))


def rows(results: Results) -> list[list[str]]:
    """The rows of results.csv. flows: per uplink, on average over the runs."""
    return [
        [
            case.policy,
            case.links,
            str(case.kilobytes),
            str(case.at_a_time),
            str(found.count),
            f"{found.value:.4f}",
            "" if found.ci90 is None else f"{found.ci90:.4f}",
            f"{results.ideal_s[case]:.4f}",
            f"{results.fluid_s[case]:.4f}",
            f"{results.expected_s[case]:.4f}" if case in results.expected_s else "",
            _flows(results.flows.get(case.key, [])),
        ]
        for case, found in results.means.items()
    ]


def _flows(runs: Sequence[Sequence[int]]) -> str:
    return " ".join(f"{sum(uplink) / len(runs):.1f}" for uplink in zip(*runs))


def table(results: Results) -> list[str]:
    """The printed table."""
    header = ["policy", "links", "kB", "at a time", "runs", "seconds", "± (90 %)", "ideal", "% over", "by chance", "flows"]
    lines = []
    for case, row in zip(results.means, rows(results)):
        over = 100 * (results.means[case].value / results.ideal_s[case] - 1)
        lines.append(
            [
                *row[:5],
                f"{float(row[5]):.3f}",
                row[6] and f"{float(row[6]):.3f}",
                f"{float(row[7]):.3f}",
                f"{over:+.1f}",
                row[9] and f"{float(row[9]):.3f}",
                row[10],
            ]
        )
    return render(header, lines, right=range(2, 10))


def figures(results: Results) -> list[Chart]:
    """Figures 7 to 10."""
    two, unequal, one = (10.0, 10.0), (10.0, 20.0), (10.0,)
    size, number = "size of each file, kB", "time for 100 files, s"
    sizes = [("single", one), ("rr", two), ("group", two)]
    larger = [("single", one), ("wrr", unequal), ("group", unequal)]
    return [
        _chart(
            results,
            "figure-7",
            "Two uplinks of 10 Mbit/s, 20 files at a time",
            size,
            number,
            [(policy, [(size, Case(policy, rates, size)) for size in KILOBYTES]) for policy, rates in sizes],
        ),
        _chart(
            results,
            "figure-8",
            "Two uplinks of 10 Mbit/s, files of 100 kB",
            "files at a time",
            number,
            [(policy, [(count, Case(policy, two, at_a_time=count)) for count in CONCURRENCY]) for policy in ("rr", "group")],
        ),
        _chart(
            results,
            "figure-9",
            "Uplinks of 10 Mbit/s, files of 100 kB, 20 at a time",
            "uplinks",
            number,
            [(policy, [(count, Case("single" if count == 1 else policy, one * count)) for count in range(1, 6)]) for policy in ("rr", "group")],
        ),
        _chart(
            results,
            "figure-10",
            "Uplinks of 10 and 20 Mbit/s, 20 files at a time",
            size,
            number,
            [(policy, [(size, Case(policy, rates, size)) for size in KILOBYTES]) for policy, rates in larger],
        ),
    ]


def _chart(results: Results, name: str, title: str, x_label: str, y_label: str, subjects: Sequence[tuple[str, Sequence[tuple[int, Case]]]]) -> Chart:
    lines = []
    for policy, points in subjects:
        known = [(x, case) for x, case in points if case in results.means]
        if known:
            lines.append(
                Line(
                    policy,
                    [x for x, _ in known],
                    [results.means[case].value for _, case in known],
                    count=min(results.means[case].count for _, case in known),
                )
            )
            models = [results.expected_s.get(case, results.ideal_s[case]) for _, case in known]
            label = "by chance" if policy == "group" else "ideal"
            lines.append(Line(f"{policy}, {label}", [x for x, _ in known], models, of="model"))
    return Chart(name, title, x_label, y_label, lines)
