"""The findings of a run: figures, violations of the model with their context, and both as text. No I/O."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from research import distribution
from research.bench.soak import model
from research.bench.soak.model import Failure, Fault

REST_P99_MS = 50.0
#: The max growth of each figure: a share of its median, or this floor if larger.
_FLAT = {"heap_mb": (0.1, 3.0), "threads": (0.1, 3.0), "rules": (0.1, 30.0)}
#: The time at the start in which growth of a controller's figures is normal.
WARM_UP_S = 45.0
#: The time around a failure whose events are reported.
_AROUND_S = 10.0
#: The min number of samples and the min period for a trend.
MIN_SAMPLES, MIN_S = 8, 90.0
_MAX_SHOWN = 8
_MAX_LOG_LINES = 12


@dataclass(frozen=True)
class Violation:
    """A violation of the model. at: of the monotonic clock. detail: lines for the investigation."""

    at: float
    sentence: str
    detail: tuple[str, ...] = ()


@dataclass
class Record:
    """All observations of a run. Times are those of the monotonic clock. samples: time and value, by the figure's name."""

    seed: int
    begin: float
    seconds: float
    #: the delay of the last event
    late_s: float
    faults: Sequence[Fault]
    outcomes: Counter[str]
    failures: Sequence[Failure]
    connect_ms: Sequence[float]
    bytes: int
    rest_ms: Sequence[float]
    samples: Mapping[str, Sequence[tuple[float, float]]]
    compared: int
    #: of the controller, with their times
    log: Sequence[tuple[float, str]] = ()
    violations: list[Violation] = field(default_factory=list)


def document(record: Record) -> dict[str, Any]:
    """The run as JSON has it; "ok" is the verdict."""
    explained, unexplained = _explanations(record)
    trends, grown = _trends(record)
    rest = {"requests": len(record.rest_ms), "median_ms": _percentile(record.rest_ms, 50), "p99_ms": _percentile(record.rest_ms, 99)}
    violations = [*record.violations, *unexplained, *grown, *_undue(record)]
    if rest["p99_ms"] is not None and rest["p99_ms"] > REST_P99_MS:
        violations.append(Violation(record.begin + record.seconds, f"REST: p99 is {rest['p99_ms']} ms, above {REST_P99_MS:g} ms"))
    return {
        "ok": not violations,
        "seed": record.seed,
        "seconds": record.seconds,
        "late_s": round(record.late_s, 1),
        "faults": dict(Counter(fault.kind for fault in record.faults)),
        "connections": {
            "ended_well": record.outcomes["ok"],
            "failed_for_a_reason": dict(explained),
            "failed_for_none": len(unexplained),
            "megabytes": round(record.bytes / 1e6, 1),
            "connect_median_ms": _percentile(record.connect_ms, 50),
            "connect_p99_ms": _percentile(record.connect_ms, 99),
        },
        "rest": rest,
        "comparisons": record.compared,
        "trends": trends,
        "events": [_fault_text(fault, record.begin) for fault in record.faults],
        "violations": [
            {"at_s": round(each.at - record.begin, 1), "sentence": each.sentence, "detail": each.detail or _around(each.at, each.at, record)}
            for each in sorted(violations, key=lambda each: each.at)
        ],
    }


def _explanations(record: Record) -> tuple[Counter[str], list[Violation]]:
    explained: Counter[str] = Counter()
    unexplained = []
    for failure in record.failures:
        fault = model.explain(failure, record.faults)
        if fault is None:
            unexplained.append(Violation(failure.ended, _sentence(failure, record.begin), _around(failure.progress, failure.ended, record)))
        else:
            explained[fault.kind] += 1
    return explained, unexplained


def _sentence(failure: Failure, begin: float) -> str:
    state = "accepted" if failure.accepted is not None else "not accepted"
    return (
        f"connection {failure.host}:{failure.fields.get('port', '?')} > {failure.fields['vip']} ({state}, server {failure.server},"
        f" {failure.fields['requests']} answers, well until {failure.progress - begin:.1f} s): {failure.outcome}, without a cause"
    )


def _undue(record: Record) -> list[Violation]:
    return [
        Violation(
            down.begin,
            f"member {down.target} was taken down by its checks although its server served",
            _around(down.begin - model.DETECTION_S, down.begin, record),
        )
        for down in record.faults
        if down.kind == model.DOWN and not model.is_due(down, record.faults)
    ]


def _around(begin: float, end: float, record: Record) -> tuple[str, ...]:
    """What was done, and what the controller said, between two moments and shortly before."""
    done = (_fault_text(fault, record.begin) for fault in record.faults if fault.begin <= end and fault.end >= begin - _AROUND_S)
    said = [f"log at {at - record.begin:.1f} s: {line}" for at, line in record.log if begin - 1 <= at <= end + 1]
    return (*done, *said[-_MAX_LOG_LINES:])


def _fault_text(fault: Fault, begin: float) -> str:
    end = "" if math.isinf(fault.end) else f" to {fault.end - begin:.1f} s"
    return f"{fault.kind} {fault.target} from {fault.begin - begin:.1f} s{end}"


def _trends(record: Record) -> tuple[dict[str, Any], list[Violation]]:
    """Of the longest time for which one controller ran, without its beginning."""
    starts = [record.begin, *(fault.end for fault in record.faults if fault.kind == "crash" and not math.isinf(fault.end))]
    shown: dict[str, Any] = {}
    grown = []
    for name, samples in record.samples.items():
        runs = [
            [each for each in samples if start + WARM_UP_S <= each[0] < end]
            for start, end in zip(starts, [*starts[1:], record.begin + record.seconds])
        ]
        longest = max(runs, key=lambda each: each[-1][0] - each[0][0] if each else 0.0)
        found = trend(longest)
        shown[name] = None if found is None else {"median": round(found.median, 1), "grown": round(found.grown, 1), "seconds": round(found.seconds)}
        if found is not None and not found.flat(*_FLAT[name]):
            grown.append(Violation(longest[-1][0], f"{name} has grown by {found.grown:.1f} in {found.seconds:.0f} s (median {found.median:.1f})"))
    return shown, grown


@dataclass(frozen=True)
class Trend:
    """median: of the samples. grown: the slope times the period. seconds: from the first to the last."""

    median: float
    grown: float
    seconds: float

    def flat(self, share: float, floor: float) -> bool:
        """Whether it has grown by no more than the larger of a share of the median and the floor."""
        return self.grown <= max(share * self.median, floor)


def trend(samples: Sequence[tuple[float, float]]) -> Trend | None:
    """samples: time in s, value. The slope is the median of the slopes of all pairs, robust against outliers (Theil and Sen).

    None if there are too few, or their period is too short.
    """
    import numpy
    from scipy import stats

    if len(samples) < MIN_SAMPLES or samples[-1][0] - samples[0][0] < MIN_S:
        return None
    times, values = zip(*samples)
    seconds = times[-1] - times[0]
    return Trend(float(numpy.median(values)), float(stats.theilslopes(values, times)[0]) * seconds, seconds)


def _percentile(values: Sequence[float], percent: float) -> float | None:
    """To a tenth; None without values."""
    return round(distribution.percentile(values, percent), 1) if values else None


def text(found: Mapping[str, Any]) -> list[str]:
    """A document as lines for people."""
    connections, rest = found["connections"], found["rest"]
    faults = ", ".join(f"{count} {kind}" for kind, count in sorted(found["faults"].items()))
    reasons = ", ".join(f"{count} by {kind}" for kind, count in sorted(connections["failed_for_a_reason"].items()))
    lines = [
        f"seed {found['seed']}, {found['seconds']:g} s; {faults or 'no events'}; {found['late_s']:g} s late at the end",
        f"connections  {connections['ended_well']} ended well with {connections['megabytes']:g} MB; failed with a cause:"
        f" {reasons or 'none'}; without: {connections['failed_for_none']}",
        f"connect      median {_shown(connections['connect_median_ms'])} ms, p99 {_shown(connections['connect_p99_ms'])} ms",
        f"REST         median {_shown(rest['median_ms'])} ms, p99 {_shown(rest['p99_ms'])} ms of {rest['requests']} requests",
        f"comparisons  {found['comparisons']} of the switches' rules with the controller's connections",
    ]
    for name, each in found["trends"].items():
        lines.append(
            f"{name:<12} " + ("too few samples" if each is None else f"median {each['median']:g}, {each['grown']:+g} in {each['seconds']} s")
        )
    for violation in found["violations"][:_MAX_SHOWN]:
        lines += [f"violated at {violation['at_s']:g} s: {violation['sentence']}", *(f"    {line}" for line in violation["detail"])]
    if len(found["violations"]) > _MAX_SHOWN:
        lines.append(f"... and {len(found['violations']) - _MAX_SHOWN} more violations (--json has all)")
    return [*lines, "the model holds" if found["ok"] else f"the model is violated; to repeat the run: --seed {found['seed']}"]


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
