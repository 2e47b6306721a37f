"""Clients that make requests one after the other, each a process on its host, until all have made the planned number."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import processes
from lab.instance import Instance
from malob.errors import ScriptError
from malob.system.processes import bound_to_us
from research.experiments.samples import Sample

PROGRAM = Path(__file__).parent / "programs" / "client.py"
_START_TIMEOUT_S = 30


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
    lines: queue.Queue[tuple[int, dict[str, Any] | None]] = queue.Queue()
    running: list[subprocess.Popen[str]] = []
    try:
        for number, client in enumerate(clients):
            running.append(_start(lab, address, client))
            threading.Thread(target=_read, args=(number, running[-1], lines), daemon=True).start()
        for client in clients:
            _next(lines, clients, _START_TIMEOUT_S, f"the client on {client.host} to start")
        for process in running:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        return _collect(lines, clients, patience_s)
    finally:
        for process in running:
            process.terminate()
        for process in running:
            processes.end(process)


def _start(lab: Instance, address: str, client: Client) -> subprocess.Popen[str]:
    command = processes.script(lab, client.host, PROGRAM, client.kind, address, *client.options)
    return subprocess.Popen(bound_to_us(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)


def _read(number: int, process: subprocess.Popen[str], lines: queue.Queue[tuple[int, dict[str, Any] | None]]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put((number, {} if line == "ready\n" else json.loads(line)))
    lines.put((number, None))


def _collect(lines: queue.Queue[tuple[int, dict[str, Any] | None]], clients: Sequence[Client], patience_s: float) -> list[Sample]:
    samples: list[Sample] = []
    made = [0] * len(clients)
    while any(count < client.wanted for count, client in zip(made, clients)):
        number, result = _next(lines, clients, patience_s, "a request to end")
        client = clients[number]
        made[number] += 1
        samples.append(
            Sample(
                client.name,
                client.kind,
                made[number],
                result["began"],
                result["seconds"],
                result["bytes"],
                result["server"],
                made[number] <= client.wanted,
                result["error"],
            )
        )
    return samples


def _next(
    lines: queue.Queue[tuple[int, dict[str, Any] | None]], clients: Sequence[Client], patience_s: float, what: str
) -> tuple[int, dict[str, Any]]:
    deadline = time.monotonic() + patience_s
    try:
        number, result = lines.get(timeout=max(0.0, deadline - time.monotonic()))
    except queue.Empty:
        raise ScriptError(f"waited {patience_s:g} s for {what}") from None
    if result is None:
        raise ScriptError(f"the client on {clients[number].host} ended by itself")
    return number, result
