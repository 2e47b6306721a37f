"""The cases of `lab run endhost-static`: policy, links, files, and the number loaded in parallel. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from research.experiments.endhost_model import Job

FILES = 100

#: The default that the key of a metric omits.
USUAL_KILOBYTES, USUAL_AT_A_TIME = 100, 20

KILOBYTES = (1, 25, 50, 75, 100)
CONCURRENCY = (1, 2, 5, 10, 20)

ALGORITHMS = {"rr": "RR", "wrr": "WRR", "group": "GROUP"}
POLICIES = ("single", *ALGORITHMS)

#: One way.
DELAY_MS = 1.0


@dataclass(frozen=True)
class Case:
    """policy: "single" is a host without MALOB; the others' algorithms are in ALGORITHMS."""

    policy: str
    rates_mbps: tuple[float, ...]
    kilobytes: int = USUAL_KILOBYTES
    at_a_time: int = USUAL_AT_A_TIME

    @property
    def links(self) -> str:
        """As in 10+20."""
        return "+".join(f"{rate:g}" for rate in self.rates_mbps)

    @property
    def key(self) -> str:
        """The part of a metric's key after the quantity."""
        size = "" if self.kilobytes == USUAL_KILOBYTES else f".{self.kilobytes}kB"
        at_a_time = "" if self.at_a_time == USUAL_AT_A_TIME else f".c{self.at_a_time}"
        return f"{self.policy}.{self.links}{size}{at_a_time}"

    @property
    def job(self) -> Job:
        return Job(FILES, self.at_a_time, self.kilobytes * 1000, self.rates_mbps, 2 * DELAY_MS / 1000)

    @property
    def weights(self) -> list[float | None]:
        """The configured capacities of MALOB's uplinks: their rates if the policy uses them, otherwise none."""
        goes_by_rates = self.policy == "group" or len(set(self.rates_mbps)) > 1
        return [rate if goes_by_rates else None for rate in self.rates_mbps]


def cases(quick: bool, policies: Sequence[str]) -> list[Case]:
    """The cases of figures 7 to 10; quick: one for each policy."""
    two, unequal = (10.0, 10.0), (10.0, 20.0)
    if quick:
        found = [Case("single", (10.0,), 25), Case("rr", two, 25), Case("group", two, 25), Case("wrr", unequal, 25)]
        return [case for case in found if case.policy in policies]
    found = []
    for policy, rates in (("single", (10.0,)), ("rr", two), ("group", two), ("wrr", unequal), ("group", unequal)):
        found += [Case(policy, rates, kilobytes) for kilobytes in KILOBYTES]
    for policy in ("rr", "group"):
        found += [Case(policy, two, at_a_time=number) for number in CONCURRENCY if number != USUAL_AT_A_TIME]
        found += [Case(policy, (10.0,) * number) for number in (3, 4, 5)]
    return [case for case in found if case.policy in policies]
