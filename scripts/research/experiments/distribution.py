"""Medians and percentiles. No I/O."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Distribution:
    """Of so many values, the 10th percentile, the median and the 90th percentile, in the values' own unit."""

    count: int
    p10: float
    median: float
    p90: float


def of(values: Iterable[float]) -> Distribution | None:
    """None if there are no values."""
    ordered = sorted(values)
    if not ordered:
        return None
    return Distribution(len(ordered), percentile(ordered, 0.1), percentile(ordered, 0.5), percentile(ordered, 0.9))


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of ordered values lies; in between two of them, by straight line. Needs one value."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = math.ceil(place)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
