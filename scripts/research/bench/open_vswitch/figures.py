"""Converts rounds to figures, and figures to tables. No I/O."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable

from research.bench.open_vswitch.cases import LABELS, PLAIN
from research.bench.readings import COUNTERS
from research.experiments.frame.table import Column, Table


@dataclass(frozen=True)
class Round:
    """The results of ab. cpu: seconds of processor time, by program. counts: the switch's work per connection. packet_ins: those
    that the balancer handled. flows: of the datapath at the end. connect_us: of each connect() alone."""

    per_second: float
    failed: int
    cpu: Mapping[str, float]
    counts: Mapping[str, float]
    packet_ins: int
    flows: int
    connect_us: Sequence[int]

    @property
    def connect_ms(self) -> float:
        return statistics.median(self.connect_us) / 1000


@dataclass(frozen=True)
class Pair:
    """A round of a case, and one of plain forwarding just before or after it: on one machine, rounds minutes apart differ by a third."""

    plain: Round
    round: Round

    @property
    def rate_ratio(self) -> float:
        return self.round.per_second / self.plain.per_second

    @property
    def connect_ratio(self) -> float:
        return self.round.connect_ms / self.plain.connect_ms

    @property
    def connect_more_ms(self) -> float:
        return self.round.connect_ms - self.plain.connect_ms


def figures(pairs: Mapping[str, Sequence[Pair]], requests: int) -> dict[str, Any]:
    """The figures of plain forwarding and of each case: medians of its rounds; ratios are medians of those within pairs. requests: per round."""
    found = {PLAIN: _of([pair.plain for each in pairs.values() for pair in each], requests)}
    for case, each in pairs.items():
        rates = [pair.rate_ratio for pair in each]
        found[case] = {
            **_of([pair.round for pair in each], requests),
            "connections_per_s_ratio": statistics.median(rates),
            "connections_per_s_ratio_min": min(rates),
            "connections_per_s_ratio_max": max(rates),
            "connect_median_ms_ratio": statistics.median(pair.connect_ratio for pair in each),
            "connect_median_more_ms": statistics.median(pair.connect_more_ms for pair in each),
            "pairs": [[pair.plain.per_second, pair.round.per_second] for pair in each],
        }
    return found


def _of(rounds: Sequence[Round], requests: int) -> dict[str, Any]:
    rates = [each.per_second for each in rounds]
    return {
        "connections_per_s": statistics.median(rates),
        "connections_per_s_min": min(rates),
        "connections_per_s_max": max(rates),
        "failed": sum(each.failed for each in rounds),
        "per_connection": {name: statistics.median(each.counts[name] for each in rounds) for name in COUNTERS},
        "packet_ins_per_1000": 1000 * statistics.median(each.packet_ins for each in rounds) / requests,
        "datapath_flows": statistics.median(each.flows for each in rounds),
        "connect_median_ms": statistics.median(time_us for each in rounds for time_us in each.connect_us) / 1000,
        "cpu_us_per_connection": {name: 1e6 * statistics.median(each.cpu[name] for each in rounds) / requests for name in rounds[0].cpu},
    }


def table(found: Mapping[str, Mapping[str, Any]]) -> Table[str]:
    """A row for each case."""

    def value(key: str) -> Callable[[str], Any]:
        return lambda case: found[case].get(key)

    columns: list[Column[str]] = [
        Column("", "case", LABELS.__getitem__),
        Column("", "connections/s", value("connections_per_s"), ".0f"),
        Column("", "min", value("connections_per_s_min"), ".0f"),
        Column("", "max", value("connections_per_s_max"), ".0f"),
        Column("", "of plain", value("connections_per_s_ratio"), ".0%"),
        Column("", "min", value("connections_per_s_ratio_min"), ".0%"),
        Column("", "max", value("connections_per_s_ratio_max"), ".0%"),
        Column("", "failed", value("failed"), "d"),
        Column("", "connect ms", value("connect_median_ms"), ".2f"),
        Column("", "more", value("connect_median_more_ms"), "+.2f"),
        Column("", "packet-ins/1000", value("packet_ins_per_1000"), ".0f"),
        Column("", "flows", value("datapath_flows"), ".0f"),
    ]
    names = {name: f"{name} µs" for name in found[PLAIN]["cpu_us_per_connection"]}
    return Table([*columns, *_columns(found, "cpu_us_per_connection", names, ".0f")], found)


def counters(found: Mapping[str, Mapping[str, Any]]) -> Table[str]:
    """The switch's work per connection."""
    names = {name: name.replace("_", " ") for name in COUNTERS}
    return Table([Column("", "per connection", LABELS.__getitem__), *_columns(found, "per_connection", names, ".1f")], found)


def _columns(found: Mapping[str, Mapping[str, Any]], key: str, titles: Mapping[str, str], form: str) -> list[Column[str]]:
    def value(name: str) -> Callable[[str], float]:
        return lambda case: found[case][key][name]

    return [Column("", title, value(name), form) for name, title in titles.items()]
