"""Pulses between hosts of a lab, see pulse.py."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lab import processes
from lab.instance import Instance
from lab.program import Program
from malob.system.processes import bound_to_us

_PULSE = Path(__file__).parent / "pulse.py"


@dataclass(frozen=True)
class Beat:
    """The values of a period. error: None while the connection is open; retransmitted: segments of both ends."""

    answers: int
    longest_ms: float
    error: str | None
    retransmitted: int
    retransmitted_back: int


class Pulse:
    """One connection to a VIP with continuous requests."""

    def __init__(self, lab: Instance, client: str, address: str, port: int, every_s: float = 0.005) -> None:
        command = processes.script(lab, client, _PULSE, "ask", address, str(port), str(every_s))
        self._program = Program(command, f"the connection of {client} ended by itself")

    def since_last(self) -> Beat:
        """The values since the last call, or the beginning.

        Waits for the pending answer. The result with an error is the last one.
        """
        with suppress(BrokenPipeError):  # it has failed and reported it
            self._program.say("tell")
        return Beat(**self._program.answer())

    def end(self) -> None:
        """Ends it; may be called repeatedly."""
        self._program.end()


def start_server(lab: Instance, host: str, port: int) -> subprocess.Popen[str]:
    """Starts the server of pulses on a host; returns once it listens. It ends with the lab, and with this process."""
    server = subprocess.Popen(bound_to_us(processes.script(lab, host, _PULSE, "serve", str(port))), stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    server.stdout.readline()
    return server
