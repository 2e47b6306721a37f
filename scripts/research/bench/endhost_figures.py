"""Evaluates the rounds of `bench endhost`: medians and targets. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: The compared cases, in the order of the table. "none" is a host without switch and controller, on one uplink.
MALOB, OSKEN, NONE = "malob", "os-ken", "none"
WAYS = (MALOB, OSKEN, NONE)

#: The values of each round by name, by case.
Rounds = Mapping[str, Sequence[Mapping[str, float]]]

#: The rows of the table: description, and digits after the decimal point.
METRICS = {
    "start_s": ("started, s", 2),
    "rss_idle_mb": ("memory (RSS) after start, MB", 1),
    "rss_load_mb": ("memory (RSS) after load, MB", 1),
    "idle_cpu_percent": ("processor when idle, % of a core", 2),
    "connect_median_ms": ("connect(), median, ms", 2),
    "connect_p95_ms": ("connect(), 95 of 100, ms", 2),
    "controller_median_ms": ("of that in the controller, median, ms", 2),
    "flows_per_s": ("new flows per second", 0),
    "cpu_us_per_flow": ("processor per flow, µs", 0),
    "failed": ("requests that failed", 0),
    "supervisor_rss_mb": ("memory (RSS) of the supervisor, MB", 1),
    "supervisor_idle_cpu_percent": ("processor of the idle supervisor, % of a core", 2),
}


@dataclass(frozen=True)
class Target:
    """A target of MALOB. figure: a name of METRICS, or "first_packet_ms". strict: the value must be below the limit."""

    figure: str
    words: str
    limit: float
    strict: bool = False

    def holds(self, value: float) -> bool:
        return value < self.limit if self.strict else value <= self.limit


TARGETS = (
    Target("rss_load_mb", "memory at most 120 MB", 120),
    Target("idle_cpu_percent", "idle below 0.5 % of a core", 0.5, strict=True),
    Target("start_s", "started below 2 s", 2, strict=True),
    Target("first_packet_ms", "first packets at most 2 ms later at the median", 2),
)


def figures(rounds: Rounds) -> dict[str, dict[str, float]]:
    """By case: the median of each metric over its rounds; of failures, the sum.

    "first_packet_ms" is the additional time of connect() compared with no switch, per round, if it was measured.
    """
    found: dict[str, dict[str, float]] = {}
    for way, results in rounds.items():
        found[way] = {name: _together(name, [result[name] for result in results]) for name in METRICS if all(name in result for result in results)}
        if way != NONE and rounds.get(NONE):
            pairs = zip(results, rounds[NONE])
            found[way]["first_packet_ms"] = statistics.median(
                with_switch["connect_median_ms"] - without["connect_median_ms"] for with_switch, without in pairs
            )
    return found


def _together(name: str, values: Sequence[float]) -> float:
    return sum(values) if name == "failed" else statistics.median(values)


def checks(found: Mapping[str, Mapping[str, float]]) -> list[dict[str, Any]]:
    """Each target with its value and whether it is reached; targets that were not measured are omitted."""
    malob = found.get(MALOB, {})
    return [
        {"figure": target.figure, "target": target.words, "value": malob[target.figure], "holds": target.holds(malob[target.figure])}
        for target in TARGETS
        if target.figure in malob
    ]


def rows(found: Mapping[str, Mapping[str, float]]) -> list[list[str]]:
    """Lines of a table: a metric, and its value for each case."""
    shown = {**METRICS, "first_packet_ms": ("connect(), median, later than without, ms", 2)}
    return [
        [words, *("-" if name not in way else f"{way[name]:.{digits}f}" for way in found.values())]
        for name, (words, digits) in shown.items()
        if any(name in way for way in found.values())
    ]


def verdicts(checked: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each target."""
    return [f"{'holds ' if check['holds'] else 'missed'}  {check['target']}: {check['value']:.2f}" for check in checked]
