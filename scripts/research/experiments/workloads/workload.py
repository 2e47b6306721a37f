"""What all kinds of requests have in common."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import Protocol

from research.experiments.hosting import ServerHost


class Workload(Protocol):
    """One kind of request."""

    @property
    def name(self) -> str:
        """As in metrics and in programs/client.py: http, ftp, compute."""

    @property
    def port(self) -> int:
        """That clients ask at, and by which the services table knows the kind."""

    @property
    def expected_s(self) -> float:
        """What a request may take, for the first estimate."""

    def prepare(self, host: ServerHost) -> None:
        """Makes what the server serves."""

    def serve(self, host: ServerHost) -> subprocess.Popen[bytes]:
        """Starts the server on a host; it ends with this process."""

    def client_options(self) -> list[str]:
        """What programs/client.py needs besides kind and address."""


@dataclass(frozen=True)
class Load:
    """The requests of each client: their kind, how many run in parallel, and how many count."""

    workload: Workload
    requests: int
    at_once: int = 1
