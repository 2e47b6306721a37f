"""The servers of runs: every byte of a response depends on the server's name."""

from __future__ import annotations

import subprocess
from pathlib import Path

from lab import processes
from lab.instance import Instance
from malob.errors import ScriptError
from malob.system.processes import bound_to_us

_PROGRAM = Path(__file__).parent / "programs" / "server.py"


def serve(lab: Instance, host: str, *ports: int) -> subprocess.Popen[bytes]:
    """Starts the server of a host, and returns once it listens."""
    command = processes.script(lab, host, _PROGRAM, host, *map(str, ports))
    with open(lab.directory / f"{host}.log", "ab") as log:
        program = subprocess.Popen(bound_to_us(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, start_new_session=True)
    assert program.stdout is not None
    if not program.stdout.readline():
        raise ScriptError(f"the server on {host} ended at once")
    return program
