"""The clients of a run: a program on each client host, and their reports."""

from __future__ import annotations

import json
import subprocess
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from lab import processes
from malob.system.processes import bound_to_us
from research.bench.soak.model import Failure
from research.bench.soak.site import Site

_CLIENT = Path(__file__).parent / "programs" / "client.py"


class Crowd:
    """Starts when it is constructed. Its counters may be read at any time."""

    def __init__(self, site: Site, seed: int, rate: float, seconds: float, longest_s: float) -> None:
        """rate: connections per second, of all hosts. longest_s: the duration of long connections."""
        self.outcomes: Counter[str] = Counter()
        self.failures: list[Failure] = []
        #: of connections that were accepted
        self.connect_ms: list[float] = []
        self.bytes = 0
        self._keys = {f"{service.address}:{service.port}": service.key for service in site.world.services}
        hosts = site.lab.topology.with_role("client")
        self._processes = [
            subprocess.Popen(
                bound_to_us(
                    processes.script(
                        site.lab, host.name, _CLIENT, f"{host.name} {seed}", str(rate / len(hosts)), str(seconds), str(longest_s), *self._keys
                    )
                ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            for host in hosts
        ]
        self._lock = threading.Lock()
        self._readers = [threading.Thread(target=self._read, args=(host.name, process), daemon=True) for host, process in zip(hosts, self._processes)]
        for reader in self._readers:
            reader.start()

    def _read(self, host: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            told = json.loads(line)
            with self._lock:
                self._count(host, told)

    def _count(self, host: str, told: dict[str, Any]) -> None:
        self.outcomes[told["outcome"]] += 1
        self.bytes += told["bytes"]
        if "accepted" in told:
            self.connect_ms.append(1000 * (told["accepted"] - told["began"]))
        if told["outcome"] != "ok":
            self.failures.append(Failure.of(host, self._keys[told["vip"]], told))

    def ended(self) -> bool:
        return not any(reader.is_alive() for reader in self._readers)

    def end(self) -> None:
        """Stops them immediately, even during connections."""
        for process in self._processes:
            processes.end(process)
