"""Links between switches: rates, delays, queues and losses, and their form in topology files. No I/O."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from malob.errors import UsageError


@dataclass(frozen=True)
class Direction:
    """What one direction of a link does to packets. None: nothing; the switches' own speed is the limit.

    delay_ms: one way, after the queue. queue_packets: how many wait while others are sent at rate_mbps.
    loss: the share of packets that are dropped, from 0 to 1.
    """

    rate_mbps: float | None = None
    delay_ms: float | None = None
    queue_packets: int | None = None
    loss: float | None = None

    def scaled(self, factor: float) -> Direction:
        """The same with its rate multiplied."""
        return self if self.rate_mbps is None else replace(self, rate_mbps=self.rate_mbps * factor)


@dataclass(frozen=True)
class Link:
    """A link between two switches, by name. forward: from first to second; reverse: the other way."""

    first: str
    second: str
    forward: Direction = Direction()
    reverse: Direction = Direction()

    @property
    def ends(self) -> tuple[str, str]:
        return self.first, self.second

    @property
    def limited(self) -> bool:
        """Whether it does anything to packets but carry them."""
        return self.forward != Direction() or self.reverse != Direction()

    def other(self, end: str) -> str:
        """The switch at the other end."""
        return self.second if end == self.first else self.first

    def direction(self, source: str) -> Direction:
        """The direction that leads away from a switch."""
        return self.forward if source == self.first else self.reverse

    def scaled(self, factor: float) -> Link:
        """The same with its rates multiplied."""
        return replace(self, forward=self.forward.scaled(factor), reverse=self.reverse.scaled(factor))

    def to_json(self) -> Any:
        """What parse_link() reads: a pair, or an object if there is more to say."""
        document: dict[str, Any] = {"ends": list(self.ends)}
        for name in _LIMITS:
            there, back = getattr(self.forward, name), getattr(self.reverse, name)
            if there is not None or back is not None:
                document[name] = there if there == back else [there, back]
        return document if self.limited else list(self.ends)


_LIMITS = tuple(field.name for field in fields(Direction))


def parse_link(at: str, value: Any) -> Link:
    """Checks a link and builds it. at: where it stands, for the error. Raises UsageError with the field that is wrong.

    Whether there are such switches is not checked.
    """
    if isinstance(value, list):
        return Link(*_ends(at, value))
    if not isinstance(value, dict):
        raise UsageError(f"{at}: expected a pair of switch names, or an object with 'ends'")
    unknown = set(value) - {"ends", *_LIMITS}
    if unknown:
        raise UsageError(f"{at}: unknown field '{sorted(unknown)[0]}'")
    first, second = _ends(f"{at}.ends", value.get("ends"))
    both = {name: _each_way(f"{at}.{name}", name, value.get(name)) for name in _LIMITS}
    forward, reverse = (Direction(**{name: pair[way] for name, pair in both.items()}) for way in (0, 1))
    return Link(first, second, forward, reverse)


def _ends(at: str, value: Any) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(end, str) for end in value):
        raise UsageError(f"{at}: expected a pair of switch names")
    first, second = value
    if first == second:
        raise UsageError(f"{at}: connects {first} to itself")
    return first, second


def _each_way(at: str, name: str, value: Any) -> tuple[Any, Any]:
    """One value for both directions, or one for each."""
    if not isinstance(value, list):
        checked = check_limit(at, name, value)
        return checked, checked
    if len(value) != 2:
        raise UsageError(f"{at}: expected one value, or a pair (forward, reverse)")
    return check_limit(f"{at}[0]", name, value[0]), check_limit(f"{at}[1]", name, value[1])


def check_limit(at: str, name: str, value: Any) -> Any:
    """The value, if it is one for that field of a Direction. Raises UsageError, naming where it stands."""
    if value is None:
        return None
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if name == "rate_mbps":
        good, wanted = number and value > 0, "Mbit/s, more than 0"
    elif name == "delay_ms":
        good, wanted = number and value >= 0, "milliseconds, 0 or more"
    elif name == "queue_packets":
        good, wanted = number and isinstance(value, int) and value > 0, "a whole number of packets, 1 or more"
    else:
        good, wanted = number and 0 <= value <= 1, "a share of packets, 0 to 1"
    if not good:
        raise UsageError(f"{at}: expected {wanted}, not {value!r}")
    return value
