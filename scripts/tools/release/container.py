"""`./malob release --container`: builds the container image, and tests it in containers of its own."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from malob.errors import MissingError, ScriptError
from malob.rest.client import RestClient, RestError, Target
from malob.system.cleanup import Cleanup
from malob.system.processes import find_program, run
from malob.system.waiting import say, undisturbed, wait_until

_DATA = "/var/lib/malob/controller"
#: The package manager's list of files, and where it has those of the checkout.
_SUMS, _DOCS, _PROGRAMS = "/var/lib/dpkg/info/malob.md5sums", "usr/share/doc/malob/", "usr/share/malob/"
_HTTP, _OPENFLOW = "8080", "6653"
_BASE = "/quantum/v1.0"
_CATALOG = {
    "vips": {"id": "v", "name": "v", "protocol": "tcp", "address": "10.0.0.100", "port": "80"},
    "pools": {"id": "p", "name": "p", "protocol": "tcp", "vip_id": "v"},
    "members": {"id": "m", "address": "10.0.0.1", "port": "8080", "pool_id": "p"},
}
_CALL_S, _START_S = 120, 120
_UNAUTHORIZED = 401
#: Exit codes of a program that SIGTERM has ended. Podman kills it after ten seconds, and it is 137 then.
_ENDED = (0, 143)
_HELLO = 0


class Engine:
    """Podman. Raises MissingError if it is not installed."""

    def __init__(self) -> None:
        found = find_program("podman")
        if found is None:
            raise MissingError("there is no container engine: install podman (package podman)")
        self._program = found

    def run(self, *words: str) -> str:
        """What a command prints. Raises ScriptError if it fails."""
        return run([self._program, *words], _CALL_S).strip()

    def succeeds(self, *words: str) -> bool:
        try:
            self.run(*words)
            return True
        except ScriptError:
            return False

    def build(self, root: Path, image: str, base: str | None) -> None:
        """Builds the image of a checkout, and shows what happens on stderr. base: the image of Debian to build on."""
        # OCI's own format has no health checks
        words = ["build", "--format", "docker", "--file", str(root / "packaging" / "Containerfile"), "--tag", image]
        if base is not None:
            words += ["--pull=never", "--build-arg", f"BASE={base}"]
        if subprocess.run([self._program, *words, str(root)], stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode != 0:
            raise ScriptError("the image could not be built (above)")


def make(root: Path, image: str, base: str | None) -> None:
    """Builds an image and tests it; the image stays. Raises ScriptError for a test that fails."""
    engine = Engine()
    engine.build(root, image, base)
    trial = _Trial(engine, image, root)
    try:
        trial.run()
    finally:
        with undisturbed():
            trial.clean_up()


class _Trial:
    """One volume, and the containers that have it one after the other, with their ports on loopback."""

    def __init__(self, engine: Engine, image: str, root: Path) -> None:
        self._engine, self._image, self._root = engine, image, root
        self._name = f"malob-trial-{os.getpid()}"
        self._token = ""

    def run(self) -> None:
        self._token = self._engine.run("run", "--rm", "--volume", self._volume, self._image, "token", "add", "trial", "--role", "admin")
        self._start()
        self._check_content()
        self._check_user()
        self._check_access()
        self._check_openflow()
        for kind, item in _CATALOG.items():
            self._rest().post(f"{_BASE}/{kind}/", item)
        self._engine.run("restart", self._name)
        self._check_catalog("a restart")
        self._stop()
        self._start()
        self._check_catalog("a new container with the same volume")
        self._stop()

    def clean_up(self) -> None:
        cleanup = Cleanup()
        cleanup.step("container", lambda: self._engine.run("rm", "--force", "--ignore", self._name))
        cleanup.step("volume", lambda: self._engine.run("volume", "rm", "--force", self._name))
        cleanup.finish()

    @property
    def _volume(self) -> str:
        return f"{self._name}:{_DATA}"

    def _start(self) -> None:
        ports = [word for port in (_HTTP, _OPENFLOW) for word in ("--publish", f"127.0.0.1::{port}")]
        self._engine.run("run", "--detach", "--name", self._name, "--volume", self._volume, *ports, self._image)
        self._wait_healthy()
        _ok("the health check succeeds")

    def _wait_healthy(self) -> None:
        """By the image's own health check, run at once: its intervals need a timer of the machine's systemd."""
        healthy = self._engine.succeeds
        wait_until(lambda: healthy("healthcheck", "run", self._name), "the health check to succeed", _START_S, 0.5, detail=self._last_words)

    def _last_words(self) -> str:
        return self._engine.run("logs", "--tail", "3", self._name)

    def _check_content(self) -> None:
        """Whether the image has the checkout's own files, and none that an engine has kept of an earlier one.

        Units and pages have other paths and links there.
        """
        sums = dict(line.split("  ")[::-1] for line in self._engine.run("exec", self._name, "cat", _SUMS).splitlines())
        own = {path: self._root / "docs" / path.removeprefix(_DOCS) for path in sums if path.startswith(_DOCS)}
        own |= {path: self._root / path.removeprefix(_PROGRAMS) for path in sums if path.startswith(f"{_PROGRAMS}scripts/")}
        found = {path: file for path, file in own.items() if file.is_file() and file.suffix not in (".service", ".md")}
        other = sorted(path for path, file in found.items() if hashlib.md5(file.read_bytes()).hexdigest() != sums[path])
        _expect(bool(found) and not other, f"of {len(found)} files, {len(other)} differ from the checkout's: {', '.join(other[:3]) or 'none'}")

    def _check_user(self) -> None:
        user = self._engine.run("exec", self._name, "id", "--user", "--name")
        _expect(user == "malob", f"it runs as user {user}")

    def _check_access(self) -> None:
        for token in (None, "wrong"):
            status = self._status(token)
            _expect(status == _UNAUTHORIZED, f"REST answers {status} {'with a wrong' if token else 'without a'} token")
        self._rest().get(f"{_BASE}/vips/")
        _ok("REST answers with the token")

    def _status(self, token: str | None) -> int:
        try:
            self._rest(token).get(f"{_BASE}/vips/")
            return 200
        except RestError as error:
            return error.status

    def _check_openflow(self) -> None:
        with socket.create_connection(self._address(_OPENFLOW), timeout=10) as connection:
            header = connection.recv(8)
        _expect(len(header) == 8 and header[1] == _HELLO, "the OpenFlow port says hello")

    def _check_catalog(self, after: str) -> None:
        self._wait_healthy()
        for kind, item in _CATALOG.items():
            found = [each["id"] for each in self._rest().get(f"{_BASE}/{kind}/")]
            _expect(found == [item["id"]], f"{kind} after {after}: {found}")

    def _stop(self) -> None:
        """Ends the container, and removes it."""
        self._engine.run("stop", self._name)
        state: Any = json.loads(self._engine.run("inspect", self._name))[0]["State"]
        _expect(state["ExitCode"] in _ENDED, f"it ends with exit code {state['ExitCode']} when it is stopped")
        self._engine.run("rm", self._name)

    def _rest(self, token: str | None = "") -> RestClient:
        """token: the right one if it is empty."""
        return RestClient(Target("http", *self._address(_HTTP), self._token if token == "" else token))

    def _address(self, port: str) -> tuple[str, int]:
        """Where a port of the container is published."""
        host, _, published = self._engine.run("port", self._name, port).rpartition(":")
        return host, int(published)


def _expect(holds: bool, what: str) -> None:
    if not holds:
        raise ScriptError(f"the image is wrong: {what}")
    _ok(what)


def _ok(what: str) -> None:
    say(f"ok: {what}")
