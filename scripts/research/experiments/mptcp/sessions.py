"""Runs all sessions of a traffic pattern at the same time, and counts received bytes."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import processes
from lab.instance import Instance
from lab.program import Program

PROGRAM = Path(__file__).parents[1] / "programs" / "traffic.py"

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
    running: list[Program] = []
    try:
        for host, orders in _orders(lab, pairs, protocol).items():
            command = processes.script(lab, host, PROGRAM)
            running.append(Program(command, f"the sessions of {host} ended by themselves, or did not end at all"))
            running[-1].say(orders)
        watchdog = threading.Timer(_START_TIMEOUT_S + timing.warm_up_s + timing.seconds + _END_TIMEOUT_S, _stop, [running])
        watchdog.start()
        try:
            for program in running:
                program.line()
            begin = time.monotonic() + _LEAD_S
            count_from = begin + timing.warm_up_s
            for program in running:
                program.say({"begin": begin, "count_from": count_from, "count_to": count_from + timing.seconds})
            results = [program.answer() for program in running]
        finally:
            watchdog.cancel()
    finally:
        for program in running:
            program.kill()
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


def _stop(running: Sequence[Program]) -> None:
    for program in running:
        program.stop()


def _outcome(name: str, pair: tuple[str, str], began_s: float, results: Sequence[dict[str, Any]]) -> Outcome:
    """A session has two ends, on two hosts; either may report an error."""
    error = next((result["errors"][name] for result in results if name in result["errors"]), "")
    size = next((result["received"][name] for result in results if name in result["received"]), 0)
    subflows = next((result["subflows"][name] for result in results if name in result["subflows"]), 0)
    return Outcome(*pair, began_s, size, subflows, error)
