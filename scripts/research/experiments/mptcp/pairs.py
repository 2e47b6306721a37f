"""The pairs of senders and receivers at LOW, MEDIUM and HIGH load (section IV of the MPTCP paper). No I/O."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Callable

from malob.network.hosts import Host
from malob.network.topology import Topology

LOADS = ("LOW", "MEDIUM", "HIGH")

#: At MEDIUM load, half of the hosts are clients, and each client has connections to this number of servers.
_SERVERS_PER_CLIENT = 2

#: The max number of sessions at HIGH load: with more, each gets less than TCP needs.
MAX_SESSIONS = 36


def seed_of(seed: int, topology: str, number: int) -> str:
    """The seed of the pairs of a round, counted from 1: different in each round, the same for all methods."""
    return f"{seed}/{topology}/{number}"


def draw(load: str, network: Topology, seed: str) -> list[tuple[str, str]]:
    """Pairs of client and server, both in one VLAN and on different switches; the same for the same seed.

    LOW: a quarter of the hosts are clients, at least two, each with one server, which may also serve others.
    MEDIUM: half of the hosts of each VLAN are clients, each of two servers, which serve about as many clients each.
    HIGH: each pair of hosts has a session, in a random direction; at most MAX_SESSIONS, about the same number for each host.
    """
    return _DRAWING[load](network, random.Random(f"{load}/{seed}"))


def _low(network: Topology, chance: random.Random) -> list[tuple[str, str]]:
    hosts = sorted(network.hosts.values(), key=lambda host: host.name)
    chance.shuffle(hosts)
    wanted = max(2, len(hosts) // 4)
    clients: list[str] = []
    pairs: list[tuple[str, str]] = []
    serving: set[str] = set()
    for client in hosts:
        servers = [host for host in _partners(client, hosts) if host.name not in clients]
        if len(pairs) < wanted and client.name not in serving and servers:
            server = chance.choice(servers).name
            clients.append(client.name)
            serving.add(server)
            pairs.append((client.name, server))
    return pairs


def _medium(network: Topology, chance: random.Random) -> list[tuple[str, str]]:
    pairs = []
    for hosts in _by_vlan(network):
        chance.shuffle(hosts)
        clients, servers = hosts[: len(hosts) // 2], hosts[len(hosts) // 2 :]
        serves: Counter[str] = Counter()
        for client in clients:
            chosen = sorted(_partners(client, servers), key=lambda host: serves[host.name])[:_SERVERS_PER_CLIENT]
            serves.update(host.name for host in chosen)
            pairs += [(client.name, host.name) for host in chosen]
    return pairs


def _high(network: Topology, chance: random.Random) -> list[tuple[str, str]]:
    everybody = [
        (one.name, other.name) for hosts in _by_vlan(network) for one, other in itertools.combinations(hosts, 2) if one.switch != other.switch
    ]
    chance.shuffle(everybody)
    chosen = everybody if len(everybody) <= MAX_SESSIONS else _evenly(everybody)
    return [pair if chance.random() < 0.5 else pair[::-1] for pair in chosen]


def _evenly(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Selects MAX_SESSIONS pairs; the next pair is always one whose hosts have the fewest so far."""
    left = list(pairs)
    chosen: list[tuple[str, str]] = []
    has: Counter[str] = Counter()
    while len(chosen) < MAX_SESSIONS:
        fewest = min(left, key=lambda pair: (has[pair[0]] + has[pair[1]], max(has[pair[0]], has[pair[1]])))
        left.remove(fewest)
        has.update(fewest)
        chosen.append(fewest)
    return chosen


_DRAWING: dict[str, Callable[[Topology, random.Random], list[tuple[str, str]]]] = {"LOW": _low, "MEDIUM": _medium, "HIGH": _high}


def _by_vlan(network: Topology) -> Iterable[list[Host]]:
    vlans: dict[object, list[Host]] = {}
    for host in sorted(network.hosts.values(), key=lambda host: host.name):
        vlans.setdefault(_vlan(host), []).append(host)
    return vlans.values()


def _partners(host: Host, others: Iterable[Host]) -> list[Host]:
    return [other for other in others if other.switch != host.switch and _vlan(other) == _vlan(host)]


def _vlan(host: Host) -> int | None:
    return host.vlan
