"""Clients that make requests one after the other, each a process on its host, until all have made the planned number."""

from __future__ import annotations

import json
import queue
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lab import processes
from lab.instance import Instance
from lab.program import Program
from malob.errors import ScriptError
from research.experiments.frame.samples import Sample

PROGRAM = Path(__file__).parents[1] / "programs" / "client.py"
_START_TIMEOUT_S = 30


#: By the client's number: what it told, empty if it is ready; None if it has ended.
_Lines = queue.Queue["tuple[int, dict[str, Any] | None]"]


@dataclass(frozen=True)
class Client:
    """name: in the results.

    options: of programs/client.py after kind and address. wanted: the number of requests that count.
    """

    name: str
    host: str
    kind: str
    options: Sequence[str]
    wanted: int


def run(lab: Instance, address: str, clients: Sequence[Client], patience_s: float) -> list[Sample]:
    """Lets all clients loop until each has made as many requests as wanted, failed ones included, and ends them.

    Raises ScriptError if a client ends by itself, or if no request ends for patience_s.
    """
    lines: _Lines = queue.Queue()
    running: list[Program] = []
    try:
        for number, client in enumerate(clients):
            command = processes.script(lab, client.host, PROGRAM, client.kind, address, *client.options)
            running.append(Program(command, f"the client on {client.host} ended by itself"))
            running[-1].follow(partial(_put, lines, number), partial(lines.put, (number, None)))
        for client in clients:
            _next(lines, clients, _START_TIMEOUT_S, f"the client on {client.host} to start")
        for program in running:
            program.say("go")
        return _collect(lines, clients, patience_s)
    finally:
        for program in running:
            program.ask_to_end()
        for program in running:
            program.end()


def _put(lines: _Lines, number: int, line: str) -> None:
    lines.put((number, {} if line == "ready\n" else json.loads(line)))


def _collect(lines: _Lines, clients: Sequence[Client], patience_s: float) -> list[Sample]:
    samples: list[Sample] = []
    made = [0] * len(clients)
    while any(count < client.wanted for count, client in zip(made, clients)):
        number, result = _next(lines, clients, patience_s, "a request to end")
        client = clients[number]
        made[number] += 1
        counted = made[number] <= client.wanted
        began, seconds, size, server, error = (result[name] for name in ("began", "seconds", "bytes", "server", "error"))
        samples.append(Sample(client.name, client.kind, made[number], began, seconds, size, server, counted, error))
    return samples


def _next(lines: _Lines, clients: Sequence[Client], patience_s: float, what: str) -> tuple[int, dict[str, Any]]:
    try:
        number, result = lines.get(timeout=patience_s)
    except queue.Empty:
        raise ScriptError(f"waited {patience_s:g} s for {what}") from None
    if result is None:
        raise ScriptError(f"the client on {clients[number].host} ended by itself")
    return number, result
