"""The topologies that networks are attached to, and what tests and benchmarks ask of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from lab import rules
from lab.attached.places import Place
from lab.instance import Instance
from malob.network.hosts import Host
from malob.system.waiting import wait_until

#: three switches in a triangle
LAN = Path(__file__).parent / "lan.json"
#: three switches without a link
ISLANDS = Path(__file__).parent / "islands.json"

#: kinds of rules of which a connection has its own
_OF_CONNECTIONS = (rules.REQUEST, rules.REPLY)
_BALANCER = rules.REQUEST >> 4
_REACH_S = 40


def shared_rules(lab: Instance) -> int:
    """The number of the balancer's rules in all switches that are not a single connection's."""
    kinds = [rules.cookie(line) >> 48 for switch in lab.topology.switches for line in rules.dump(lab, switch).splitlines()]
    return sum(kind >> 4 == _BALANCER and kind not in _OF_CONNECTIONS for kind in kinds)


def settled_rules(lab: Instance, pause_s: float = 1.5) -> int:
    """The same, once they are what they were a moment ago."""
    counts = [shared_rules(lab)]

    def settled() -> bool:
        counts.append(shared_rules(lab))
        return counts[-1] == counts[-2]

    wait_until(settled, "rules to settle", 30, pause_s)
    return counts[-1]


def reach(places: Iterable[Place], servers: Sequence[Host]) -> None:
    """Returns once all places reach the servers, directly: the controller has seen them then."""
    missing = [(place, server) for place in places for server in servers]

    def all_reached() -> bool:
        while missing:
            place, server = missing[0]
            if "1 received" not in place.run("ping", "-n", "-c", "1", "-W", "1", server.ip, check=False):
                return False
            missing.pop(0)
        return True

    wait_until(all_reached, "hosts to reach the servers", _REACH_S, detail=lambda: f"{missing[0][0].name} to {missing[0][1].name}")
