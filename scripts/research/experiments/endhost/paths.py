"""The rates of two uplinks over time, as `lab run endhost-dynamic` and `endhost-web` play them. No I/O except on files."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lab.shaping import trace
from lab.shaping.trace import Step, Trace

DELAY_MS = 5.0

#: Stands for no throughput at all: the emulator, and netem, have no rate of 0.
_NOTHING_MBPS = 0.1


@dataclass(frozen=True)
class Paths:
    """A trace for each uplink and both directions, played for some seconds; shorter traces restart at their ends.
    time_scale: the speed-up of the playback."""

    name: str
    traces: tuple[Trace, ...]
    seconds: float
    time_scale: float = 1

    def faster(self, factor: float) -> Paths:
        """The same in a shorter time."""
        return Paths(self.name, tuple(_faster(each, factor) for each in self.traces), self.seconds / factor, self.time_scale * factor)

    def lasting(self, seconds: float) -> Paths:
        """The same for another time."""
        return replace(self, seconds=seconds)

    def without_gaps(self) -> Paths:
        """The same with the previous rate during outages."""
        return replace(self, traces=tuple(_without_gaps(each) for each in self.traces))

    def capacity_mbps(self, uplink: int, second: float) -> float:
        """The capacity of an uplink at a time."""
        return next(_pieces(self.traces[uplink], second, math.inf))[0]

    def mean_mbps(self, uplink: int, begin: float = 0.0, end: float | None = None) -> float:
        """The capacity of an uplink, averaged over a time; by default the whole time."""
        until = self.seconds if end is None else end
        return sum(mbps * seconds for mbps, seconds in _pieces(self.traces[uplink], begin, until)) / (until - begin)

    @property
    def optimum_mbps(self) -> float:
        """The average capacity of all uplinks."""
        return sum(self.mean_mbps(uplink) for uplink in range(len(self.traces)))


def _faster(old: Trace, factor: float) -> Trace:
    return replace(old, steps=tuple(replace(step, seconds=step.seconds / factor) for step in old.steps), lasts_s=old.period_s / factor)


def _pieces(trace: Trace, begin: float, end: float) -> Iterator[tuple[float, float]]:
    """The capacities between two times, in Mbit/s, and for how many seconds each."""
    rounds, second = divmod(begin, trace.period_s)
    number, at = bisect_right(trace.steps, second, key=lambda step: step.seconds), begin
    while at < end:
        step = trace.steps[number - 1]
        last = number == len(trace.steps)
        until = min(end, rounds * trace.period_s + (trace.period_s if last else trace.steps[number].seconds))
        yield step.rate_mbps * (1 - (step.loss or 0)), until - at
        at, number, rounds = until, 1 if last else number + 1, rounds + last


def _without_gaps(old: Trace) -> Trace:
    steps: list[Step] = []
    for step in old.steps:
        steps.append(replace(step, rate_mbps=steps[-1].rate_mbps, loss=0.0) if step.loss == 1 and steps else step)
    return replace(old, steps=tuple(steps))


def path_step(seconds: float, mbps: float) -> Step:
    """A rate from a time on; 0 for no throughput at all."""
    return Step(seconds, mbps or _NOTHING_MBPS, DELAY_MS, 0.0 if mbps else 1.0)


def _made(name: str, lasts_s: float, *traces: Sequence[tuple[float, float]]) -> Paths:
    """From the seconds and Mbit/s of each uplink."""
    return Paths(
        name,
        tuple(Trace(f"eth{uplink}", "", tuple(path_step(*step) for step in steps), lasts_s) for uplink, steps in enumerate(traces)),
        lasts_s,
    )


def synthetic() -> Paths:
    """Figure 11 of the paper of 2020."""
    return _made("synthetic", 100, [(0, 5), (20, 20), (80, 1)], [(0, 10)])


def outage() -> Paths:
    """Figure 24: each uplink is without throughput for 50 s. The only rate in the text is the 30 Mbit/s of eth1."""
    return _made("outage", 250, [(0, 20), (50, 0), (100, 20)], [(0, 30), (150, 0), (200, 30)])


def realistic() -> Paths:
    """WiFi as eth0 and LTE as eth1, made by campus_traces.py."""
    return Paths("realistic", (trace.load("campus-wifi"), trace.load("campus-lte")), 400)


_ALL = {"synthetic": synthetic, "realistic": realistic, "outage": outage}
NAMES: Sequence[str] = tuple(_ALL)


def named(name: str) -> Paths:
    """One of NAMES."""
    return _ALL[name]()
