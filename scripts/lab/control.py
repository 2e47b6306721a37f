"""The control channels of a lab: their delays, and the relay that delays them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from malob.cli.arguments import endpoint
from malob.errors import ScriptError, UsageError
from malob.network import paths
from malob.network.links import check_limit
from malob.network.topology import Topology

#: the program that delays control channels
RELAY = Path(__file__).parent / "relay.py"


def parse_delays(words: Iterable[str], network: Topology) -> dict[str, float]:
    """The one-way delay of each switch's control channel, in ms, from "MS" for all and "SWITCH=MS" for one.

    The delay of a single switch overrides that of all; the result has no switches without a delay.
    Raises UsageError.
    """
    everywhere: float | None = None
    single: dict[str, float] = {}
    for word in words:
        switch, equals, text = word.rpartition("=")
        if equals and switch not in network.switches:
            raise UsageError(f"--control-delay {word}: topology '{network.name}' has no switch '{switch}'")
        if switch in single or (not equals and everywhere is not None):
            raise UsageError(f"--control-delay {word}: given twice")
        delay_ms = _milliseconds(word, text)
        if equals:
            single[switch] = delay_ms
        else:
            everywhere = delay_ms
    delays = {switch: single.get(switch, everywhere or 0) for switch in network.switches}
    return {switch: delay_ms for switch, delay_ms in delays.items() if delay_ms > 0}


def _milliseconds(word: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise UsageError(f"--control-delay {word}: expected milliseconds, not '{text}'") from None
    check_limit(f"--control-delay {word}", "delay_ms", number)
    return number


def delays_from(site: str, network: Topology) -> dict[str, float]:
    """The one-way delays of the control channels if the controller is at the site of a switch: those of the fastest paths from there.

    Without switches that have no delay. Raises UsageError.
    """
    if site not in network.switches:
        raise UsageError(f"--controller-at: topology '{network.name}' has no switch '{site}', but {', '.join(network.switches)}")
    return {switch: step.delay_ms for switch, step in paths.towards(network, site).items() if step.delay_ms > 0}


class Relay:
    """The process that delays control channels. It begins with go(), and ends if its parent ends before that."""

    def __init__(self, controller: str, delays_ms: Mapping[str, float], log: Path) -> None:
        """Starts it. controller: HOST:PORT. delays_ms: one way, by switch. Raises ScriptError if it does not start."""
        host, port = endpoint(controller)
        distinct = sorted(set(delays_ms.values()))
        with open(log, "ab") as err:
            self._process = subprocess.Popen(
                [sys.executable, "-I", str(RELAY), host, str(port), *map(str, distinct)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=err,
                text=True,
                start_new_session=True,
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        with self._process.stdout as answer:
            line = answer.readline()
        if not line:
            raise ScriptError(f"the relay of the control channels did not start; see {log}")
        ports = dict(zip(distinct, json.loads(line)))
        #: the address that each switch connects to, as HOST:PORT
        self.endpoints = {switch: f"127.0.0.1:{ports[delay_ms]}" for switch, delay_ms in delays_ms.items()}

    @property
    def pid(self) -> int:
        return self._process.pid

    def go(self) -> None:
        """Starts its work; it continues after this process ends."""
        assert self._process.stdin is not None
        with self._process.stdin as orders:
            orders.write("go\n")

    def abandon(self) -> None:
        """Ends it before it has begun."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self.wait()

    def wait(self) -> None:
        """Returns when it has ended."""
        self._process.wait()
