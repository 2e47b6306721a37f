"""Medians and percentiles without numpy. No I/O."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence


def median(values: Sequence[float]) -> float | None:
    """None if there are no values."""
    return statistics.median(values) if values else None


def percentile(values: Sequence[float], percent: float) -> float | None:
    """As numpy's: interpolated linearly between two values. None if there are no values."""
    if not values:
        return None
    ordered = sorted(values)
    place = percent / 100 * (len(ordered) - 1)
    below, above = ordered[math.floor(place)], ordered[math.ceil(place)]
    return below + (above - below) * (place - math.floor(place))
