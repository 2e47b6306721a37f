"""What came of the demo's requests. No I/O."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Flow:
    """The requests of one client that one server answered. times_ms: one entry per request."""

    times_ms: list[float] = field(default_factory=list)

    @property
    def requests(self) -> int:
        return len(self.times_ms)


class Tally:
    """Counts requests by client and server. Not safe for several threads."""

    def __init__(self, servers: Sequence[str]) -> None:
        """servers: all that should be used, so that an unused one shows."""
        self.servers = list(servers)
        self.flows: dict[tuple[str, str], Flow] = {}
        self.failures: Counter[str] = Counter()

    def add(self, client: str, result: dict[str, Any]) -> None:
        """Counts one line of requester.py. An answer by a server that is not ours is a failure."""
        server = result.get("server")
        if server in self.servers:
            self.flows.setdefault((client, server), Flow()).times_ms.append(float(result["ms"]))
        else:
            self.failures[str(result.get("error", f"answered by '{server}'"))] += 1

    def add_failure(self, reason: str) -> None:
        self.failures[reason] += 1

    @property
    def failed(self) -> int:
        return sum(self.failures.values())

    @property
    def requests(self) -> int:
        """All requests, the failed ones too."""
        return self.failed + sum(flow.requests for flow in self.flows.values())

    @property
    def unused(self) -> list[str]:
        """The servers that have answered nothing."""
        return [server for server in self.servers if not self.times_of(server)]

    @property
    def good(self) -> bool:
        """Whether there were requests, none failed, and every server was used."""
        return self.requests > 0 and self.failed == 0 and not self.unused

    def times_of(self, server: str) -> list[float]:
        """The response times of one server to all clients, in ms."""
        return [time for (_, name), flow in self.flows.items() if name == server for time in flow.times_ms]

    def to_json(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "failed": self.failed,
            "servers": {server: {"requests": len(self.times_of(server)), "median_ms": median(self.times_of(server))} for server in self.servers},
            "failures": dict(self.failures),
        }


def median(times_ms: Sequence[float]) -> float | None:
    """In ms, to 1 µs; None if there are none."""
    return round(statistics.median(times_ms), 3) if times_ms else None


def percentile(times_ms: Sequence[float], share: float) -> float | None:
    """The smallest time that at least this share (0 to 1) of the times does not exceed; None if there are none."""
    if not times_ms:
        return None
    ordered = sorted(times_ms)
    rank = max(1, -(-len(ordered) * round(share * 1000) // 1000))
    return ordered[rank - 1]
