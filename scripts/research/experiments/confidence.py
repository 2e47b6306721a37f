"""Means with confidence intervals. No I/O."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

#: Student's t at 95 %, two-sided 90 %, by degrees of freedom from 1 on.
_T = (
    6.314,
    2.920,
    2.353,
    2.132,
    2.015,
    1.943,
    1.895,
    1.860,
    1.833,
    1.812,
    1.796,
    1.782,
    1.771,
    1.761,
    1.753,
    1.746,
    1.740,
    1.734,
    1.729,
    1.725,
    1.721,
    1.717,
    1.714,
    1.711,
    1.708,
    1.706,
    1.703,
    1.701,
    1.699,
    1.697,
)


@dataclass(frozen=True)
class Mean:
    """Of so many values. ci90: half the width of the 90 % confidence interval; None for a single value."""

    count: int
    value: float
    ci90: float | None


def mean(values: Sequence[float]) -> Mean | None:
    """None if there are no values. Beyond 30 degrees of freedom, t is that of 30: a little too wide."""
    if not values:
        return None
    count = len(values)
    if count == 1:
        return Mean(1, values[0], None)
    t = _T[min(count - 1, len(_T)) - 1]
    return Mean(count, statistics.fmean(values), t * statistics.stdev(values) / math.sqrt(count))
