"""The kinds of requests, each with its server and the options of its client; and the hosts of the servers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lab import webserver
from lab.instance import Instance
from lab.processes import listens
from malob.errors import ScriptError
from malob.system.environment import python_with
from malob.system.waiting import wait_until
from research import background
from research.experiments.site.cpulimits import EmulatedCpuLimits, KernelCpuLimits

_PROGRAMS = Path(__file__).parent / "programs"

#: The data that a client sends.
SEQUENCE_BYTES = 10_000
_WORK_PATIENCE_S = 60


@dataclass(frozen=True)
class ServerHost:
    """One server of a lab. limits: of all servers' processors."""

    lab: Instance
    name: str
    limits: KernelCpuLimits | EmulatedCpuLimits

    @property
    def files(self) -> Path:
        """The directory that file servers serve; the same for all hosts."""
        return self.lab.directory / "files"

    def networked(self, command: Sequence[str]) -> list[str]:
        """The command on the host's network. `ip netns exec` would hide the cgroups behind a new /sys."""
        return ["nsenter", f"--net=/run/netns/{self.lab.namespace(self.name)}", *command]

    def limited(self, command: Sequence[str]) -> list[str]:
        """The same in a form whose processor time counts as the server's."""
        return self.limits.inside(self.name, self.networked(command))

    def start(self, program: str, command: Sequence[str], port: int) -> subprocess.Popen[bytes]:
        """Starts a command unchanged, and returns once a port of the host is open; it ends with this process."""
        log = self.lab.directory / f"{program}-{self.name}.log"
        process = background.start(command, log)

        def ready() -> bool:
            if process.poll() is not None:
                raise ScriptError(f"{program} on {self.name} ended at once: {_last_line(log)}")
            return listens(self.lab, self.name, port)

        wait_until(ready, f"{program} on {self.name} to listen", 20)
        return process

    def file(self, name: str, size: int) -> None:
        """Creates a file of zeros to be served."""
        self.files.mkdir(exist_ok=True)
        with open(self.files / name, "wb") as out:
            out.truncate(size)


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    return f"{lines[-1] if lines else 'its log is empty'} ({log})"


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


@dataclass(frozen=True)
class Http:
    """Web pages from nginx.

    pages: per request, over one connection or each over its own. page_bytes: of the body of each. pause_s: between requests.
    """

    page_bytes: int
    pages: int = 5
    connection_per_page: bool = False
    pause_s: float = 0
    name: str = "http"
    port: int = webserver.PORT

    @property
    def expected_s(self) -> float:
        return 0.5 + self.pause_s

    def prepare(self, host: ServerHost) -> None:
        host.file(self._file, self.page_bytes)

    def serve(self, host: ServerHost) -> subprocess.Popen[bytes]:
        content = f"sendfile on; tcp_nodelay on; location / {{ root {host.files}; add_header X-Server {host.name}; }}"
        return webserver.start(host.lab, host.name, content, host.limited)

    def client_options(self) -> list[str]:
        page = ["--file", self._file, "--bytes", str(self.page_bytes), "--pages", str(self.pages), "--pause", str(self.pause_s)]
        return ["--port", str(self.port), *page, *(["--connection-per-page"] if self.connection_per_page else [])]

    @property
    def _file(self) -> str:
        return f"{self.page_bytes}.html"


@dataclass(frozen=True)
class Ftp:
    """Files from pyftpdlib, in passive mode with EPSV, each in a separate session. file_bytes: of each file."""

    file_bytes: int
    expected_s: float = 20.0
    name: str = "ftp"
    port: int = 21

    def prepare(self, host: ServerHost) -> None:
        host.file(self._file, self.file_bytes)

    def serve(self, host: ServerHost) -> subprocess.Popen[bytes]:
        python = python_with("pyftpdlib", "python3-pyftpdlib")
        command = [python, "-I", str(_PROGRAMS / "ftp_server.py"), host.name, str(host.files), str(self.port)]
        return host.start("ftp", host.limited(command), self.port)

    def client_options(self) -> list[str]:
        return ["--port", str(self.port), "--file", self._file, "--bytes", str(self.file_bytes)]

    @property
    def _file(self) -> str:
        return f"{self.file_bytes}.bin"


@dataclass(frozen=True)
class Compute:
    """Computations, each in its own process on at most one processor.

    cpu_s: processor time of each request. expected_s: the duration of a single request.
    """

    cpu_s: float
    expected_s: float
    name: str = "compute"
    port: int = 6789

    def prepare(self, host: ServerHost) -> None:
        """There is nothing to create."""

    def serve(self, host: ServerHost) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-I", str(_PROGRAMS / "compute_server.py"), host.name, str(self.port), f"{self.cpu_s:g}"]
        return host.start("compute", host.networked([*command, *host.limits.compute_options(host.name)]), self.port)

    def client_options(self) -> list[str]:
        patience_s = 60 + 20 * self.expected_s
        return ["--port", str(self.port), "--bytes", str(SEQUENCE_BYTES), "--patience", f"{patience_s:g}"]


@dataclass(frozen=True)
class Work:
    """Requests at random times for random amounts of processor time and bytes.

    cpu_s, answer_bytes: means of exponential distributions. rate: requests of each client, per second.
    """

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
        return host.start("work", host.limited([sys.executable, "-I", str(_PROGRAMS / "work_server.py"), host.name, str(self.port)]), self.port)

    def client_options(self) -> list[str]:
        words = {"port": self.port, "bytes": self.answer_bytes, "cpu": f"{self.cpu_s:g}", "rate": f"{self.rate:g}", "patience": _WORK_PATIENCE_S}
        return [word for name, value in words.items() for word in (f"--{name}", str(value))]
