"""Measures between two hosts: round-trip times with ping, throughput with a TCP connection."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Callable

from malob.errors import ScriptError
from malob.system.processes import run

#: Converts a command to run on a host.
Inside = Callable[[Sequence[str]], "list[str]"]

STREAM = Path(__file__).parent / "stream.py"
PORT = 5201


def round_trips_ms(source: Inside, address: str, count: int, interval_s: float = 0.05, size: int = 56) -> list[float]:
    """The time of each answered ping, the shortest first. size: of the payload; the packet has 28 bytes more."""
    words = run(
        source(["ping", "-n", "-c", str(count), "-i", f"{interval_s:g}", "-W", "2", "-s", str(size), address]),
        timeout_s=10 + count * (interval_s + 1),
        check=False,
    )
    return sorted(float(found) for found in re.findall(r"time=([\d.]+) ms", words))


def throughput_mbps(source: Inside, target: Inside, address: str, seconds: float, warm_up_s: float = 1, port: int = PORT) -> float:
    """The throughput of one TCP connection from source to target, without headers, after warm_up_s.

    It is measured for seconds. address: of the target. Raises ScriptError.
    """
    receiver = subprocess.Popen(
        target([sys.executable, "-I", str(STREAM), "receive", address, str(port), f"{warm_up_s:g}"]),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert receiver.stdout is not None
        if receiver.stdout.readline().strip() != "listens":
            raise ScriptError(f"cannot receive at {address}")
        run(source([sys.executable, "-I", str(STREAM), "send", address, str(port), f"{warm_up_s + seconds:g}"]), timeout_s=60 + warm_up_s + seconds)
        return float(receiver.communicate(timeout=60)[0])
    except (ValueError, subprocess.TimeoutExpired):
        raise ScriptError(f"the receiver at {address} got nothing to measure") from None
    finally:
        receiver.kill()
        receiver.communicate()
