"""Requests at random times for random amounts of processor time and bytes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from research.experiments.hosting import ServerHost

_PROGRAM = Path(__file__).parents[1] / "programs" / "work_server.py"

_PATIENCE_S = 60


@dataclass(frozen=True)
class Work:
    """cpu_s, answer_bytes: means of exponential distributions. rate: requests of each client, per second."""

    cpu_s: float
    answer_bytes: int
    rate: float
    name: str = "work"
    port: int = 6790

    @property
    def expected_s(self) -> float:
        """Of a client's requests, which overlap."""
        return 1 / self.rate

    def prepare(self, host: ServerHost) -> None:
        """There is nothing to create."""

    def serve(self, host: ServerHost) -> subprocess.Popen[bytes]:
        return host.start("work", host.limited([sys.executable, "-I", str(_PROGRAM), host.name, str(self.port)]), self.port)

    def client_options(self) -> list[str]:
        words = {"port": self.port, "bytes": self.answer_bytes, "cpu": f"{self.cpu_s:g}", "rate": f"{self.rate:g}", "patience": _PATIENCE_S}
        return [word for name, value in words.items() for word in (f"--{name}", str(value))]
