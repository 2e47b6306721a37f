"""Records the uplinks during an experiment, once a second: deliveries, and MALOB's estimates."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from malob.errors import ScriptError
from research.experiments.endhost.paths import Paths
from research.experiments.endhost.site import EndhostSite

#: The delay between a change of a rate and its report to MALOB.
_BEHIND_S = 0.02
_MIN_MBPS = 0.001


@dataclass(frozen=True)
class Second:
    """For each uplink in a second: its deliveries, its real capacity, and MALOB's estimate of the capacity (None if unknown
    or MALOB does not run). Mbit/s of IP packets."""

    number: int
    received_mbps: tuple[float, ...]
    capacity_mbps: tuple[float, ...]
    estimate_mbps: tuple[float | None, ...]
    #: more than 1 if the machine was late
    lasted_s: float = 1.0


class Recording:
    """Plays rates, reports them to MALOB if it should know them, and reads counters; in its own thread."""

    def __init__(self, site: EndhostSite, paths: Paths, recorded: bool, ask: bool, behind: bool = False) -> None:
        """recorded: MALOB gets each capacity as a recorded one. ask: MALOB runs, and its estimates are read. behind: outages of
        an uplink are behind its gateway, so that probes of the gateway do not show them."""
        self._site, self._paths, self._recorded, self._ask, self._behind = site, paths, recorded, ask, behind
        self._cut: set[int] = set()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._began = 0.0
        # a second of the original trace
        self._parts = max(1, round(paths.time_scale))
        self.seconds: list[Second] = []
        #: the error, or None
        self.trouble: ScriptError | None = None

    @property
    def _uplinks(self) -> Sequence[int]:
        return range(len(self._paths.traces))

    def start(self, began: float) -> None:
        """began: the time when the rates begin, by the monotonic clock."""
        self._began = began
        self._thread.start()

    def join(self) -> None:
        """Returns when the time is over. Raises ScriptError after an error."""
        self._thread.join()
        if self.trouble is not None:
            raise self.trouble

    def _run(self) -> None:
        try:
            self._record_capacities(0)
            self._wait_for(0)
            played = self._paths.without_gaps() if self._behind else self._paths
            for uplink in self._uplinks:
                self._site.network.play(uplink, played.traces[uplink])
            before, then = self._received(), self._elapsed_s()
            while then < self._paths.seconds - 0.5:
                self._follow(math.floor(then + 1.5))
                after, now = self._received(), self._elapsed_s()
                self._add(then, now, [(a - b) * 8e-6 / (now - then) for a, b in zip(after, before)])
                before, then = after, now
        except ScriptError as error:
            self.trouble = error
        finally:
            for uplink in self._cut:
                self._site.network.pass_on(uplink, True)

    def _cut_behind(self, second: float) -> None:
        for uplink in self._uplinks:
            cut = self._paths.capacity_mbps(uplink, second + _BEHIND_S) == 0
            if cut != (uplink in self._cut):
                self._site.network.pass_on(uplink, not cut)
                self._cut ^= {uplink}

    def _follow(self, until: int) -> None:
        """Reports rates and applies outages for each second of the trace; a machine that is late skips to the latest second."""
        while (now := self._elapsed_s()) < until - _BEHIND_S:
            if self._behind:
                self._cut_behind(now)
            self._record_capacities(now)
            part = math.floor(self._elapsed_s() * self._parts + 1) / self._parts
            self._wait_for(min(until, part + _BEHIND_S))
        self._wait_for(until)

    def _add(self, begin: float, end: float, received: Sequence[float]) -> None:
        capacities = tuple(self._paths.mean_mbps(uplink, begin, end) for uplink in self._uplinks)
        self.seconds.append(Second(round(begin), tuple(received), capacities, self._estimates(), end - begin))

    def _elapsed_s(self) -> float:
        return time.monotonic() - self._began

    def _received(self) -> list[int]:
        return [self._site.network.received_bytes(uplink) for uplink in self._uplinks]

    def _record_capacities(self, second: float) -> None:
        """Reports the mean of the current second of the original trace."""
        if self._recorded:
            begin = math.floor((second + _BEHIND_S) * self._parts) / self._parts
            for uplink, name in enumerate(self._site.network.names):
                capacity = self._paths.mean_mbps(uplink, begin, begin + 1 / self._parts)
                # an uplink with capacity 0 would be considered dead
                self._site.product.record_capacity(name, max(capacity, _MIN_MBPS) if self._behind else capacity)

    def _estimates(self) -> tuple[float | None, ...]:
        if not self._ask:
            return tuple(None for _ in self._uplinks)
        uplinks: list[dict[str, Any]] = self._site.product.status()["uplinks"]
        return tuple(None if each["capacity_bps"] is None else each["capacity_bps"] / 1e6 for each in uplinks)

    def _wait_for(self, second: float) -> None:
        time.sleep(max(0.0, self._began + second - time.monotonic()))


HEADER = ["case", "round", "second", "uplink", "received_mbps", "capacity_mbps", "estimate_mbps"]


def rows(case: str, number: int, seconds: Sequence[Second]) -> list[list[str]]:
    """Of series.csv."""
    return [
        [
            case,
            str(number),
            str(each.number),
            f"eth{uplink}",
            f"{received:.4f}",
            f"{each.capacity_mbps[uplink]:g}",
            "" if each.estimate_mbps[uplink] is None else f"{each.estimate_mbps[uplink]:.4f}",
        ]
        for each in seconds
        for uplink, received in enumerate(each.received_mbps)
    ]
