"""Programs that run on emulated hosts within a context, and processes that are suspended or ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lab.instance import Instance
from malob.errors import ScriptError
from malob.system.place import ROOT
from malob.system.processes import ProcessId, bound_to_us, succeeds
from malob.system.waiting import wait_until

RESPONDER = ROOT / "scripts" / "lab" / "demo" / "responder.py"
REQUESTER = ROOT / "scripts" / "lab" / "demo" / "requester.py"
FLOOD = ROOT / "scripts" / "lab" / "faults" / "flood.py"


def script(lab: Instance, host: str, path: Path, *arguments: str) -> list[str]:
    """The command that runs one of our scripts, which needs only Python, on a host."""
    return lab.inside(host, [sys.executable, "-I", str(path), *arguments])


def start_responder(lab: Instance, host: str, http: Sequence[int] = (), udp: Sequence[int] = (), keep: bool = False) -> subprocess.Popen[bytes]:
    """Starts a server that answers with the host's name, and returns once it listens.

    It ends with the lab, and with this process unless keep is set.
    """
    arguments = [host, "--http", *map(str, http), "--udp", *map(str, udp)]
    log = lab.directory / f"{host}.log"
    command = script(lab, host, RESPONDER, *arguments)
    with open(log, "ab") as out:
        process = subprocess.Popen(
            command if keep else bound_to_us(command), stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )

    def ready() -> bool:
        if process.poll() is not None:
            raise ScriptError(f"the server on {host} ended at once; see {log}")
        return all(listens(lab, host, port) for port in http)

    wait_until(ready, f"the server on {host} to listen", 15)
    return process


def listens(lab: Instance, host: str, port: int) -> bool:
    """Whether something on a host accepts TCP connections at a port."""
    probe = "import socket,sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 1).close()"
    return succeeds(lab.inside(host, [sys.executable, "-I", "-S", "-c", probe, str(port)]))


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """The process is suspended, its connections stay open: SIGSTOP, and SIGCONT at the end."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # it was ended meanwhile
            os.kill(pid, signal.SIGCONT)


def end(process: subprocess.Popen[Any], patience_s: float = 5) -> None:
    """Ends a process that we started: asks, waits for patience_s, then insists."""
    known = ProcessId.of(process.pid)
    if known is not None:
        known.end(patience_s)
    process.wait()
