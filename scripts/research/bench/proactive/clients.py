"""The clients of a run: a program on each client host, and their reports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lab import processes
from lab.instance import Instance
from lab.program import Program
from malob.errors import ScriptError
from malob.network.hosts import Host
from research.bench.proactive.findings import Totals
from research.bench.soak.model import Failure

_CLIENT = Path(__file__).parent / "programs" / "client.py"
#: The client's own patience, and some seconds.
_END_S = 30.0


@dataclass(frozen=True)
class Service:
    """A VIP, and its key in the catalog."""

    address: str
    port: int
    key: str


@dataclass(frozen=True)
class Load:
    """rate: short connections per second, of all clients. downloads, silent: at a time, of each client; silent ones say nothing between
    their beginning and the end of the run."""

    rate: float
    downloads: int
    silent: int = 0


@dataclass(frozen=True)
class Slow:
    """A connect() that took long. began: of the monotonic clock."""

    began: float
    ms: float


class Clients:
    """Start when they are constructed. Their failures may be read at any time."""

    def __init__(self, lab: Instance, hosts: Sequence[Host], service: Service, load: Load, download_s: float) -> None:
        """download_s: the duration of each download."""
        self.failures: list[Failure] = []
        self.slow: list[Slow] = []
        self._service = service
        self._totals: list[dict[str, Any]] = []
        options = (service.address, str(service.port), str(load.rate / len(hosts)), str(load.downloads), str(download_s), str(load.silent))
        self._programs = [Program(processes.script(lab, host.name, _CLIENT, *options), f"the client on {host.name} ended") for host in hosts]
        self._readers = [program.follow(partial(self._read, host.name)) for host, program in zip(hosts, self._programs)]

    def _read(self, host: str, line: str) -> None:
        report = json.loads(line)
        if "totals" in report:
            self._totals.append(report["totals"])
        elif "slow_ms" in report:
            self.slow.append(Slow(report["began"], report["slow_ms"]))
        else:
            self.failures.append(Failure.of(host, self._service.key, report))

    def finish(self) -> Totals:
        """Lets them end their connections. Raises ScriptError if a client has failed."""
        for program in self._programs:
            program.close_input()
        for reader in self._readers:
            reader.join(_END_S)
        if len(self._totals) < len(self._programs):
            raise ScriptError(f"{len(self._programs) - len(self._totals)} of the clients' programs did not report their totals")
        sums = {name: sum(each[name] for each in self._totals) for name in ("short", "downloads", "silent", "bytes")}
        return Totals(**sums, connect_max_ms=max(each["connect_max_ms"] for each in self._totals))

    def end(self) -> None:
        """Stops them immediately, if they still run."""
        for program in self._programs:
            program.end()
