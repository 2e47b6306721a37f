"""Checks whether a figure grows over a long run. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: The min number of samples and the min period for a trend.
MIN_SAMPLES, MIN_S = 8, 90.0


@dataclass(frozen=True)
class Trend:
    """median: of the samples. grown: the slope times the period. seconds: from the first to the last."""

    median: float
    grown: float
    seconds: float

    def flat(self, share: float, floor: float) -> bool:
        """Whether it has grown by no more than the larger of a share of the median and the floor."""
        return self.grown <= max(share * self.median, floor)


def of(samples: Sequence[tuple[float, float]]) -> Trend | None:
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
