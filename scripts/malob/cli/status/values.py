"""Agents' measurements of servers, as tables show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Times below that are shown as "< 0.1" (LATENCY_RESOLUTION_NANOS of the controller, below_ms in REST).
RESOLUTION_MS = 0.1


@dataclass(frozen=True)
class ServerValue:
    """name: in REST; heading: of tables; factor: converts the unit; digits: after the decimal point; resolution: smaller values are shown as below.

    key, short, width: the column of top, whose lines have 80 signs; without a key, it is not shown there.
    """

    name: str
    heading: str
    factor: float
    digits: int
    key: str = ""
    short: str = ""
    width: int = 0
    resolution: float = 0

    def of(self, server: Mapping[str, Any]) -> float | None:
        """A server's value in its shown unit; None if unknown."""
        measured = server.get(self.name)
        return None if measured is None else measured["value"] * self.factor


SERVER_VALUES = (
    ServerValue("cpu", "CPU %", 100, 0, "cpu", "CPU %", 5),
    ServerValue("response_ms", "response ms", 1, 1, "response", "RESP MS", 7, RESOLUTION_MS),
)
