"""Converts measurements to summary, tables and figures. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Callable

from lab.saturation import MAX_CPU
from malob.cli.table import render
from research import distribution
from research.distribution import Distribution
from research.experiments.frame.plots import Bar
from research.experiments.frame.samples import Record
from research.experiments.frame.summary import Summary
from research.experiments.frame.table import Column, Table


@dataclass(frozen=True)
class Row:
    """A row with a median in the summary.

    key: in metrics, after `median_s.`. paper: low and high, in the paper's seconds. label, group: in figures; the default
    label is the key. tail: whether the 99th and 99.9th percentiles are metrics, too.
    """

    key: str
    case: str
    kind: str
    wanted: int
    paper: tuple[float, float] | None = None
    label: str = ""
    group: str = ""
    tail: bool = False


def summarise(summary: Summary, record: Record, rows: Sequence[Row]) -> None:
    """Adds the metrics of all rows, the paper's figures, and whether the run is rejected."""
    table(record, rows).add_metrics(summary, lambda row: row.key)
    for row in rows:
        seconds = _good(record, row)
        if seconds:
            summary.metric(f"requests.{row.key}", len(seconds), "1")
        if seconds and row.tail:
            for name, percent in (("p99_s", 99), ("p999_s", 99.9)):
                summary.metric(f"{name}.{row.key}", round(distribution.percentile(seconds, percent), 6), "s")
        if row.paper is not None and row.paper[0] == row.paper[1]:
            summary.paper(f"median_s.{row.key}", row.paper[0], "s")


def add_saturation(summary: Summary, record: Record, rejects: bool) -> None:
    """Adds the programs' shares of a core. rejects: a run in which switches were at their limit."""
    for program in ("ovs-vswitchd", "link-emulator", "controller"):
        used = record.cpu(program)
        if used is not None:
            summary.metric(f"cpu.{program}", round(used, 4), "cores")
    over = record.over("ovs-vswitchd", MAX_CPU)
    if over and rejects:
        summary.rejected.append(
            f"ovs-vswitchd used more than {MAX_CPU:.0%} of a core in {len(over)} of {len(record.slices)} slices: "
            + ", ".join(f"{each.number} ({each.case}, {each.cpu['ovs-vswitchd']:.0%})" for each in over[:10])
        )


def troubles(record: Record, rows: Sequence[Row]) -> list[str]:
    """The reason why the command has failed: failed or missing requests. Empty if there are none."""
    found = []
    failed = record.failed()
    if failed:
        reasons = Counter(sample.error for sample in failed).most_common(3)
        found.append(f"{len(failed)} requests failed: " + ", ".join(f"{reason} ({count})" for reason, count in reasons))
    for row in rows:
        count = sum(1 for sample in record.samples(row.case, row.kind) if sample.good)
        if count < row.wanted:
            found.append(f"{row.key}: {count} requests instead of {row.wanted}")
    return found


def table(record: Record, rows: Sequence[Row]) -> Table[Row]:
    """Times in seconds, and the servers that answered."""

    def times(of: Callable[[Distribution], float]) -> Callable[[Row], float | None]:
        return lambda row: None if (found := record.times(row.case, row.kind)) is None else of(found)

    def tail(percent: float) -> Callable[[Row], float | None]:
        return lambda row: distribution.percentile(found, percent) if row.tail and (found := _good(record, row)) else None

    tails: list[Column[Row]] = [Column("", "p99 s", tail(99), ".3f"), Column("", "p99.9 s", tail(99.9), ".3f")]
    columns: list[Column[Row]] = [
        Column("case", "", lambda row: row.case),
        Column("kind", "", lambda row: row.kind),
        Column("", "combination", lambda row: row.key),
        Column("requests", "requests", lambda row: len(record.samples(row.case, row.kind)), "d"),
        Column("failed", "failed", lambda row: sum(1 for sample in record.samples(row.case, row.kind) if sample.error), "d"),
        Column("p10_s", "p10 s", times(lambda found: found.p10), ".6f", ".3f", unit="s", digits=6),
        Column("median_s", "median s", times(lambda found: found.median), ".6f", ".3f", unit="s", digits=6),
        Column("p90_s", "p90 s", times(lambda found: found.p90), ".6f", ".3f", unit="s", digits=6),
        *(tails if any(row.tail for row in rows) else []),
        Column("paper_s", "paper s", _paper, "s"),
        Column("", "answered by", lambda row: _servers(record, row)),
    ]
    return Table(columns, rows)


def _good(record: Record, row: Row) -> list[float]:
    """The seconds of successful requests."""
    return [sample.seconds for sample in record.samples(row.case, row.kind) if sample.good]


def _paper(row: Row) -> str | None:
    return None if row.paper is None else "-".join(f"{value:g}" for value in dict.fromkeys(row.paper))


def _servers(record: Record, row: Row) -> str:
    servers = Counter(sample.server for sample in record.samples(row.case, row.kind) if sample.good)
    return " ".join(f"{name}:{count}" for name, count in sorted(servers.items()))


def check_lines(summary: Summary) -> list[str]:
    """The printed list: each target, and whether it is reached."""
    verdicts = {True: "holds", False: "does not hold", None: "not measured"}
    rows = [
        [check.name, "" if check.value is None else f"{check.value:.3f}", f"{check.at_most:g}", verdicts[check.holds]] for check in summary.checks
    ]
    return render(["target", "measured", "at most", ""], rows, right=[1, 2]) if rows else []


def bars(record: Record, rows: Sequence[Row], paper_factor: float) -> list[Bar]:
    """A bar for each row that has values. paper_factor: converts the paper's seconds to this experiment's."""
    found = []
    for row in rows:
        times = record.times(row.case, row.kind)
        if times is not None:
            low, high = (None, None) if row.paper is None else (row.paper[0] * paper_factor, row.paper[1] * paper_factor)
            found.append(Bar(row.label or row.key, times.median, times.p10, times.p90, times.count, low, high, group=row.group))
    return found
