"""From rounds to figures, and from figures to a table. No I/O."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from lab.percentiles import percentile
from research.bench.compare.load import Round

PROGRAMS = ("vswitchd", "controller", "proxy")


def figures(rounds: Sequence[Round]) -> dict[str, Any]:
    """The medians of the rounds of one balancer; percentiles of times are those of all rounds together."""

    def of(values: Sequence[float]) -> float:
        return statistics.median(values)

    names = list(rounds[0].cpu_s)
    directions = list(rounds[0].link_bytes)
    return {
        "connections_per_s": of([each.connections_per_s for each in rounds]),
        "connections_per_s_min": min(each.connections_per_s for each in rounds),
        "connections_per_s_max": max(each.connections_per_s for each in rounds),
        "mbit_per_s": of([each.mbit_per_s for each in rounds]),
        "connect_p50_ms": _ms([time_us for each in rounds for time_us in each.connects.connect_us], 50),
        "connect_p99_ms": _ms([time_us for each in rounds for time_us in each.connects.connect_us], 99),
        "page_p50_ms": _ms([time_us for each in rounds for time_us in each.pages.total_us], 50),
        "page_p99_ms": _ms([time_us for each in rounds for time_us in each.pages.total_us], 99),
        "failed": sum(each.failed for each in rounds),
        "cpu_s": {name: of([each.cpu_s[name] for each in rounds]) for name in names},
        "links_bytes": of([sum(each.link_bytes.values()) for each in rounds]),
        "busiest_link_bytes": of([max(each.link_bytes.values()) for each in rounds]),
        "link_bytes": {direction: of([each.link_bytes[direction] for each in rounds]) for direction in directions},
    }


def _ms(times_us: Sequence[int], percent: float) -> float | None:
    found = percentile(times_us, percent)
    return None if found is None else found / 1000


HEADER = (
    "balancer",
    "conn/s",
    "Mbit/s",
    "connect p50",
    "p99 ms",
    "page p50",
    "p99 ms",
    "failed",
    *(f"{name} s" for name in PROGRAMS),
    "links MB",
    "busiest MB",
)


def rows(labels: Mapping[str, str], found: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    """A row for each balancer: of its figures, or why there are none. labels: by name, in the order of the rows."""
    made = []
    for name, label in labels.items():
        result = found[name]
        if "skipped" in result:
            made.append([label, *[""] * (len(HEADER) - 1)])
            continue
        cpu = result["cpu_s"]
        made.append(
            [
                label,
                f"{result['connections_per_s']:,.0f}",
                f"{result['mbit_per_s']:.1f}",
                *(_words(result[key]) for key in ("connect_p50_ms", "connect_p99_ms", "page_p50_ms", "page_p99_ms")),
                str(result["failed"]),
                *(f"{cpu[program]:.2f}" if program in cpu else "–" for program in PROGRAMS),
                f"{result['links_bytes'] / 1e6:.1f}",
                f"{result['busiest_link_bytes'] / 1e6:.1f}",
            ]
        )
    return made


def _words(ms: float | None) -> str:
    return "–" if ms is None else f"{ms:.2f}" if ms < 10 else f"{ms:.1f}"


def remarks(labels: Mapping[str, str], found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Why some were skipped."""
    return [f"{label}: skipped, {found[name]['skipped']}" for name, label in labels.items() if "skipped" in found[name]]
