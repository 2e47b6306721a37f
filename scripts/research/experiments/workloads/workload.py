"""The interface of all kinds of requests."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import Protocol

from research.experiments.hosting import ServerHost


class Workload(Protocol):
    """One kind of request."""

    @property
    def name(self) -> str:
        """The name in metrics and in programs/client.py: http, ftp, compute."""

    @property
    def port(self) -> int:
        """The port of requests, which identifies the kind in the services table."""

    @property
    def expected_s(self) -> float:
        """The expected time of a request, for the first estimate."""

    def prepare(self, host: ServerHost) -> None:
        """Creates the server's files."""

    def serve(self, host: ServerHost) -> subprocess.Popen[bytes]:
        """Starts the server on a host; it ends with this process."""

    def client_options(self) -> list[str]:
        """The options of programs/client.py besides kind and address."""


@dataclass(frozen=True)
class Load:
    """The requests of each client: kind, number in parallel, and number that count."""

    workload: Workload
    requests: int
    at_once: int = 1
