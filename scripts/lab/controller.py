"""Starts and stops a separate controller for the demo, the tests and experiments."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from malob.errors import MissingError, ScriptError
from malob.network.topology import Topology
from malob.rest.client import RestClient, Target
from malob.system.place import DEFAULT_SETTINGS, ROOT
from malob.system.ports import port_is_free
from malob.system.processes import ProcessId, bound_to_us
from malob.system.waiting import wait_until

#: A JVM on a busy machine starts slowly.
START_TIMEOUT_S = 60


def settings_file(directory: Path, settings: Mapping[str, object]) -> Path:
    """A file in the directory with the controller's default settings and these, as MODULE.KEY, which take precedence."""
    file = directory / "controller.properties"
    lines = [f"{key}={value}" for key, value in settings.items()]
    file.write_text("\n".join([DEFAULT_SETTINGS.read_text(encoding="utf-8"), *lines, ""]), encoding="utf-8")
    return file


class Controller:
    """One controller process. Its log and its data stay when it ends: restart() finds the same catalog."""

    def __init__(
        self,
        directory: Path,
        openflow_port: int,
        http_port: int,
        properties: Path | None = None,
        options: Sequence[str] = (),
        address: str = "127.0.0.1",
    ) -> None:
        """directory: for log and data. properties: the controller's -cf; None for its own defaults. options: others of the controller.

        address: where it listens.
        """
        self.address = address
        self.openflow_port = openflow_port
        self.http_port = http_port
        self.log = directory / "controller.log"
        self.rest = RestClient(Target("http", address, http_port))
        self.data = directory / "data"
        self._properties = properties
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        """The address that switches connect to, as HOST:PORT."""
        return f"{self.address}:{self.openflow_port}"

    @property
    def pid(self) -> int:
        if self._process is None:
            raise ScriptError("the controller is not running")
        return self._process.pid

    def check_ports(self) -> None:
        """Raises MissingError if one of its ports is in use."""
        _check_port_free(self.openflow_port, "--openflow-port", "OpenFlow")
        _check_port_free(self.http_port, "--http-port", "REST")

    def start(self, keep: bool = False) -> None:
        """Starts it and returns once it answers.

        keep: it may outlive this process. Raises ScriptError with the last line of its log if it ends or takes too long.
        """
        self.check_ports()
        self.data.mkdir(parents=True, exist_ok=True)
        command = self._command()
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen(
                command if keep else bound_to_us(command), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        try:
            wait_until(self._ready_or_ended, "the controller to answer", START_TIMEOUT_S, detail=self.last_words)
        except BaseException:
            self.stop()
            raise
        if self._process.poll() is not None:
            raise ScriptError(f"the controller ended at once: {self.last_words()}")

    def _command(self) -> list[str]:
        ports = ["--openflow-port", str(self.openflow_port), "--http-port", str(self.http_port)]
        command = [str(ROOT / "malob"), "run", *ports, "--bind", self.address, "--data", str(self.data), *self._options]
        if self._properties is not None:
            command += ["-cf", str(self._properties)]
        return command

    def _ready_or_ended(self) -> bool:
        assert self._process is not None
        return self._process.poll() is not None or self.rest.answers()

    def sees(self, network: Topology) -> bool:
        """Whether it knows all switches and links of a network."""
        return self.rest.switch_count() == len(network.switches) and self.rest.link_count() == len(network.links)

    def wait_for(self, network: Topology, patience_s: float = 40) -> None:
        """Returns once it knows all switches and links of a network. Raises ScriptError after patience_s."""
        wait_until(
            lambda: self.sees(network),
            f"the controller to see {len(network.switches)} switches and {len(network.links)} links",
            patience_s,
            detail=lambda: f"it sees {self.rest.switch_count()} and {self.rest.link_count()}; its log: {self.last_words()}",
        )

    def stop(self) -> None:
        """Ends it gracefully; does nothing if it has ended."""
        if self._process is not None:
            process = ProcessId.of(self._process.pid)
            if process is not None:
                process.end(patience_s=10)
            self._process.wait()
            self._process = None

    def kill(self) -> None:
        """Ends it as abruptly as a power cut: kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def last_words(self) -> str:
        """The last line of its log that is not empty."""
        try:
            lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        except OSError:
            lines = []
        return (lines[-1] if lines else "its log is empty") + f" (all of it: {self.log})"


def _check_port_free(port: int, option: str, use: str) -> None:
    if not port_is_free(port):
        raise MissingError(f"port {port} ({use}) is in use; end that program, or choose another with {option} N")
