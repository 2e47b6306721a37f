"""The cases: plain forwarding, a VIP for each placement, and OVN's load balancer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab import balancing, webserver

#: Keys in JSON.
PLAIN, REACTIVE, PROACTIVE, TRACKED, MOVING, EXACT, OVN = "plain", "balanced", "proactive", "tracked", "tracked-moving", "exact", "ovn"


@dataclass(frozen=True)
class Service:
    """A VIP. port: that of its members, too: all replies of a member's port belong to one proactive VIP. moves: weights change in the round."""

    address: str
    port: int
    placement: str
    algorithm: str = "RR"
    moves: bool = False


SERVICES: Mapping[str, Service] = {
    REACTIVE: Service("10.0.0.100", webserver.PORT, balancing.REACTIVE),
    PROACTIVE: Service("10.0.0.101", 8080, balancing.PROACTIVE),
    TRACKED: Service("10.0.0.102", 8081, balancing.TRACKED),
    MOVING: Service("10.0.0.103", 8082, balancing.TRACKED, "WRR", moves=True),
    EXACT: Service("10.0.0.104", 8083, balancing.EXACT),
}

#: By the name of --case; PLAIN is the other half of each pair.
CASES: Mapping[str, str] = {"reactive": REACTIVE, "proactive": PROACTIVE, "tracked": TRACKED, "tracked-moving": MOVING, "exact": EXACT, "ovn": OVN}
LABELS: Mapping[str, str] = {PLAIN: "plain", **{case: name for name, case in CASES.items()}}


def order(cases: Sequence[str], number: int) -> list[str]:
    """The order of the cases in a round: each round begins with the next case."""
    first = number % len(cases)
    return [*cases[first:], *cases[:first]]
