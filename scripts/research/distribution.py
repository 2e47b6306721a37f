"""Percentiles, and means with confidence intervals. No I/O.

numpy and scipy are imported only when needed: command lines are parsed and documented without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Distribution:
    """The number of values, their 10th percentile, median and 90th percentile, in the values' own unit."""

    count: int
    p10: float
    median: float
    p90: float


@dataclass(frozen=True)
class Mean:
    """The number of values, and their mean. ci90: half the width of the 90 % confidence interval (Student's t); None for a single value."""

    count: int
    value: float
    ci90: float | None


def of(values: Iterable[float]) -> Distribution | None:
    """None if there are no values."""
    known = list(values)
    return Distribution(len(known), *(percentile(known, percent) for percent in (10, 50, 90))) if known else None


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which the given percentage of the values lie, interpolated linearly. Needs one value."""
    import numpy

    return float(numpy.percentile(values, percent))


def mean(values: Sequence[float]) -> Mean | None:
    """None if there are no values."""
    import numpy
    from scipy import stats

    if not values:
        return None
    count = len(values)
    ci90 = float(stats.t.ppf(0.95, count - 1) * stats.sem(values)) if count > 1 else None
    return Mean(count, float(numpy.mean(values)), ci90)


@dataclass(frozen=True)
class Interval:
    """The number of values, their median, and its 95 % interval (percentile bootstrap); of one value, low and high are the value."""

    count: int
    median: float
    low: float
    high: float


#: Resamples of a bootstrap.
_RESAMPLES = 10_000


def median_interval(values: Sequence[float], seed: int = 1) -> Interval:
    """The same values and seed give the same interval. Needs one value."""
    import numpy

    known = numpy.asarray(values, dtype=float)
    drawn = numpy.random.default_rng(seed).choice(known, (_RESAMPLES, len(known)))
    low, high = numpy.percentile(numpy.median(drawn, axis=1), [2.5, 97.5])
    return Interval(len(known), float(numpy.median(known)), float(low), float(high))
