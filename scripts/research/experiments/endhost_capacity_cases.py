"""The cases of `lab run endhost-capacity`, and the evaluation of a series of MALOB's estimates. No I/O."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

#: The number of uplinks measured at the same time; so few that the time of the emulator and the switch is negligible.
GROUPS = ((1.0, 5.0, 20.0), (2.0, 10.0, 50.0))

#: Other traffic on the uplinks: none; datagrams at random times; blocks of ten packets over TCP.
LOADS = ("idle", "udp", "tcp")
LOAD_SHARE = 0.5

#: One way.
DELAY_MS = 1.0

NEAR = 0.1


@dataclass(frozen=True)
class Case:
    load: str
    rates_mbps: tuple[float, ...]

    @property
    def key(self) -> str:
        """As in idle.1+5+20."""
        return f"{self.load}.{'+'.join(f'{rate:g}' for rate in self.rates_mbps)}"

    def in_round(self, number: int, seed: int) -> list[float]:
        """The rates of the uplinks: drawn again in each round."""
        rates = list(self.rates_mbps)
        random.Random(f"{seed}/{number}/{self.key}").shuffle(rates)
        return rates


def cases(loads: Sequence[str]) -> list[Case]:
    return [Case(load, rates) for load in loads for rates in GROUPS]


@dataclass(frozen=True)
class Reading:
    """MALOB's estimate of an uplink at a time. capacity_mbps: None if unknown."""

    at_s: float
    alive: bool
    capacity_mbps: float | None


@dataclass(frozen=True)
class Outcome:
    """The result of one uplink in one run; None for events that did not happen.

    first_s: the time from its start until its capacity was reported. near, unknown: shares of the readings after that; the
    rest was wrong. probes: share of the uplink used by echoes, of the direction with more of them; None with TCP, which
    answers. cut_s: the time until the drop of its rate to nothing was noticed.
    """

    rate_mbps: float
    first_s: float | None
    near: float | None
    unknown: float | None
    probes: float | None
    cut_s: float | None


def outcome(rate_mbps: float, readings: Sequence[Reading], cut_s: float, probes: float | None) -> Outcome:
    """readings: in order of time. cut_s: when its rate fell to nothing, by the same clock."""
    alive = [each for each in readings if each.alive]
    before = [each for each in readings if each.at_s < cut_s]
    told = [each for each in before if each.capacity_mbps is not None]
    gone = [each for each in readings if each.at_s >= cut_s and (not each.alive or each.capacity_mbps == 0)]
    first = told[0] if told else None
    later = [each for each in before if first is not None and each.at_s >= first.at_s]
    near = [each for each in later if each.capacity_mbps is not None and abs(each.capacity_mbps / rate_mbps - 1) <= NEAR]
    unknown = [each for each in later if each.capacity_mbps is None]
    return Outcome(
        rate_mbps,
        None if first is None else max(0.0, first.at_s - alive[0].at_s),
        len(near) / len(later) if later else None,
        len(unknown) / len(later) if later else None,
        probes,
        gone[0].at_s - cut_s if gone else None,
    )
