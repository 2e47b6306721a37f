"""The end host's own controller: the embedded one with the modules that an end host needs, and a small heap."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from malob.endhost.options import Settings
from malob.endhost.place import Place
from malob.endhost.token import Token
from malob.errors import MissingError
from malob.rest.client import RestClient, RestError, Target
from malob.system.place import ROOT
from malob.system.ports import free_port, port_is_free
from malob.system.processes import PidFile, ProcessId, find_program, run
from malob.system.waiting import wait_until

REST = "/wm/malob/endhost"
_CORE = "io.malob.controller.core.CoreModule"
_REST_MODULE = "io.malob.controller.rest.RestModule"
_HERE = Path(__file__).parent
_PROPERTIES = _HERE / "endhost.properties"
_OPTIONS = _HERE / "jvm.options"
_JAR = ROOT / "target" / "malob.jar"

_START_TIMEOUT_S = 60


class Controller:
    """The controller of one end host. Its process outlives this one, and is found by its pid file."""

    def __init__(self, place: Place, settings: Settings) -> None:
        self._place, self._settings = place, settings
        self._token = Token(place.directory)
        self._process = PidFile(place.directory / "controller.pid")

    @property
    def rest(self) -> RestClient:
        """Its REST interface, with the current token. Raises MissingError unless this is root."""
        return RestClient(Target("http", "127.0.0.1", self._settings.http_port, self._token.read()), timeout_s=5)

    def check_ports(self) -> None:
        """Raises MissingError if one of its ports is taken."""
        for port, option, use in ((self._settings.openflow_port, "--openflow-port", "OpenFlow"), (self._settings.http_port, "--http-port", "REST")):
            if not port_is_free(port):
                raise MissingError(f"port {port} ({use}) is in use, or the interface lo is down; end that program, or choose another with {option} N")

    def process(self) -> ProcessId | None:
        return self._process.process()

    def launch(self) -> None:
        """Starts it, and does not wait for it."""
        settings = _write_settings(self._place.directory, self._settings.openflow_port, self._settings.http_port)
        self._process.start(_command(settings, _archive_option()), self.log)

    def wait(self) -> None:
        """Returns once it answers."""
        wait_until(self.answers, "the controller to answer", _START_TIMEOUT_S, 0.05, detail=self._last_words)

    def answers(self) -> bool:
        try:
            return self.status() is not None
        except RestError as error:
            if error.status == 0:
                return False
            raise

    def status(self) -> Any:
        return self.rest.get(REST)

    def configure(self, document: dict[str, Any]) -> Any:
        return self.rest.put(REST, document)

    def forget(self) -> None:
        """Lets it reset all flows and remove all rules; if it does not answer, the end of the switch does that."""
        with contextlib.suppress(RestError):
            self.rest.delete(REST)

    def stop(self) -> None:
        """Stops it; no effect if it does not run."""
        self._process.end()

    @property
    def log(self) -> Path:
        return self._place.directory / "controller.log"

    def _last_words(self) -> str:
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return (lines[-1] if lines else "its log is empty") + f" (all of it: {self.log})"


def _write_settings(directory: Path, openflow_port: int, http_port: int) -> Path:
    """Writes the controller's settings to a file there, makes its data directory and its token beside it, and returns the file."""
    data = directory / "data"
    data.mkdir(parents=True, exist_ok=True)
    Token(directory).give_to(data)
    # in properties files, a backslash escapes the next character
    own = {f"{_CORE}.openFlowPort": str(openflow_port), f"{_REST_MODULE}.httpPort": str(http_port), "*.data": str(data).replace("\\", r"\\")}
    settings = directory / "controller.properties"
    settings.write_text(_PROPERTIES.read_text() + "".join(f"{key}={value}\n" for key, value in own.items()))
    return settings


def _command(settings: Path, archive: str) -> list[str]:
    # one arena of malloc for all threads: each would keep freed memory of its own
    return ["env", "MALLOC_ARENA_MAX=1", _java(), f"@{_OPTIONS}", archive, "-cp", str(_JAR), "io.malob.controller.ControllerProcess", str(settings)]


def make_archive(directory: Path) -> None:
    """Creates the archive of loaded classes if there is none for this build, with which the JVM need not read and verify them at each start.

    Failures are ignored: the controller then starts without it, only slower. directory: for the files of a short run of a controller.
    """
    _archive_option(sys.executable, str(ROOT / "scripts" / "command.py"), "malob.endhost.rehearsal", str(directory / "rehearsal"))


def _archive_option(*rehearsal: str) -> str:
    """The JVM's option for the archive, which the launcher creates if there is none and a rehearsal is given."""
    return run([str(ROOT / "malob"), "archive", "endhost", _java(), *rehearsal], 2 * _START_TIMEOUT_S).strip() or "-Xshare:auto"


def rehearse(directory: Path, option: str) -> None:
    """Runs a controller without a host until it answers. option: one more for the JVM. Raises ScriptError if it does not answer."""
    http_port = free_port()
    command = _command(_write_settings(directory, 0, http_port), option)
    with open(directory / "log", "wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    rest = RestClient(Target("http", "127.0.0.1", http_port, Token(directory).read()), timeout_s=5)
    try:
        wait_until(lambda: process.poll() is not None or rest.answers(), "the controller to answer", _START_TIMEOUT_S)
        process.terminate()
        process.wait(_START_TIMEOUT_S)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _java() -> str:
    """The launcher's choice, if it is the caller."""
    found = os.environ.get("MALOB_JAVA") or find_program("java")
    if not found:
        raise MissingError("Java is not installed; './malob doctor' shows how to install it")
    return found
