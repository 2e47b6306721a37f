"""Signed reports: one line "malob-report 1 ID SIGNATURE", then the report as a JSON object.

The signature is the HMAC-SHA-256 of the JSON's bytes under the agent's key, in hexadecimal. The JSON has
"agent", "boot", "sequence", "time_ms", "uptime_ms", and what is reported under "server" or "links".
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Mapping
from typing import Any, Callable

#: The controller's limit.
MAX_BYTES = 1400


class Stamps:
    """Numbers the reports of one run of an agent, so that the controller can distinguish old ones from new ones.

    A run is identified by a random boot id; within it the sequence counts up from 1. time_ms is the wall clock;
    uptime_ms a monotonic clock.
    """

    def __init__(
        self,
        wall_clock: Callable[[], float] = time.time,
        steady_clock: Callable[[], float] = lambda: time.clock_gettime(time.CLOCK_BOOTTIME),
    ) -> None:
        self._wall_clock = wall_clock
        self._steady_clock = steady_clock
        self._boot = secrets.token_hex(8)
        self._sequence = 0

    def next(self) -> dict[str, Any]:
        self._sequence += 1
        return {
            "boot": self._boot,
            "sequence": self._sequence,
            "time_ms": int(self._wall_clock() * 1000),
            "uptime_ms": int(self._steady_clock() * 1000),
        }


def build(agent: str, key: bytes, stamp: Mapping[str, Any], content: Mapping[str, Any]) -> bytes:
    """The signed report. content: {"server": ...} or {"links": ...}; other values than numbers raise ValueError."""
    body = json.dumps({"agent": agent, **stamp, **content}, separators=(",", ":"), allow_nan=False).encode()
    signature = hmac.new(key, body, hashlib.sha256).hexdigest()
    return f"malob-report 1 {agent} {signature}\n".encode() + body
