"""os-ken with our round robin, as a process. It is installed in a separate environment."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

from malob.errors import ScriptError
from malob.system.environment import install, programs
from malob.system.waiting import wait_until
from research import background

_PROGRAM = Path(__file__).parent / "round_robin_osken.py"
_START_TIMEOUT_S = 60


def program() -> Path:
    """The program, which is installed first if it is missing. Raises MissingError if that fails."""
    return programs("os-ken-3", "os-ken<4") / "osken-manager"


class OsKen:
    """Ended by stop(), and by the end of this process."""

    def __init__(self, directory: Path, port: int, inside: Callable[[Sequence[str]], list[str]] = list) -> None:
        """directory: for its files. port: for OpenFlow, on loopback. inside: converts a command to run on its host."""
        self._log = directory / "os-ken.log"
        self._host = directory / "host.json"
        self._port, self._inside = port, inside
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self._process is None:
            raise ScriptError("os-ken is not running")
        return self._process.pid

    def launch(self, host: dict[str, Any]) -> None:
        """Does not wait for it. host: see round_robin_osken.py."""
        self._host.write_text(json.dumps(host))
        listening = ["--ofp-listen-host", "127.0.0.1", "--ofp-tcp-listen-port", str(self._port)]
        command = ["env", f"MALOB_BENCH_HOST={self._host}", str(program()), *listening, str(_PROGRAM)]
        self._process = background.start(self._inside(command), self._log)

    def wait_here(self) -> None:
        """Returns once it listens, if it runs in the network namespace of this process."""
        wait_until(self._listens, "os-ken to listen", _START_TIMEOUT_S, 0.01, self.last_words)

    def _listens(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise ScriptError(f"os-ken ended at once: {self.last_words()}")
        try:
            socket.create_connection(("127.0.0.1", self._port), 1).close()
            return True
        except OSError:
            return False

    def last_words(self) -> str:
        """The end of its log."""
        return self._log.read_text(errors="replace").strip()[-300:] or "its log is empty"

    def stop(self) -> None:
        """Does nothing if it does not run."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None


if __name__ == "__main__":
    install(program)
