"""The findings of a run: broken and delayed connections by fault, and both as text. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from malob.cli import table
from research.bench.proactive.clients import Slow
from research.bench.proactive.findings import Totals, counts
from research.bench.soak.model import Failure

_MAX_SHOWN = 20


@dataclass(frozen=True)
class Fault:
    """What was done, and the time from then to the next fault, of the monotonic clock.

    promised_ms: the max time of a connect() in it. takeover_s: until all switches had another master; None if none was to have.
    wrong: violations besides connections, as sentences.
    """

    name: str
    begin: float
    promised_ms: float
    takeover_s: float | None = None
    wrong: Sequence[str] = ()


@dataclass(frozen=True)
class Record:
    """All observations of a run."""

    begin: float
    seconds: float
    faults: Sequence[Fault]
    totals: Totals
    failures: Sequence[Failure]
    slow: Sequence[Slow]


def document(record: Record) -> dict[str, Any]:
    """The run as JSON has it; "ok" is the verdict."""
    rows = [_row(record, fault, end) for fault, end in zip(record.faults, _ends(record))]
    return {
        "ok": all(row["ok"] for row in rows),
        "seconds": round(record.seconds, 1),
        "connections": {"short": record.totals.short, "downloads": record.totals.downloads, "megabytes": round(record.totals.bytes / 1e6, 1)},
        "faults": rows,
        "failures": [{"at_s": round(each.ended - record.begin, 1), "host": each.host, **each.fields} for each in record.failures[:_MAX_SHOWN]],
    }


def _ends(record: Record) -> list[float]:
    return [*(fault.begin for fault in record.faults[1:]), record.begin + record.seconds]


def _row(record: Record, fault: Fault, end: float) -> dict[str, Any]:
    broken = Counter(failure.outcome for failure in record.failures if fault.begin <= failure.moment < end)
    slow = [each.ms for each in record.slow if fault.begin <= each.began < end]
    slowest = max(slow, default=0.0)
    return {
        "fault": fault.name,
        "at_s": round(fault.begin - record.begin, 1),
        "takeover_s": None if fault.takeover_s is None else round(fault.takeover_s, 2),
        "slow": len(slow),
        "slowest_ms": slowest,
        "promised_ms": fault.promised_ms,
        "broken": dict(broken),
        "wrong": list(fault.wrong),
        "ok": not broken and not fault.wrong and slowest <= fault.promised_ms,
    }


def text(found: Mapping[str, Any]) -> list[str]:
    """The document for people."""
    connections = found["connections"]
    rows = [
        [
            each["fault"],
            "-" if each["takeover_s"] is None else f"{each['takeover_s']:.2f}",
            str(each["slow"]),
            f"{each['slowest_ms']:.0f}",
            f"{each['promised_ms']:.0f}",
            counts(each["broken"]),
        ]
        for each in found["faults"]
    ]
    return [
        f"{connections['short']:,} short connections, {connections['downloads']:,} downloads, {connections['megabytes']:,.0f} MB"
        f" in {found['seconds']:.0f} s",
        "",
        *table.render(["fault", "takeover s", "slow", "slowest ms", "promised", "broken"], rows, right=range(1, 5)),
        *(f"wrong, {each['fault']}: {sentence}" for each in found["faults"] for sentence in each["wrong"]),
        *(f"{each['at_s']} s: {each['kind']} of {each['host']}, {each['outcome']}, server {each['server']}" for each in found["failures"]),
    ]
