"""The rates of two uplinks over time, as `lab run endhost-dynamic` and `endhost-web` play them. No I/O except on files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab.shaping import trace
from lab.shaping.trace import Step, Trace

DELAY_MS = 5.0

#: Stands for no throughput at all: the emulator, and netem, have no rate of 0.
_NOTHING_MBPS = 0.1


@dataclass(frozen=True)
class Paths:
    """A trace of some seconds for each uplink and both directions. time_scale: the speed-up of the playback."""

    name: str
    traces: tuple[Trace, ...]
    seconds: float
    time_scale: float = 1

    def faster(self, factor: float) -> Paths:
        """The same in a shorter time."""
        traces = tuple(replace(each, steps=tuple(replace(step, seconds=step.seconds / factor) for step in each.steps)) for each in self.traces)
        return Paths(self.name, traces, self.seconds / factor, self.time_scale * factor)

    def shorter(self, seconds: float) -> Paths:
        """The paths cut to the first seconds; None: unchanged."""
        return replace(self, seconds=min(seconds, self.seconds))

    def without_gaps(self) -> Paths:
        """The same with the previous rate during outages."""
        return replace(self, traces=tuple(_without_gaps(each) for each in self.traces))

    def capacity_mbps(self, uplink: int, second: float) -> float:
        """The capacity of an uplink at a time."""
        found = self.traces[uplink].steps[0]
        for step in self.traces[uplink].steps:
            if step.seconds > second:
                break
            found = step
        return found.rate_mbps * (1 - (found.loss or 0)) if found.loss != 1 else 0.0

    def mean_mbps(self, uplink: int) -> float:
        """The capacity of an uplink, averaged over the whole time."""
        times = [step.seconds for step in self.traces[uplink].steps if step.seconds < self.seconds] + [self.seconds]
        return sum(self.capacity_mbps(uplink, begin) * (end - begin) for begin, end in zip(times, times[1:])) / self.seconds

    @property
    def optimum_mbps(self) -> float:
        """The average capacity of all uplinks."""
        return sum(self.mean_mbps(uplink) for uplink in range(len(self.traces)))


def _without_gaps(old: Trace) -> Trace:
    steps: list[Step] = []
    for step in old.steps:
        steps.append(replace(step, rate_mbps=steps[-1].rate_mbps, loss=0.0) if step.loss == 1 and steps else step)
    return replace(old, steps=tuple(steps))


def _made(name: str, *steps: tuple[float, float]) -> Trace:
    """From seconds and Mbit/s, which may be 0."""
    return Trace(name, "", tuple(Step(seconds, mbps or _NOTHING_MBPS, DELAY_MS, 0.0 if mbps else 1.0) for seconds, mbps in steps))


def synthetic() -> Paths:
    """Figure 11 of the paper of 2020."""
    return Paths("synthetic", (_made("eth0", (0, 5), (20, 20), (80, 1)), _made("eth1", (0, 10))), 100)


def outage() -> Paths:
    """Figure 24: each uplink is without throughput for 50 s. The only rate in the text is the 30 Mbit/s of eth1."""
    return Paths("outage", (_made("eth0", (0, 20), (50, 0), (100, 20)), _made("eth1", (0, 30), (150, 0), (200, 30))), 250)


def realistic() -> Paths:
    """WiFi as eth0 and LTE as eth1, made by campus_traces.py."""
    return Paths("realistic", (trace.load("campus-wifi"), trace.load("campus-lte")), 400)


_ALL = {"synthetic": synthetic, "realistic": realistic, "outage": outage}
NAMES: Sequence[str] = tuple(_ALL)


def named(name: str) -> Paths:
    """One of NAMES."""
    return _ALL[name]()
