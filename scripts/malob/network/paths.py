"""The fastest and the shortest paths of a network, as if it were idle."""

from __future__ import annotations

import heapq
from typing import Callable, NamedTuple

from malob.network.topology import Topology

#: Of a path's delay in ms and its number of links: the smaller, the better the path.
_Cost = Callable[[float, int], tuple[float, float]]


class Step(NamedTuple):
    """At a switch: the next one on the path, and the delay of the whole path from here."""

    following: str
    delay_ms: float


def towards(network: Topology, end: str) -> dict[str, Step]:
    """By switch, its step towards another: over the lowest sum of delays, then over the fewest links.

    Without the destination and switches that have no path.
    """
    return _best(network, end, lambda delay_ms, links: (delay_ms, links))


def with_fewest_links(network: Topology, end: str) -> dict[str, Step]:
    """The same over the fewest links, then over the lowest sum of delays, as SPH chooses."""
    return _best(network, end, lambda delay_ms, links: (links, delay_ms))


def _best(network: Topology, end: str, cost: _Cost) -> dict[str, Step]:
    found: dict[str, Step] = {}
    ways = [(cost(0.0, 0), 0.0, 0, end, end)]
    while ways:
        _, delay_ms, links, switch, following = heapq.heappop(ways)
        if switch in found:
            continue
        found[switch] = Step(following, delay_ms)
        for before in network.neighbours(switch):
            longer_ms = delay_ms + (network.link(before, switch).direction(before).delay_ms or 0)
            heapq.heappush(ways, (cost(longer_ms, links + 1), longer_ms, links + 1, before, switch))
    del found[end]
    return found
