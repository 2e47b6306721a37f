"""Computations that take a fixed amount of processor time, each in its own process on at most one processor."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from research.experiments.hosting import ServerHost

_PROGRAM = Path(__file__).parents[1] / "programs" / "compute_server.py"

#: The data that a client sends.
SEQUENCE_BYTES = 10_000


@dataclass(frozen=True)
class Compute:
    """cpu_s: processor time of each request. expected_s: the duration of a single request."""

    cpu_s: float
    expected_s: float
    name: str = "compute"
    port: int = 6789

    def prepare(self, host: ServerHost) -> None:
        """There is nothing to create."""

    def serve(self, host: ServerHost) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-I", str(_PROGRAM), host.name, str(self.port), f"{self.cpu_s:g}"]
        return host.start("compute", host.networked([*command, *host.limits.compute_options(host.name)]), self.port)

    def client_options(self) -> list[str]:
        patience_s = 60 + 20 * self.expected_s
        return ["--port", str(self.port), "--bytes", str(SEQUENCE_BYTES), "--patience", f"{patience_s:g}"]
