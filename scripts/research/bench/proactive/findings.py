"""The findings of a run: broken connections by cause, moved buckets, and both as text. No I/O."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from malob.cli import table
from research.bench.soak.model import Failure

#: The time after a removal in which connections of the removed member may still fail: they notice at their next packet.
REMOVED_S = 5.0
_MAX_SHOWN = 20


@dataclass(frozen=True)
class Step:
    """What was changed, and the time from then to the next change, of the monotonic clock. moves: buckets that moved in it.

    removed: the server whose member was removed; empty for other steps. settled: whether all buckets were at rest at the end.
    """

    cause: str
    begin: float
    moves: int
    removed: str = ""
    settled: bool = True


@dataclass(frozen=True)
class Totals:
    """The connections that ended well, of all clients. bytes: of their responses. connect_max_ms: the slowest connect()."""

    short: int
    downloads: int
    bytes: int
    connect_max_ms: float
    silent: int = 0


@dataclass(frozen=True)
class Record:
    """All observations of a run. buckets: their number on all edges. wrong: violations besides broken connections, as sentences."""

    begin: float
    seconds: float
    steps: Sequence[Step]
    buckets: int
    totals: Totals
    failures: Sequence[Failure]
    wrong: Sequence[str] = ()


def document(record: Record) -> dict[str, Any]:
    """The run as JSON has it; "ok" is the verdict."""
    broken: dict[str, Counter[str]] = defaultdict(Counter)
    shown, exempt = [], 0
    for failure in record.failures:
        if is_exempt(failure, record.steps):
            exempt += 1
            continue
        cause = cause_of(failure, record.steps)
        broken[cause][failure.outcome] += 1
        shown.append({"at_s": round(failure.ended - record.begin, 1), "cause": cause, "host": failure.host, **failure.fields})
    return {
        "ok": not broken and not record.wrong,
        "seconds": round(record.seconds, 1),
        "connections": {
            "short": record.totals.short,
            "downloads": record.totals.downloads,
            "silent": record.totals.silent,
            "megabytes": round(record.totals.bytes / 1e6, 1),
            "connect_max_ms": record.totals.connect_max_ms,
        },
        "buckets": record.buckets,
        "moved": sum(step.moves for step in record.steps),
        "steps": dict(Counter(step.cause for step in record.steps)),
        "moved_by_cause": {cause: sum(step.moves for step in record.steps if step.cause == cause) for cause in _causes(record)},
        "broken_by_cause": {cause: dict(broken[cause]) for cause in _causes(record)},
        "of_removed_members": exempt,
        "not_settled": sum(not step.settled for step in record.steps),
        "wrong": list(record.wrong),
        "failures": shown[:_MAX_SHOWN],
    }


def cause_of(failure: Failure, steps: Sequence[Step]) -> str:
    """The change before it."""
    return next((step.cause for step in reversed(steps) if step.begin <= failure.moment), steps[0].cause)


def is_exempt(failure: Failure, steps: Sequence[Step]) -> bool:
    """Whether it was a connection of a member that was removed; before its first answer, a connection may be of any member."""
    return any(step.removed and failure.server in (None, step.removed) and failure.within(step.begin, step.begin + REMOVED_S) for step in steps)


def _causes(record: Record) -> list[str]:
    return list(dict.fromkeys(step.cause for step in record.steps))


def text(found: Mapping[str, Any]) -> list[str]:
    """The document for people."""
    connections = found["connections"]
    rows = [
        [cause, str(times), str(found["moved_by_cause"][cause]), counts(found["broken_by_cause"][cause])] for cause, times in found["steps"].items()
    ]
    return [
        f"{connections['short']:,} short connections, {connections['downloads']:,} downloads, {connections['silent']} silent ones,"
        f" {connections['megabytes']:,.0f} MB in {found['seconds']:.0f} s; slowest connect() {connections['connect_max_ms']:.0f} ms",
        f"{found['buckets']} buckets, {found['moved']} moves; {found['of_removed_members']} connections ended with their members",
        "",
        *table.render(["cause", "times", "moves", "broken"], rows, right=range(1, 3)),
        *map(_failure, found["failures"]),
        *(f"wrong: {sentence}" for sentence in found["wrong"]),
    ]


def counts(outcomes: Mapping[str, int]) -> str:
    """The number of connections by outcome, in words."""
    return ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) or "0"


def _failure(each: Mapping[str, Any]) -> str:
    return f"{each['at_s']} s, {each['cause']}: {each['kind']} of {each['host']}, {each['outcome']}, server {each['server']}"
