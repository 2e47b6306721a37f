"""Converts the outcomes of `lab run endhost-capacity` to summary, table and figures. No I/O."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from malob.cli.table import render
from research.experiments.endhost_capacity_cases import LOADS, Case, Outcome, Reading
from research.experiments.plots import Bar, Chart, Figure, Line
from research.experiments.summary import Check, Summary

RESULTS = ["load", "rate_mbps", "runs", "told", "first_s", "first_s_worst", "near", "unknown", "probes", "cut_s_worst"]
SERIES = ["case", "round", "uplink", "rate_mbps", "second", "alive", "capacity_mbps"]

#: Targets: seconds to the first estimate, share of estimates that are not near, share of echoes, seconds to a drop.
_FIRST_S, _WRONG, _PROBES, _CUT_S = 5.0, 0.1, 0.01, 2.0


class Results:
    """Outcomes of all runs, by load and rate."""

    def __init__(self, outcomes: Mapping[Case, Sequence[Outcome]]) -> None:
        self.by_place: dict[tuple[str, float], list[Outcome]] = {}
        for case, some in outcomes.items():
            for each in some:
                self.by_place.setdefault((case.load, each.rate_mbps), []).append(each)
        self.places = sorted(self.by_place, key=lambda place: (LOADS.index(place[0]), place[1]))


def summarise(summary: Summary, results: Results) -> None:
    """Adds metrics of all cases, and targets."""
    for load, rate in results.places:
        some, key = results.by_place[load, rate], f"{load}.{rate:g}"
        summary.metric(f"told.{key}", _share(some), "1")
        for name, values, unit in (
            ("first_s", [each.first_s for each in some], "s"),
            ("near", [each.near for each in some], "1"),
            ("unknown", [each.unknown for each in some], "1"),
            ("probes", [each.probes for each in some], "1"),
            ("cut_s", [each.cut_s for each in some], "s"),
        ):
            known = [value for value in values if value is not None]
            if known:
                summary.metric(f"{name}.{key}", round(statistics.fmean(known), 4), unit)
        worst_first = _worst([each.first_s for each in some])
        summary.checks.append(Check(f"{key} first estimate, s", worst_first, _FIRST_S))
        summary.checks.append(Check(f"{key} not near", _not_near(some), _WRONG))
        if any(each.probes is not None for each in some):
            summary.checks.append(Check(f"{key} echoes", _worst([each.probes for each in some]), _PROBES))
        summary.checks.append(Check(f"{key} drop to zero, s", _worst([each.cut_s for each in some]), _CUT_S))


def _share(some: Sequence[Outcome]) -> float:
    return round(sum(each.first_s is not None for each in some) / len(some), 4)


def _worst(values: Sequence[float | None]) -> float | None:
    """None if one of these events did not happen."""
    known = [value for value in values if value is not None]
    return max(known) if len(known) == len(values) and known else None


def _not_near(some: Sequence[Outcome]) -> float | None:
    known = [each.near for each in some if each.near is not None]
    return 1 - statistics.fmean(known) if known else None


def rows(results: Results) -> list[list[str]]:
    """The rows of results.csv: means over the runs that have values."""
    lines = []
    for load, rate in results.places:
        some = results.by_place[load, rate]
        told = [each.first_s for each in some if each.first_s is not None]
        lines.append(
            [
                load,
                f"{rate:g}",
                str(len(some)),
                str(len(told)),
                _text(statistics.fmean(told) if told else None),
                _text(max(told, default=None)),
                _mean([each.near for each in some]),
                _mean([each.unknown for each in some]),
                _mean([each.probes for each in some], 4),
                _text(_worst([each.cut_s for each in some])),
            ]
        )
    return lines


def _mean(values: Sequence[float | None], digits: int = 3) -> str:
    known = [value for value in values if value is not None]
    return _text(statistics.fmean(known) if known else None, digits)


def _text(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def table(results: Results) -> list[str]:
    """The printed table."""
    header = ["load", "Mbit/s", "runs", "told", "first s", "worst s", "near", "unknown", "echoes", "drop seen s"]
    return render(header, rows(results), right=range(1, 10))


def series_rows(case: str, number: int, uplink: str, rate_mbps: float, began_s: float, readings: Sequence[Reading]) -> list[list[str]]:
    """Of series.csv."""
    return [
        [
            case,
            str(number),
            uplink,
            f"{rate_mbps:g}",
            f"{each.at_s - began_s:.3f}",
            str(int(each.alive)),
            "" if each.capacity_mbps is None else f"{each.capacity_mbps:.4f}",
        ]
        for each in readings
    ]


def figures(results: Results, series: Mapping[tuple[str, float], Sequence[tuple[float, float]]]) -> list[Figure | Chart]:
    """series: by load and rate, of the first round: seconds, and the reported capacity as a share of the real one."""
    bars = [
        Bar(f"{rate:g} Mbit/s", statistics.fmean(known), min(known), max(known), len(known), group=load, cluster=f"{rate:g} Mbit/s")
        for load, rate in sorted(results.places, key=lambda place: (place[1], LOADS.index(place[0])))
        if (known := [each.first_s for each in results.by_place[load, rate] if each.first_s is not None])
    ]
    charts = []
    for load in dict.fromkeys(place[0] for place in results.places):
        lines = [
            Line(f"{rate:g} Mbit/s", [x for x, _ in points], [y for _, y in points], count=1)
            for (of, rate), points in sorted(series.items())
            if of == load and points
        ]
        charts.append(Chart(f"capacity-{load}", f"Measured capacity ({load}), first round", "s", "measured / true", lines))
    return [Figure("first-estimate", "Time to the first estimate of an uplink's capacity", "s", bars, whiskers="least and most of the runs"), *charts]
