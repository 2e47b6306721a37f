"""Combines the passes of experiments: medians with bootstrap intervals, a page, a table and figures.

A figure of an experiment is its median over the passes. Ratios are formed within each pass, so both of their values are
from the same seed.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from malob.errors import ScriptError
from research import distribution
from research.distribution import Interval
from research.experiments.frame.folder import write_csv
from research.experiments.frame.markdown import rendered, shortened
from research.experiments.frame.plots import Bar, Chart, Figure, Line

#: Ratios are to this case's median, if the experiment has it.
BASELINE = "RR+SPH"

_MEDIAN = "median_s."

#: Points of a line of an empirical distribution.
_POINTS = 100


@dataclass(frozen=True)
class Combined:
    """An experiment's complete passes.

    metrics, ratios, checks: over the passes; ratios by case, to the baseline. paper: by metric; times for requests of this
    size. targets: by check, the max. rejected: how many passes were rejected. times_s: of all requests that count, by case.
    """

    experiment: str
    passes: int
    rejected: int
    machine: Mapping[str, Any]
    metrics: Mapping[str, Interval]
    units: Mapping[str, str]
    paper: Mapping[str, float]
    ratios: Mapping[str, Interval]
    checks: Mapping[str, Interval]
    targets: Mapping[str, float]
    times_s: dict[str, list[float]] = field(default_factory=dict)


def combined(experiment: str, summaries: Sequence[Mapping[str, Any]]) -> Combined:
    """summaries: summary.json of each pass, at least one."""
    values: dict[str, list[float]] = {}
    ratios: dict[str, list[float]] = {}
    checks: dict[str, list[float]] = {}
    for summary in summaries:
        metrics = {key: each["value"] for key, each in summary["metrics"].items()}
        for key, value in metrics.items():
            values.setdefault(key, []).append(value)
        base = metrics.get(_MEDIAN + BASELINE)
        if base:
            for key, value in metrics.items():
                if key.startswith(_MEDIAN):
                    ratios.setdefault(key[len(_MEDIAN) :], []).append(value / base)
        for name, check in summary["checks"].items():
            if check["value"] is not None:
                checks.setdefault(name, []).append(check["value"])
    last = summaries[-1]
    factor = last["parameters"].get("paper_factor", 1)
    return Combined(
        experiment,
        len(summaries),
        sum(1 for each in summaries if each["rejected"]),
        last["machine"],
        _intervals(values),
        {key: each["unit"] for summary in summaries for key, each in summary["metrics"].items()},
        {key: each["value"] * (factor if each["unit"] == "s" else 1) for key, each in last["paper"].items()},
        _intervals(ratios),
        _intervals(checks),
        {name: check["at_most"] for name, check in last["checks"].items()},
    )


def _intervals(values: Mapping[str, Sequence[float]]) -> dict[str, Interval]:
    return {key: distribution.median_interval(some) for key, some in values.items()}


def add_times(result: Combined, directories: Sequence[Path]) -> None:
    """Adds the durations of successful requests from the passes' requests.csv."""
    for directory in directories:
        try:
            with open(directory / "requests.csv", encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    if row["counted"] == "1" and not row["error"]:
                        result.times_s.setdefault(row["case"], []).append(float(row["seconds"]))
        except (OSError, KeyError, ValueError) as error:
            raise ScriptError(f"cannot read {directory / 'requests.csv'}: {error}") from None


def figures(result: Combined) -> list[Figure | Chart]:
    """Ratios to the baseline, and the distribution of requests' times; none for an experiment without the baseline."""
    if not result.ratios:
        return []
    bars = [_ratio_bar(result, case, ratio) for case, ratio in result.ratios.items() if case != BASELINE]
    title = f"{result.experiment}: median time relative to {BASELINE}"
    whiskers = "bootstrap 95 % interval of the median of passes"
    drawn: list[Figure | Chart] = [Figure(f"{result.experiment}-ratios", title, f"share of {BASELINE}", bars, "paper", whiskers=whiskers)]
    order = list(result.ratios)
    cases = sorted(result.times_s, key=lambda case: order.index(case) if case in order else len(order))
    lines = [_ecdf(case, result.times_s[case]) for case in cases]
    if lines:
        title = f"{result.experiment}: times of all requests"
        drawn.append(Chart(f"{result.experiment}-ecdf", title, "time, s", "share of requests", lines))
    return drawn


def _ratio_bar(result: Combined, case: str, ratio: Interval) -> Bar:
    paper, base = result.paper.get(_MEDIAN + case), result.paper.get(_MEDIAN + BASELINE)
    mark = paper / base if paper is not None and base else None
    return Bar(case, ratio.median, ratio.low, ratio.high, ratio.count, mark, mark)


def _ecdf(case: str, times: Sequence[float]) -> Line:
    shares = [place / _POINTS for place in range(_POINTS + 1)]
    return Line(case, [distribution.percentile(times, 100 * share) for share in shares], shares, count=len(times))


def page(results: Sequence[Combined], drawn: Sequence[Figure | Chart]) -> list[str]:
    """The lines of results.md."""
    lines = [
        "# Results",
        "",
        "n counts passes. Values are medians over passes, with bootstrap 95 % intervals if n > 1. Times of papers are for requests of this size.",
        "",
    ]
    targets = [
        [each.experiment, name, _words(interval), str(interval.count), f"≤ {target:g}", _verdict(interval, target), _command(each)]
        for each in results
        for name, target in each.targets.items()
        if (interval := each.checks.get(name)) is not None
    ]
    if targets:
        lines += [*rendered(["experiment", "claim", "MALOB", "n", "target", "", "command"], targets), ""]
    for each in results:
        lines += [f"## {each.experiment}", "", _conditions(each), ""]
        rows = [
            [key, _words(interval), str(interval.count), shortened(f"{each.paper[key]:.6f}") if key in each.paper else "", each.units[key]]
            for key, interval in each.metrics.items()
            if key in each.paper or key.startswith(_MEDIAN) or _is_optimum(key)
        ]
        if rows:
            lines += [*rendered(["figure", "MALOB", "n", "paper", "unit"], rows), ""]
        for figure in drawn:
            if figure.name.startswith(f"{each.experiment}-"):
                lines += [f"![{figure.title}]({figure.name}.svg)", ""]
    return lines[:-1]


def _is_optimum(key: str) -> bool:
    return key.startswith(("ideal_s.", "optimum_mbps.", "model_mbps.", "share_of_fluid."))


def _command(result: Combined) -> str:
    return f"`lab run {result.experiment}`"


def _conditions(result: Combined) -> str:
    machine = result.machine
    passes = f"{result.passes} pass{'es' if result.passes > 1 else ''}, {result.rejected} of them rejected"
    return f"{passes}; {machine['processor']}, {machine['processors']} processors, Linux {machine['kernel']}, {machine['open_vswitch']}."


def _words(interval: Interval) -> str:
    value = shortened(f"{interval.median:.6f}")
    if interval.count == 1:
        return value
    return f"{value} ({shortened(f'{interval.low:.6f}')} to {shortened(f'{interval.high:.6f}')})"


def _verdict(interval: Interval, target: float) -> str:
    """Met or missed if the whole interval is on one side."""
    if interval.high <= target:
        return "met"
    return "**missed**" if interval.low > target else "open"


def write_table(file: Path, results: Sequence[Combined]) -> None:
    """All metrics of all experiments. Raises OSError."""
    rows = [
        [each.experiment, key, interval.count, *_six_digits(interval), each.paper.get(key, ""), each.units[key]]
        for each in results
        for key, interval in each.metrics.items()
    ]
    write_csv(file, [["experiment", "metric", "n", "median", "low_95", "high_95", "paper", "unit"], *rows])


def _six_digits(interval: Interval) -> list[str]:
    return [f"{value:.6g}" for value in (interval.median, interval.low, interval.high)]
