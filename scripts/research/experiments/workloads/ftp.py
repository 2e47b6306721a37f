"""Files by FTP from pyftpdlib, in passive mode with EPSV, each in a separate session."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from malob.system.environment import python_with
from research.experiments.hosting import ServerHost

_PROGRAM = Path(__file__).parents[1] / "programs" / "ftp_server.py"


@dataclass(frozen=True)
class Ftp:
    """file_bytes: of each file."""

    file_bytes: int
    expected_s: float = 20.0
    name: str = "ftp"
    port: int = 21

    def prepare(self, host: ServerHost) -> None:
        host.file(self._file, self.file_bytes)

    def serve(self, host: ServerHost) -> subprocess.Popen[bytes]:
        python = python_with("pyftpdlib", "python3-pyftpdlib")
        command = [python, "-I", str(_PROGRAM), host.name, str(host.files), str(self.port)]
        return host.start("ftp", host.limited(command), self.port)

    def client_options(self) -> list[str]:
        return ["--port", str(self.port), "--file", self._file, "--bytes", str(self.file_bytes)]

    @property
    def _file(self) -> str:
        return f"{self.file_bytes}.bin"
