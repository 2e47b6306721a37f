"""The fastest paths of a network, as if it were idle."""

from __future__ import annotations

import heapq
from typing import NamedTuple

from malob.network.topology import Topology


class Step(NamedTuple):
    """At a switch: the next one on the path, and the delay of the whole path from here."""

    following: str
    delay_ms: float


def towards(network: Topology, end: str) -> dict[str, Step]:
    """By switch, its step towards another: over the lowest sum of delays, then over the fewest links.

    Without the destination and switches that have no path.
    """
    found: dict[str, Step] = {}
    ways = [(0.0, 0, end, end)]
    while ways:
        delay_ms, links, switch, following = heapq.heappop(ways)
        if switch in found:
            continue
        found[switch] = Step(following, delay_ms)
        for before in network.neighbours(switch):
            added_ms = network.link(before, switch).direction(before).delay_ms or 0
            heapq.heappush(ways, (delay_ms + added_ms, links + 1, before, switch))
    del found[end]
    return found
