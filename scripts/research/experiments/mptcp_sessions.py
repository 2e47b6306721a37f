"""Runs all sessions of a traffic pattern at the same time, and counts received bytes."""

from __future__ import annotations

import json
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

PROGRAM = Path(__file__).parent / "programs" / "traffic.py"

TCP, MPTCP = 6, 262

_FIRST_PORT = 5301
_START_TIMEOUT_S = 60

#: The time between the start command and the opening of connections, so that all hosts have received it.
_LEAD_S = 0.3
_END_TIMEOUT_S = 20


@dataclass(frozen=True)
class Timing:
    """Sessions last for the sum of both; bytes received in the first do not count."""

    warm_up_s: float
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """The result of a session. size: bytes received in the counted period. subflows: halfway; 0 if unknown."""

    client: str
    server: str
    began_s: float
    size: int
    subflows: int
    error: str


def run(lab: Instance, pairs: Sequence[tuple[str, str]], protocol: int, timing: Timing) -> list[Outcome]:
    """One session from each client to its server, in the order of the pairs. Raises ScriptError if a program fails."""
    orders = _orders(lab, pairs, protocol)
    running: dict[str, subprocess.Popen[str]] = {}
    try:
        for host, order in orders.items():
            running[host] = _start(lab, host, order)
        watchdog = threading.Timer(_START_TIMEOUT_S + timing.warm_up_s + timing.seconds + _END_TIMEOUT_S, _kill, [running])
        watchdog.start()
        try:
            for host, process in running.items():
                _line(host, process)
            count_from = _go(running, timing)
            results = [json.loads(_line(host, process)) for host, process in running.items()]
        finally:
            watchdog.cancel()
    finally:
        _kill(running)
        for process in running.values():
            process.wait()
    return [_outcome(str(number), pair, count_from, results) for number, pair in enumerate(pairs)]


def _orders(lab: Instance, pairs: Sequence[tuple[str, str]], protocol: int) -> dict[str, dict[str, Any]]:
    """The orders for each host's program. A session's id is the index of its pair."""
    hosts = lab.topology.hosts
    orders: dict[str, dict[str, Any]] = {host: {"protocol": protocol, "receive": [], "send": []} for pair in pairs for host in pair}
    for number, (client, server) in enumerate(pairs):
        port = _FIRST_PORT + number
        orders[server]["receive"].append({"id": str(number), "port": port})
        orders[client]["send"].append({"id": str(number), "from": hosts[client].ip, "to": hosts[server].ip, "port": port})
    return orders


def _start(lab: Instance, host: str, order: dict[str, Any]) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        bound_to_us(processes.script(lab, host, PROGRAM)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    _tell(process, order)
    return process


def _go(running: dict[str, subprocess.Popen[str]], timing: Timing) -> float:
    """The time when received bytes begin to count."""
    begin = time.monotonic() + _LEAD_S
    count_from = begin + timing.warm_up_s
    for process in running.values():
        _tell(process, {"begin": begin, "count_from": count_from, "count_to": count_from + timing.seconds})
    return count_from


def _tell(process: subprocess.Popen[str], words: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(words) + "\n")
    process.stdin.flush()


def _line(host: str, process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise ScriptError(f"the sessions of {host} ended by themselves, or did not end at all")
    return line


def _kill(running: dict[str, subprocess.Popen[str]]) -> None:
    for process in running.values():
        process.kill()


def _outcome(name: str, pair: tuple[str, str], began_s: float, results: Sequence[dict[str, Any]]) -> Outcome:
    """A session has two ends, on two hosts; either may report an error."""
    error = next((result["errors"][name] for result in results if name in result["errors"]), "")
    size = next((result["received"][name] for result in results if name in result["received"]), 0)
    subflows = next((result["subflows"][name] for result in results if name in result["subflows"]), 0)
    return Outcome(*pair, began_s, size, subflows, error)
