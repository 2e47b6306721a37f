"""The events of a run: drawn from a seed, before the run begins.

No I/O and no clock. Each event that begins also ends, and service always remains possible: each pool keeps a member that
serves, and the remaining links connect all switches.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from malob.network.topology import Topology

#: The time after a repair until the target is relied on again.
RECOVERY_S = 8.0
CONTROLLER = "controller"
#: The min interval between beginnings, as a share of the average.
EVERY_S = 2.5
_LEAST = 0.1


@dataclass(frozen=True)
class Service:
    """A VIP with its pool, which has a member on each server: POOL-SERVER. The port is that of both."""

    key: str
    address: str
    port: int
    algorithm: str

    def member(self, server: str) -> str:
        return f"{self.key}-{server}"


#: Two services that share servers, with least connections and round robin, so that weights matter.
SERVICES = (Service("least", "10.0.0.100", 80, "LC+SPH"), Service("turns", "10.0.0.101", 8001, "WRR+SPH"))

#: A shaped link needs more processor time than others.
_SHAPED = 2


@dataclass(frozen=True)
class Targets:
    """servers and links by name, a link as FIRST-SECOND. shaped_links: those that can fall silent with their ports up."""

    services: tuple[Service, ...]
    servers: tuple[str, ...]
    switches: tuple[str, ...]
    links: tuple[str, ...]
    shaped_links: tuple[str, ...]

    @staticmethod
    def of(network: Topology) -> Targets:
        links = tuple("-".join(link.ends) for link in network.links)
        return Targets(SERVICES, tuple(host.name for host in network.with_role("server")), tuple(network.switches), links, links[:_SHAPED])

    @property
    def members(self) -> Mapping[str, tuple[Service, str]]:
        """Service and server by the member's id."""
        return {service.member(server): (service, server) for service in self.services for server in self.servers}

    def connected_without(self, gone: Iterable[str]) -> bool:
        """Whether the remaining links connect all switches."""
        left = [link.split("-") for link in self.links if link not in set(gone)]
        reached, more = set(self.switches[:1]), True
        while more:
            found = {end for ends in left if reached & set(ends) for end in ends} | reached
            more, reached = found != reached, found
        return reached == set(self.switches)


@dataclass(frozen=True)
class Event:
    """at_s: after the run's begin. target: a member, server, link or switch. value: a member's weight."""

    at_s: float
    kind: str
    target: str
    value: int | None = None

    def __str__(self) -> str:
        return f"{self.at_s:.1f} s {self.kind} {self.target}" + ("" if self.value is None else f" {self.value}")


@dataclass(frozen=True)
class Kind:
    """A kind of event. of: its targets. share: its relative frequency. lasts_s: from and to. end: the event that ends it;
    empty if it has no duration."""

    of: str
    share: float
    lasts_s: tuple[float, float] = (0, 0)
    end: str = ""


KINDS: Mapping[str, Kind] = {
    "weight": Kind("member", 3),
    "drain": Kind("member", 2, (4, 12), "undrain"),
    "remove": Kind("member", 2, (3, 10), "add"),
    "disable": Kind("member", 1, (3, 10), "enable"),
    "kill": Kind("server", 2, (3, 18), "serve"),
    "unlink": Kind("link", 3, (2, 15), "link"),
    "flap": Kind("link", 1, (1, 4), "steady"),
    "mute": Kind("shaped link", 1, (3, 15), "unmute"),
    "orphan": Kind("switch", 1, (3, 12), "adopt"),
    "restart": Kind("switch", 1, (1, 3), "restarted"),
    "pause": Kind("controller", 0.4, (5, 12), "resume"),
    "crash": Kind("controller", 0.12, (1, 5), "start"),
}

#: Events that use REST, which needs a controller.
_BY_REST = ("weight", *(word for name in ("drain", "remove", "disable") for word in (name, KINDS[name].end)))


def draw(
    seed: int,
    seconds: float,
    targets: Targets,
    kinds: Collection[str] = tuple(KINDS),
    every_s: float = EVERY_S,
) -> list[Event]:
    """The events of a run, in order. kinds: those that may begin. every_s: on average."""
    return _Drawing(random.Random(f"events {seed}"), seconds, targets, kinds, every_s).run()


class _Drawing:
    def __init__(
        self,
        chance: random.Random,
        seconds: float,
        targets: Targets,
        kinds: Collection[str],
        every_s: float,
    ) -> None:
        self._chance, self._seconds, self._targets, self._every_s = chance, seconds, targets, every_s
        self._kinds = [name for name in KINDS if name in kinds]
        self._events: list[Event] = []
        #: the time until which a target is unavailable or not relied on
        self._away: dict[str, float] = {}

    def run(self) -> list[Event]:
        now = 0.0
        while True:
            now += self._every_s * (_LEAST + self._chance.expovariate(1 / (1 - _LEAST)))
            if now >= self._seconds:
                return sorted(self._events, key=lambda event: event.at_s)
            self._away = {target: until for target, until in self._away.items() if until > now}
            name = self._chance.choices(self._kinds, [KINDS[kind].share for kind in self._kinds])[0]
            candidates = self._candidates(now, KINDS[name])
            if candidates:
                self._begin(now, name, self._chance.choice(candidates))

    def _begin(self, now: float, name: str, target: str) -> None:
        kind = KINDS[name]
        self._events.append(Event(now, name, target, None if kind.end else self._chance.randint(1, 10)))
        if kind.end:
            until = min(now + self._chance.uniform(*kind.lasts_s), self._seconds)
            self._events.append(Event(until, kind.end, target))
            self._away[target] = until + RECOVERY_S

    def _candidates(self, now: float, kind: Kind) -> list[str]:
        """The possible targets of this event."""
        targets, away = self._targets, set(self._away)
        if kind.of == CONTROLLER:
            latest = now + kind.lasts_s[1] + RECOVERY_S
            asked = any(now < event.at_s < latest and event.kind in _BY_REST for event in self._events)
            return [] if CONTROLLER in away or asked else [CONTROLLER]
        if kind.of == "member" and CONTROLLER in away:
            return []
        possible: Mapping[str, Iterable[str]] = {
            "link": targets.links,
            "shaped link": targets.shaped_links,
            "switch": targets.switches,
            "server": targets.servers,
            "member": targets.members,
        }
        free = [name for name in possible[kind.of] if name not in away]
        return [name for name in free if not kind.end or self._may_go({*away, name})]

    def _may_go(self, away: Collection[str]) -> bool:
        return self._targets.connected_without(away) and self._all_serve(away)

    def _all_serve(self, away: Collection[str]) -> bool:
        """Whether each pool keeps a reliable member."""
        return all(
            any(server not in away and service.member(server) not in away for server in self._targets.servers) for service in self._targets.services
        )
