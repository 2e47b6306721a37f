"""TCP throughput by iperf3: the probe, its bounds, and the server that neighbours probe against."""

from __future__ import annotations

import json
import math
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Callable

from reporting.configuration import AgentError

PROGRAM = "iperf3"

#: The first part of a probe does not count: TCP is still finding its speed.
WARM_UP_S = 1
_PATIENCE_S = 10.0
_BUSY_TRIES = 5
_BUSY_WAIT_S = 2.0
_HOUR_S = 3600.0

#: Runs a command until it ends, a time-out or the event; returns its output.
Runner = Callable[[Sequence[str], float, threading.Event], str]


class BusyError(AgentError):
    """The neighbour's iperf3 is serving another client; it serves one at a time."""


@dataclass(frozen=True)
class Bounds:
    """A probe lasts seconds after its warm-up and sends max max_mbps; all probes of an hour send max hour_megabytes."""

    seconds: int
    max_mbps: float
    hour_megabytes: float

    @property
    def probe_bytes(self) -> float:
        """The max number of bytes of one probe."""
        return self.max_mbps * 1e6 / 8 * (self.seconds + WARM_UP_S)


@dataclass(frozen=True)
class Result:
    mbps: float
    sent_bytes: float


def parse(text: str, seconds: int) -> Result:
    """What `iperf3 -J` has printed. Raises AgentError if it is not the result of a whole probe with some throughput."""
    try:
        document = json.loads(text)
    except ValueError:
        raise AgentError("iperf3 printed no JSON") from None
    if not isinstance(document, dict):
        raise AgentError("iperf3 printed no JSON object")
    error = document.get("error")
    if error is not None:
        raise (BusyError if "busy" in str(error) else AgentError)(f"iperf3: {error}")
    received = _field(document, "sum_received", "bits_per_second")
    sent = _field(document, "sum_sent", "bytes")
    if received <= 0:
        raise AgentError("iperf3: the receiver got no data")
    return Result(received / 1e6, sent * (seconds + WARM_UP_S) / seconds)


def _field(document: Any, part: str, name: str) -> float:
    value = document
    for key in ("end", part, name):
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise AgentError(f"iperf3: end.{part}.{name} is {value!r}")
    return float(value)


class Budget:
    """Limits the bytes that all probes of any hour send."""

    def __init__(self, max_bytes: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._max_bytes = max_bytes
        self._clock = clock
        self._spent: deque[tuple[float, float]] = deque()

    def allows(self, amount: float) -> bool:
        now = self._clock()
        while self._spent and now - self._spent[0][0] >= _HOUR_S:
            self._spent.popleft()
        return sum(spent for _, spent in self._spent) + amount <= self._max_bytes

    def spend(self, amount: float) -> None:
        self._spent.append((self._clock(), amount))


def run_program(command: Sequence[str], patience_s: float, stop: threading.Event) -> str:
    """A Runner that runs a real program. Raises AgentError if it is missing, is stopped or takes too long."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError as error:
        raise AgentError(f"{command[0]} cannot be started: {error.strerror}") from None
    deadline = time.monotonic() + patience_s
    try:
        while True:
            try:
                return process.communicate(timeout=0.2)[0]
            except subprocess.TimeoutExpired:
                if stop.is_set():
                    raise AgentError("stopped") from None
                if time.monotonic() > deadline:
                    raise AgentError(f"{command[0]} did not end within {patience_s:g} s") from None
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


class ThroughputProbe:
    """Measures one direction of one link at a time."""

    def __init__(self, address: str, port: int, bounds: Bounds, runner: Runner = run_program, budget: Budget | None = None) -> None:
        self._address = address
        self._port = port
        self._bounds = bounds
        self._run = runner
        self._budget = budget or Budget(bounds.hour_megabytes * 1e6)

    def mbps(self, neighbour: str, reverse: bool, stop: threading.Event) -> float:
        """From here to the neighbour, or reverse. Raises AgentError if it could not be measured."""
        for left in reversed(range(_BUSY_TRIES)):
            try:
                return self._once(neighbour, reverse, stop)
            except BusyError:
                if not left or stop.wait(_BUSY_WAIT_S):
                    raise
        raise AssertionError("not reached")

    def _once(self, neighbour: str, reverse: bool, stop: threading.Event) -> float:
        bounds = self._bounds
        if not self._budget.allows(bounds.probe_bytes):
            raise AgentError("not measured: this hour's data volume is used up (hour_megabytes)")
        command = [
            PROGRAM,
            "-J",
            "-c",
            neighbour,
            "-B",
            self._address,
            "-p",
            str(self._port),
            "-t",
            str(bounds.seconds),
            "-O",
            str(WARM_UP_S),
            "-b",
            f"{bounds.max_mbps * 1e6:.0f}",
            *(["-R"] if reverse else []),
        ]
        spent = bounds.probe_bytes  # unless iperf3 reports it
        try:
            result = parse(self._run(command, bounds.seconds + WARM_UP_S + _PATIENCE_S, stop), bounds.seconds)
            spent = result.sent_bytes
            return result.mbps
        except BusyError:
            spent = 0
            raise
        finally:
            self._budget.spend(spent)


class Server:
    """`iperf3 -s` at an address, started again whenever it ends, until close()."""

    def __init__(self, address: str, port: int, say: Callable[[str], None], again_s: float = 2.0) -> None:
        self._command = [PROGRAM, "-s", "-B", address, "-p", str(port)]
        self._say = say
        self._again_s = again_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep_running, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stops it, and returns when it has ended."""
        self._stop.set()
        self._thread.join()

    def _keep_running(self) -> None:
        told = ""
        while not self._stop.is_set():
            trouble = self._serve()
            if trouble != told and not self._stop.is_set():
                self._say(f"the iperf3 server ended and was restarted: {trouble}")
            told = trouble
            self._stop.wait(self._again_s)

    def _serve(self) -> str:
        try:
            process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            return f"{PROGRAM} cannot be started: {error.strerror}"
        while process.poll() is None:
            if self._stop.wait(0.2):
                process.terminate()
                try:
                    process.wait(2)
                except subprocess.TimeoutExpired:
                    process.kill()
                break
        words = (process.communicate()[1] or "").strip().splitlines()
        return words[-1] if words else f"exit code {process.returncode}"
