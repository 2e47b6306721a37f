"""The clients of a run: a program on each client host, and their reports."""

from __future__ import annotations

import json
import threading
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from lab import processes
from lab.program import Program
from research.bench.soak.model import Failure
from research.bench.soak.soak_site import SoakSite

_CLIENT = Path(__file__).parent / "programs" / "client.py"


class Clients:
    """Starts when it is constructed. Its counters may be read at any time."""

    def __init__(self, site: SoakSite, seed: int, rate: float, seconds: float, longest_s: float) -> None:
        """rate: connections per second, of all hosts. longest_s: the duration of long connections."""
        self.outcomes: Counter[str] = Counter()
        self.failures: list[Failure] = []
        #: of connections that were accepted
        self.connect_ms: list[float] = []
        self.bytes = 0
        self._keys = {f"{service.address}:{service.port}": service.key for service in site.targets.services}
        hosts = site.lab.topology.with_role("client")
        options = (str(rate / len(hosts)), str(seconds), str(longest_s), *self._keys)
        self._lock = threading.Lock()
        self._programs = [
            Program(processes.script(site.lab, host.name, _CLIENT, f"{host.name} {seed}", *options), f"the client on {host.name} ended")
            for host in hosts
        ]
        self._readers = [program.follow(partial(self._read, host.name)) for host, program in zip(hosts, self._programs)]

    def _read(self, host: str, line: str) -> None:
        with self._lock:
            self._count(host, json.loads(line))

    def _count(self, host: str, report: dict[str, Any]) -> None:
        self.outcomes[report["outcome"]] += 1
        self.bytes += report["bytes"]
        if "accepted" in report:
            self.connect_ms.append(1000 * (report["accepted"] - report["began"]))
        if report["outcome"] != "ok":
            self.failures.append(Failure.of(host, self._keys[report["vip"]], report))

    def ended(self) -> bool:
        return not any(reader.is_alive() for reader in self._readers)

    def end(self) -> None:
        """Stops them immediately, even during connections."""
        for program in self._programs:
            program.end()
