"""Converts rounds to figures, and figures to a table. No I/O."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from lab.percentiles import percentile
from research.bench.compare.load import Round
from research.experiments.frame.plots import Bar, Figure

PROGRAMS = ("vswitchd", "controller", "proxy")


def figures(rounds: Sequence[Round]) -> dict[str, Any]:
    """The medians of the rounds of one balancer; percentiles of times are those of all rounds together."""

    def of(values: Sequence[float]) -> float:
        return statistics.median(values)

    names = list(rounds[0].cpu_s)
    sums = [sum(each.link_bytes.values()) for each in rounds]
    directions = list(rounds[0].link_bytes)
    return {
        "rounds": len(rounds),
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
        "links_bytes": of(sums),
        "links_bytes_min": min(sums),
        "links_bytes_max": max(sums),
        "busiest_link_bytes": of([max(each.link_bytes.values()) for each in rounds]),
        "link_bytes": {direction: of([each.link_bytes[direction] for each in rounds]) for direction in directions},
    }


def _ms(times_us: Sequence[int], percent: float) -> float | None:
    found = percentile(times_us, percent)
    return None if found is None else found / 1000


_TIMES = ("connect p50", "p99 ms", "page p50", "p99 ms")
HEADER = ("balancer", "conn/s", "Mbit/s", *_TIMES, "failed", *(f"{name} s" for name in PROGRAMS), "links MB", "busiest MB")


def rows(labels: Mapping[str, str], found: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    """A row for each balancer: its figures, or the reason why there are none. labels: by name, in the order of the rows."""
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
    """The reasons why some were skipped."""
    return [f"{label}: skipped, {found[name]['skipped']}" for name, label in labels.items() if "skipped" in found[name]]


def plots(networks: Sequence[Mapping[str, Any]], labels: Mapping[str, str]) -> list[Figure]:
    """The figures of each network: connections per second, pages, and bytes on links. labels: of all balancers, by name."""
    made = []
    for result in networks:
        name = result["network"]
        found = {labels[balancer]: figures for balancer, figures in result["balancers"].items() if "skipped" not in figures}

        def bars(key: str, low: str, high: str, scale: float = 1, found: Mapping[str, Any] = found) -> list[Bar]:
            return [
                Bar(label, scale * figures[key], scale * figures[low], scale * figures[high], figures["rounds"])
                for label, figures in found.items()
                if figures[key] is not None
            ]

        made += [
            Figure(
                f"compare-{name}-connections",
                f"New connections, {name}",
                "connections per second",
                bars("connections_per_s", "connections_per_s_min", "connections_per_s_max"),
                whiskers="slowest and fastest repeat",
            ),
            Figure(
                f"compare-{name}-pages",
                f"Pages of 200 kB, {name}",
                "ms for a page",
                bars("page_p50_ms", "page_p50_ms", "page_p99_ms"),
                whiskers="up to the 99th percentile",
            ),
            Figure(
                f"compare-{name}-links",
                f"Bytes on all links for the same load, {name}",
                "MB",
                bars("links_bytes", "links_bytes_min", "links_bytes_max", 1e-6),
                whiskers="least and most of the repeats",
            ),
        ]
    return made
