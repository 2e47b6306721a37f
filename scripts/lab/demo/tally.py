"""The results of the demo's requests. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from lab.percentiles import median


class Tally:
    """Counts requests by client and server. Not thread-safe."""

    def __init__(self, servers: Sequence[str]) -> None:
        """servers: all that should be used, so that unused ones are shown."""
        self.servers = list(servers)
        #: of the requests that a server answered, in ms, by client and server
        self.times_ms: dict[tuple[str, str], list[float]] = {}
        self.failures: Counter[str] = Counter()

    def add(self, client: str, result: dict[str, Any]) -> None:
        """Counts one line of requester.py. An answer by an unknown server is a failure."""
        server = result.get("server")
        if server in self.servers:
            self.times_ms.setdefault((client, server), []).append(float(result["ms"]))
        else:
            self.failures[str(result.get("error", f"answered by '{server}'"))] += 1

    def add_failure(self, reason: str) -> None:
        self.failures[reason] += 1

    @property
    def failed(self) -> int:
        return sum(self.failures.values())

    @property
    def requests(self) -> int:
        """All requests, including failed ones."""
        return self.failed + sum(map(len, self.times_ms.values()))

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
        return [time for (_, name), times in self.times_ms.items() if name == server for time in times]

    def to_json(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "failed": self.failed,
            "servers": {server: {"requests": len(self.times_of(server)), "median_ms": median_ms(self.times_of(server))} for server in self.servers},
            "failures": dict(self.failures),
        }


def median_ms(times_ms: Sequence[float]) -> float | None:
    """Rounded to 1 µs; None if there are none."""
    found = median(times_ms)
    return None if found is None else round(found, 3)
