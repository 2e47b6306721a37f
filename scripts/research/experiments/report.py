"""Converts measurements to summary, tables and figures. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lab.strain import MAX_CPU
from malob.cli.table import render
from research import distribution
from research.experiments.plots import Bar
from research.experiments.samples import Record
from research.experiments.summary import Summary


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


RESULTS = ["case", "kind", "requests", "failed", "p10_s", "median_s", "p90_s", "paper_s"]


def summarise(summary: Summary, record: Record, rows: Sequence[Row]) -> None:
    """Adds the metrics of all rows, the paper's figures, and whether the run is rejected."""
    for row in rows:
        times = record.times(row.case, row.kind)
        if times is not None:
            for name, value in (("median_s", times.median), ("p10_s", times.p10), ("p90_s", times.p90)):
                summary.metric(f"{name}.{row.key}", round(value, 6), "s")
            summary.metric(f"requests.{row.key}", times.count, "1")
        if times is not None and row.tail:
            for name, value in zip(("p99_s", "p999_s"), _tail(record, row)):
                summary.metric(f"{name}.{row.key}", round(value, 6), "s")
        if row.paper is not None and row.paper[0] == row.paper[1]:
            summary.paper(f"median_s.{row.key}", row.paper[0], "s")
    add_strain(summary, record)


def add_strain(summary: Summary, record: Record) -> None:
    """Adds the programs' shares of a core, and rejects a run in which switches were at their limit."""
    for program in ("ovs-vswitchd", "link-emulator", "controller"):
        used = record.cpu(program)
        if used is not None:
            summary.metric(f"cpu.{program}", round(used, 4), "cores")
    over = record.over("ovs-vswitchd", MAX_CPU)
    if over:
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


def results(record: Record, rows: Sequence[Row]) -> list[list[str]]:
    """The rows of results.csv."""
    lines = []
    for row in rows:
        times = record.times(row.case, row.kind)
        samples = record.samples(row.case, row.kind)
        failed = sum(1 for sample in samples if sample.error)
        paper = "" if row.paper is None else "-".join(f"{value:g}" for value in dict.fromkeys(row.paper))
        figures = [f"{value:.6f}" for value in (times.p10, times.median, times.p90)] if times else ["", "", ""]
        lines.append([row.case, row.kind, str(len(samples)), str(failed), *figures, paper])
    return lines


def _tail(record: Record, row: Row) -> tuple[float, float]:
    """The 99th and the 99.9th percentile. There must be a successful request."""
    seconds = [sample.seconds for sample in record.samples(row.case, row.kind) if sample.good]
    return distribution.percentile(seconds, 99), distribution.percentile(seconds, 99.9)


def table(record: Record, rows: Sequence[Row]) -> list[str]:
    """The printed table: times in seconds, and the servers that answered."""
    has_tail = any(row.tail for row in rows)
    lines = []
    for line, row in zip(results(record, rows), rows):
        servers = Counter(sample.server for sample in record.samples(row.case, row.kind) if sample.good)
        tail = [f"{value:.3f}" for value in _tail(record, row)] if row.tail and servers else [""] * (2 * has_tail)
        shares = " ".join(f"{name}:{count}" for name, count in sorted(servers.items()))
        lines.append([row.key, line[2], line[3], *(f"{float(each):.3f}" if each else "" for each in line[4:7]), *tail, line[7], shares])
    header = [
        "combination",
        "requests",
        "failed",
        "p10 s",
        "median s",
        "p90 s",
        *(["p99 s", "p99.9 s"] if has_tail else []),
        "paper s",
        "answered by",
    ]
    return render(header, lines, right=range(1, len(header) - 1))


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
            paper: tuple[float | None, float | None] = (
                (None, None) if row.paper is None else (row.paper[0] * paper_factor, row.paper[1] * paper_factor)
            )
            found.append(Bar(row.label or row.key, times.median, times.p10, times.p90, times.count, paper[0], paper[1], group=row.group))
    return found
