"""The clients of a run: a program on each client host, and their reports."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import processes
from lab.instance import Instance
from malob.errors import ScriptError
from malob.network.hosts import Host
from malob.system.processes import bound_to_us
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
class Slow:
    """A connect() that took long. began: of the monotonic clock."""

    began: float
    ms: float


class Clients:
    """Start when they are constructed. Their failures may be read at any time."""

    def __init__(self, lab: Instance, hosts: Sequence[Host], service: Service, rate: float, downloads: int, download_s: float) -> None:
        """rate: short connections per second, of all hosts. downloads: at a time, of each host; each takes download_s."""
        self.failures: list[Failure] = []
        self.slow: list[Slow] = []
        self._service = service
        self._totals: list[dict[str, Any]] = []
        share = str(rate / len(hosts))
        self._processes = {
            host.name: subprocess.Popen(
                bound_to_us(processes.script(lab, host.name, _CLIENT, service.address, str(service.port), share, str(downloads), str(download_s))),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            for host in hosts
        }
        self._readers = [threading.Thread(target=self._read, args=each, daemon=True) for each in self._processes.items()]
        for reader in self._readers:
            reader.start()

    def _read(self, host: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                told = json.loads(line)
                if "totals" in told:
                    self._totals.append(told["totals"])
                elif "slow_ms" in told:
                    self.slow.append(Slow(told["began"], told["slow_ms"]))
                else:
                    self.failures.append(Failure.of(host, self._service.key, told))

    def finish(self) -> Totals:
        """Lets them end their connections. Raises ScriptError if a client has failed."""
        for process in self._processes.values():
            assert process.stdin is not None
            process.stdin.close()
        for reader in self._readers:
            reader.join(_END_S)
        if len(self._totals) < len(self._processes):
            raise ScriptError(f"{len(self._processes) - len(self._totals)} of the clients' programs did not report their totals")
        sums = {name: sum(each[name] for each in self._totals) for name in ("short", "downloads", "bytes")}
        return Totals(**sums, connect_max_ms=max(each["connect_max_ms"] for each in self._totals))

    def end(self) -> None:
        """Stops them immediately, if they still run."""
        for process in self._processes.values():
            processes.end(process)
