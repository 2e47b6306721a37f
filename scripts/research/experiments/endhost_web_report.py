"""Converts page load times to summary, table and figures of `lab run endhost-web`. No I/O."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from malob.cli.table import render
from research import distribution
from research.experiments import plots
from research.experiments.endhost_browsing import VIDEO_MBPS, Load
from research.experiments.endhost_web_cases import PAPER_GAINS, PAPER_MEANS_S, PAPER_MEDIANS_S, Case
from research.experiments.plots import Bar, Chart, Figure
from research.experiments.summary import Check, Summary

PAGES = ["case", "round", "page", "began_s", "seconds", "failed"]
RESULTS = ["policy", "scenario", "pages", "failed", "mean_s", "p10_s", "median_s", "p90_s", "video_mbps", "video_mbps_by_flow"]


@dataclass(frozen=True)
class Turn:
    """The result of one run. began_s of loads: since its beginning. The film's rate as the host sees it, and by MALOB's statistics of
    its flow; None if missing."""

    loads: Sequence[Load]
    video_mbps: float | None
    video_mbps_by_flow: float | None


class Results:
    """By case."""

    def __init__(self, cases: Sequence[Case], turns: Mapping[str, Sequence[Turn]]) -> None:
        self.turns = {case: turns[case.key] for case in cases if turns[case.key]}

    def seconds(self, case: Case) -> list[float]:
        """The times of all complete pages."""
        return sorted(load.seconds for turn in self.turns[case] for load in turn.loads if not load.failed)

    def per_page(self, case: Case) -> dict[int, float]:
        """The mean time by page."""
        found: dict[int, list[float]] = {}
        for turn in self.turns[case]:
            for load in turn.loads:
                if not load.failed:
                    found.setdefault(load.page, []).append(load.seconds)
        return {page: statistics.fmean(values) for page, values in found.items()}

    def mean_s(self, case: Case) -> float | None:
        """The mean over pages of each page's mean, so that every page has the same weight; None without pages."""
        values = list(self.per_page(case).values())
        return statistics.fmean(values) if values else None

    def failed(self, case: Case) -> int:
        return sum(1 for turn in self.turns[case] for load in turn.loads if load.failed)

    def video(self, case: Case) -> tuple[float | None, float | None]:
        """The film's rate as the host sees it, and by its flow."""
        return (_mean([turn.video_mbps for turn in self.turns[case]]), _mean([turn.video_mbps_by_flow for turn in self.turns[case]]))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def page_rows(case: str, number: int, turn: Turn) -> list[list[str]]:
    """Of pages.csv."""
    return [[case, str(number), str(load.page), f"{load.began_s:.4f}", f"{load.seconds:.4f}", str(load.failed)] for load in turn.loads]


def summarise(summary: Summary, results: Results) -> None:
    """Adds the metrics of all cases, gains, the paper's figures, and targets."""
    for case in results.turns:
        found, mean_s = distribution.of(results.per_page(case).values()), results.mean_s(case)
        if found is not None and mean_s is not None:
            summary.metric(f"median_s.{case.key}", round(found.median, 4), "s")
            summary.metric(f"mean_s.{case.key}", round(mean_s, 4), "s")
            summary.metric(f"pages.{case.key}", len(results.seconds(case)), "1")
        for name, value in zip(("video_mbps", "video_mbps_by_flow"), results.video(case)):
            if value is not None:
                summary.metric(f"{name}.{case.key}", round(value, 4), "Mbit/s")
        for name, figures_s in (("median_s", PAPER_MEDIANS_S), ("mean_s", PAPER_MEANS_S)):
            if case.key in figures_s:
                summary.paper(f"{name}.{case.key}", figures_s[case.key], "s")
    for scenario in dict.fromkeys(case.scenario for case in results.turns):
        _add_gains(summary, scenario)


def _add_gains(summary: Summary, scenario: str) -> None:
    """gain_percent.MINE-OTHER.SCENARIO: the saving of one in another's mean time."""
    for mine in ("wrr", "adaptive"):
        for other in ("eth0", "eth1"):
            ratio = summary.ratio(f"mean_s.{mine}.{scenario}", f"mean_s.{other}.{scenario}")
            if ratio is None:
                continue
            summary.metric(f"gain_percent.{mine}-{other}.{scenario}", round(100 * (1 - ratio), 2), "%")
            paper = PAPER_GAINS.get(scenario, {}).get(other)
            if paper is not None and mine == "wrr":
                summary.paper(f"gain_percent.{mine}-{other}.{scenario}", paper, "%")
                summary.checks.append(Check(f"{mine} to {other}: {scenario}", ratio, 1 - paper / 100))


def rows(results: Results) -> list[list[str]]:
    """The rows of results.csv."""
    found = []
    for case in results.turns:
        pages, mean_s = distribution.of(results.per_page(case).values()), results.mean_s(case)
        values = [None] * 4 if pages is None else [mean_s, pages.p10, pages.median, pages.p90]
        found.append(
            [
                case.policy.name,
                case.scenario,
                str(len(results.seconds(case))),
                str(results.failed(case)),
                *map(_number, values),
                *map(_number, results.video(case)),
            ]
        )
    return found


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def table(results: Results) -> list[str]:
    """The printed table."""
    header = ["policy", "scenario", "pages", "failed", "mean s", "p10 s", "median s", "p90 s", "film, Mbit/s", "by its flow"]
    lines = [[*row[:4], *(value and f"{float(value):.3f}" for value in row[4:])] for row in rows(results)]
    return render(header, lines, right=range(2, 10))


def figures(results: Results) -> list[Figure | Chart]:
    """The distribution of each scenario, means, and the film's rate."""
    found: list[Figure | Chart] = []
    for scenario in dict.fromkeys(case.scenario for case in results.turns if not case.alone):
        mine = [case for case in results.turns if case.scenario == scenario and results.per_page(case)]
        found.append(
            Chart(
                f"pages-{scenario}",
                f"Pages, {scenario}",
                "time to load a page, s",
                "share of pages",
                [plots.cumulated(case.policy.name, results.per_page(case).values()) for case in mine],
            )
        )
    bars = []
    for case in results.turns:
        pages, mean_s = distribution.of(results.per_page(case).values()), results.mean_s(case)
        if pages is not None and mean_s is not None:
            paper = PAPER_MEANS_S.get(case.key)
            bars.append(Bar(case.policy.name, mean_s, pages.p10, pages.p90, pages.count, paper, paper, group=case.policy.name, cluster=case.scenario))
    found.append(Figure("means", "Mean time to load a page", "s", bars, paper_label="paper"))
    films = [(case, value) for case in results.turns if (value := results.video(case)[0]) is not None]
    found.append(
        Figure(
            "video",
            "Rate of the film",
            "Mbit/s",
            [
                Bar(
                    case.policy.name, value, value, value, len(results.turns[case]), optimum=VIDEO_MBPS, group=case.policy.name, cluster=case.scenario
                )
                for case, value in films
            ],
            optimum_label="the film's own",
            whiskers="none",
        )
    )
    return found
