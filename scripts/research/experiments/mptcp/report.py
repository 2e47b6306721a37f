"""Converts the sessions' throughputs to summary, table and figures. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Callable

from research import distribution
from research.distribution import Interval, Mean
from research.experiments.frame.plots import Bar, Figure
from research.experiments.frame.samples import Record
from research.experiments.frame.summary import Check, Summary
from research.experiments.frame.table import Column, Table
from research.experiments.mptcp.methods import PAPER_GAINS

#: The target as a share of the model's throughput.
_MODEL_SHARE = 0.9

#: The cell in which the paper's order of methods is a target.
_FIRST_TOPOLOGY, _FIRST_LOAD = "mptcp-1", "LOW"


@dataclass(frozen=True)
class Cell:
    """A method at a load on a topology."""

    method: str
    load: str
    topology: str

    @property
    def key(self) -> str:
        """The key in metrics."""
        return f"{self.method}.{self.load}.{self.topology}"

    def of(self, method: str) -> Cell:
        """The same cell of another method."""
        return Cell(method, self.load, self.topology)


class Results:
    """By cell, the total throughput of all sessions, in Mbit/s. model: by the cell's key, the fluid model's result."""

    def __init__(self, record: Record, cells: Sequence[Cell], seconds: float, model: Mapping[str, float]) -> None:
        self.cells = cells
        self.model = model
        self._runs = {cell: _runs_mbps(record, cell, seconds) for cell in cells}
        self.means = {cell: found for cell in cells if (found := distribution.mean(list(self._runs[cell].values()))) is not None}
        self._gains = {cell: self._gain(cell) for cell in cells}

    def gain(self, cell: Cell) -> Interval | None:
        """The gain over TCP in percent; None if no round measured both.

        Paired: each round gives one value, because both had the same sessions there.
        """
        return self._gains.get(cell)

    def _gain(self, cell: Cell) -> Interval | None:
        base = self._runs.get(cell.of("TCP"), {})
        gains = [100 * (mbps / base[number] - 1) for number, mbps in self._runs[cell].items() if base.get(number)]
        return distribution.median_interval(gains) if gains else None

    def model_percent(self, cell: Cell) -> float | None:
        """The share of the model's throughput."""
        mine, model = self.means.get(cell), self.model.get(cell.key)
        return None if mine is None or not model else 100 * mine.value / model


def _runs_mbps(record: Record, cell: Cell, seconds: float) -> dict[int, float]:
    """The throughput by round. A failed session counts with the bytes that it had transferred."""
    return {each.round: sum(sample.size for sample in each.samples) * 8 / 1e6 / seconds for each in record.slices if each.case == cell.key}


def summarise(summary: Summary, results: Results) -> None:
    """Adds the metrics of all cells, gains, the paper's figures, and targets."""
    table(results).add_metrics(summary, lambda cell: cell.key)
    _add_gains(summary, results)
    summary.checks += [check for cell in results.means for check in _checks(summary, cell)]


def _add_gains(summary: Summary, results: Results) -> None:
    """The gain in each cell, and the averages over the topologies, as in the paper."""
    medians: dict[tuple[str, str], list[float]] = {}
    for cell in results.means:
        gain = results.gain(cell)
        if cell.method == "TCP" or gain is None:
            continue
        medians.setdefault((cell.method, cell.load), []).append(gain.median)
        for name, value in (("gain_percent", gain.median), ("gain_low_percent", gain.low), ("gain_high_percent", gain.high)):
            summary.metric(f"{name}.{cell.key}", round(value, 2), "%")
    for method, load in dict.fromkeys((cell.method, cell.load) for cell in results.means if cell.method != "TCP"):
        gains = medians.get((method, load))
        if gains:
            summary.metric(f"gain_percent.{method}.{load}", round(sum(gains) / len(gains), 2), "%")
        if load in PAPER_GAINS.get(method, {}):
            summary.paper(f"gain_percent.{method}.{load}", PAPER_GAINS[method][load], "%")


def _checks(summary: Summary, cell: Cell) -> list[Check]:
    def ratio(other: str, mine: str) -> float | None:
        return summary.ratio(f"mbps.{cell.of(other).key}", f"mbps.{cell.of(mine).key}")

    checks = [Check(f"fluid model to {cell.key}", summary.ratio(f"model_mbps.{cell.key}", f"mbps.{cell.key}"), 1 / _MODEL_SHARE)]
    pairs = {"VS": ["VS-paper"], "NVS": ["NVS-paper"], "disjoint": ["TCP"]}.get(cell.method, [])
    if cell.method == "VS" and (cell.topology, cell.load) == (_FIRST_TOPOLOGY, _FIRST_LOAD):
        pairs = [*pairs, "NVS", "MPTCP", "TCP"]
    where = f"{cell.load}, {cell.topology}"
    return checks + [
        Check(f"{other} to {cell.method}: {where}", ratio(other, cell.method), 1.0) for other in pairs if ratio(other, cell.method) is not None
    ]


def table(results: Results) -> Table[Cell]:
    """A row for each cell that was measured."""

    def gain(of: Callable[[Interval], float]) -> Callable[[Cell], float | None]:
        return lambda cell: None if (found := results.gain(cell)) is None else of(found)

    columns: list[Column[Cell]] = [
        Column("method", "method", lambda cell: cell.method),
        Column("load", "load", lambda cell: cell.load),
        Column("topology", "topology", lambda cell: cell.topology),
        Column("runs", "runs", lambda cell: results.means[cell].count, "d"),
        Column("mbps", "Mbit/s", lambda cell: results.means[cell].value, ".3f", unit="Mbit/s"),
        Column("ci90", "± (90 %)", lambda cell: results.means[cell].ci90, ".3f", unit="Mbit/s"),
        Column("model_mbps", "model", lambda cell: results.model.get(cell.key), ".3f", unit="Mbit/s"),
        Column("model_percent", "% of it", results.model_percent, ".1f", unit="%", digits=2),
        Column("gain_percent", "% on TCP", gain(lambda found: found.median), ".1f"),
        Column("gain_low_percent", "from", gain(lambda found: found.low), ".1f"),
        Column("gain_high_percent", "to (95 %)", gain(lambda found: found.high), ".1f"),
    ]
    return Table(columns, results.means)


def figures(results: Results) -> list[Figure]:
    """As figure 5: one figure per load, topologies side by side, a bar for each method."""
    found = []
    for load in dict.fromkeys(cell.load for cell in results.cells):
        bars = [_bar(cell, results.means[cell], results.model.get(cell.key)) for cell in results.cells if cell.load == load and cell in results.means]
        marks = {"optimum_label": "fluid model", "whiskers": "90 % confidence interval"}
        found.append(Figure(f"figure-5-{load.lower()}", f"All sessions together, {load} load", "Mbit/s", bars, **marks))
    return found


def _bar(cell: Cell, found: Mean, model: float | None) -> Bar:
    around = found.ci90 or 0
    return Bar(
        cell.method, found.value, found.value - around, found.value + around, found.count, optimum=model, group=cell.method, cluster=cell.topology
    )
