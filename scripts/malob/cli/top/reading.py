"""The state of a controller at one moment, and the changes between two moments."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable

from malob.cli.kinds import MEMBER
from malob.rest import state
from malob.rest.client import RestClient
from malob.rest.state import State

#: The refused placements, without packets that are not balanced at all.
_NOT_REFUSED = ("not_balanced", "spoofed", "in_doubt")


@dataclass(frozen=True)
class Reading:
    """at_s: when it was taken, by a clock that only counts. admin: the admin state of members, by id."""

    at_s: float
    state: State
    admin: Mapping[str, str | None]
    counters: Mapping[str, Any]
    refusals: Mapping[str, int]

    @property
    def totals(self) -> dict[str, int]:
        """By member, its total number of connections."""
        return {member["id"]: member["total_connections"] for pool in self.state.pools.values() for member in pool["stats"]["members"]}

    @property
    def health(self) -> dict[str, str]:
        """The health of each member of a pool."""
        return {member["id"]: member["health"] for pool in self.state.pools.values() for member in pool["stats"]["members"]}

    @property
    def pool_totals(self) -> dict[str, int]:
        return {name: pool["stats"]["total_connections"] for name, pool in self.state.pools.items()}

    @property
    def refused(self) -> int:
        return sum(count for reason, count in self.refusals.items() if reason not in _NOT_REFUSED)


def read(rest: RestClient, clock: Callable[[], float] = time.monotonic) -> Reading:
    """Reads it from the controller. Raises RestError."""
    admin = {member["id"]: member.get("admin_state") for member in rest.get_all(MEMBER.path)}
    counters = rest.get("/wm/malob/counters")
    refusals = rest.get("/wm/malob/refusals")
    return Reading(clock(), state.read(rest), admin, counters, refusals)


@dataclass(frozen=True)
class Interval:
    """Two readings, the later one complete. Values without an earlier one are None."""

    before: Reading | None
    now: Reading

    def rate(self, before: int | None, now: int | None) -> float | None:
        """How many per second; None if a value is unknown, or the counter was reset."""
        if self.before is None or before is None or now is None or now < before:
            return None
        seconds = self.now.at_s - self.before.at_s
        return (now - before) / seconds if seconds > 0 else None

    def member_rates(self) -> dict[str, float | None]:
        """By member, new connections per second."""
        return self._rates(self.before.totals if self.before else {}, self.now.totals)

    def pool_rates(self) -> dict[str, float | None]:
        return self._rates(self.before.pool_totals if self.before else {}, self.now.pool_totals)

    def refusal_rate(self) -> float | None:
        return self.rate(self.before.refused if self.before else None, self.now.refused)

    def _rates(self, before: Mapping[str, int], now: Mapping[str, int]) -> dict[str, float | None]:
        return {name: self.rate(before.get(name), count) for name, count in now.items()}
