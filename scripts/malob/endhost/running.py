"""`up` and `down`: one at a time in a network namespace, after the cleanup of an earlier run."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Callable

from malob.endhost import checks, network, switch
from malob.endhost.options import Settings
from malob.endhost.place import Place
from malob.endhost.setup import Setup
from malob.endhost.supervisor import Supervisor
from malob.errors import MissingError, ScriptError, UsageError
from malob.system.journal import Journal
from malob.system.lock import locked
from malob.system.place import ROOT
from malob.system.waiting import orderly_end, say, undisturbed

#: The message of the background supervisor when all works.
_READY = b"ready\n"


def up(place: Place, settings: Settings, ready: Callable[[], None]) -> int:
    """Sets up, and stays until SIGTERM, SIGINT or SIGHUP; then undoes all. ready: called once all works."""
    with _alone(place), orderly_end():
        journal = Journal(place.journal)
        earlier = Settings.of(journal.read()["settings"]) if journal.exists() else None
        supervisor = Supervisor(place, settings)
        goes_on = earlier is not None and settings.goes_on_from(earlier) and supervisor.setup.is_whole()
        if not goes_on:
            _clear_the_way(place, settings, earlier, supervisor)
            journal.begin(settings=settings.document())
        try:
            if goes_on:
                assert earlier is not None
                say("malob endhost: taking over the state of an earlier run; open flows continue")
                # a later run must find the algorithm, too
                journal.take_over(settings=replace(settings, algorithm=settings.algorithm or earlier.algorithm).document())
                supervisor.take_over(earlier)
            else:
                supervisor.make()
            supervisor.watch(ready)
        except KeyboardInterrupt:
            say("malob endhost: stopping")
        finally:
            with undisturbed():
                supervisor.setup.undo()
    return 0


def _clear_the_way(place: Place, settings: Settings, earlier: Settings | None, supervisor: Supervisor) -> None:
    """Undoes the remains of an earlier run, and checks for other obstacles. Raises ScriptError."""
    if earlier is not None:
        say("malob endhost: removing the remains of an earlier run")
        Setup(place, earlier).undo()
    checks.check(settings, network.read())
    supervisor.setup.controller.check_ports()
    switch.machine_has_daemons()


def up_in_background(place: Place, words: Sequence[str]) -> None:
    """Runs `up` in a process of its own; returns once all works. words: the options of the command line.

    Raises ScriptError, or what it is derived from, with the other's last words.
    """
    if is_up(place):
        raise ScriptError("the end host is up already; './malob endhost down' stops it")
    place.directory.mkdir(parents=True, exist_ok=True)
    receive, send = os.pipe()
    command = [sys.executable, str(ROOT / "scripts" / "command.py"), "malob.cli.endhost", "up", *words, "--foreground", "--ready", str(send)]
    with open(place.log, "wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, pass_fds=[send])
    os.close(send)
    with os.fdopen(receive, "rb") as answer, ended_with_us(process):
        if answer.readline() == _READY:
            return
        code = process.wait()
    lines = [line for line in place.log.read_text(errors="replace").splitlines() if line.strip()]
    for line in lines[:-1]:
        say(line)
    last = lines[-1].removeprefix("malob endhost: ") if lines else f"the supervisor ended with {code}"
    kinds = {kind.exit_code: kind for kind in (UsageError, MissingError)}
    raise kinds.get(code, ScriptError)(last)


@contextmanager
def ended_with_us(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Ctrl-C during the wait for a supervisor also stops the supervisor."""
    try:
        yield
    except KeyboardInterrupt:
        process.terminate()
        process.wait()
        raise


def notify_ready(descriptor: int | None) -> None:
    """Notifies the waiting process through a pipe, or systemd."""
    if descriptor is not None:
        os.write(descriptor, _READY)
        os.close(descriptor)
    address = os.environ.get("NOTIFY_SOCKET")
    if address:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.sendto(b"READY=1", "\0" + address[1:] if address.startswith("@") else address)


def is_up(place: Place) -> bool:
    """Whether a supervisor is running here."""
    journal = Journal(place.journal)
    return journal.exists() and journal.owner() is not None


def down(place: Place) -> bool:
    """Undoes everything. Returns whether there was anything to undo. Raises ScriptError if a step fails."""
    journal = Journal(place.journal)
    if not journal.exists():
        return False
    supervisor = journal.owner()
    if supervisor is not None:
        supervisor.end(patience_s=30)
    with _alone(place), undisturbed():
        if journal.exists():
            Setup(place, Settings.of(journal.read()["settings"])).undo()
    return True


def _alone(place: Place) -> AbstractContextManager[None]:
    return locked(place.lock, "runs './malob endhost' in this network namespace", 0)
