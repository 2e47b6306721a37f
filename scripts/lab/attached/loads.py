"""Load from clients of a lab, and captures; see load.py and capture.py."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.attached.places import Place
from lab.program import Program

_LOAD = Path(__file__).parent / "load.py"
_CAPTURE = Path(__file__).parent / "capture.py"
#: A new connection that takes longer has waited for a retransmission.
SLOW_S = 0.5
KINDS = ("download", "upload", "asks", "told")


@dataclass(frozen=True)
class Requests:
    """What has become of HTTP requests, each on a connection of its own."""

    each: Sequence[Mapping[str, Any]]

    @property
    def count(self) -> int:
        return len(self.each)

    @property
    def failed(self) -> int:
        return sum("error" in one for one in self.each)

    @property
    def slow(self) -> int:
        """Those with an answer that took longer than SLOW_S."""
        return sum("error" not in one and one["s"] > SLOW_S for one in self.each)

    @property
    def slowest_s(self) -> float:
        return max((one["s"] for one in self.each), default=0.0)

    @property
    def median_ms(self) -> float:
        return 1000 * statistics.median([one["s"] for one in self.each]) if self.each else 0.0

    @property
    def errors(self) -> Counter[str]:
        return Counter(str(one["error"]) for one in self.each if "error" in one)

    def __add__(self, more: Requests) -> Requests:
        return Requests([*self.each, *more.each])

    def __str__(self) -> str:
        return (
            f"{self.count} requests, {self.failed} failed, {self.slow} slower than {SLOW_S:g} s, median {self.median_ms:.1f} ms,"
            f" slowest {self.slowest_s:.2f} s{f', {dict(self.errors)}' if self.failed else ''}"
        )


@dataclass(frozen=True)
class Held:
    """An open connection. longest_s: the longest pause; error: None if it was open to the end; silent_s: the pause at the end."""

    kind: str
    longest_s: float
    silent_s: float
    events: int
    error: str | None = None

    def broken(self, patience_s: float = 3) -> bool:
        """Whether it has ended, or hangs."""
        return self.error is not None or self.silent_s > patience_s


def start_server(place: Place, port: int) -> None:
    """The server of all kinds of load; returns once it listens. It ends with the lab, and with this process."""
    Program(place.script(_LOAD, "serve", str(port)), f"the server at {place.name} has ended").line()


class EachOnce:
    """One request from each address, at a rate. sources: addresses, or FIRST+COUNT. size, upload: the bytes of an answer, and of a request."""

    def __init__(self, place: Place, address: str, port: int, rate: float, sources: Sequence[str], size: int = 2, upload: int = 0) -> None:
        words = ["each", address, str(port), "--rate", f"{rate:g}", "--size", str(size), "--upload", str(upload), "--from", *sources]
        self._program = Program(place.script(_LOAD, *words), f"the clients at {place.name} have ended")
        self._program.line()

    def result(self) -> Requests:
        """Waits for the last one."""
        found = Requests(self._program.answer()["requests"])
        self._program.end()
        return found


def each_once(place: Place, address: str, port: int, rate: float, sources: Sequence[str], size: int = 2, upload: int = 0) -> Requests:
    return EachOnce(place, address, port, rate, sources, size, upload).result()


class Load:
    """Open connections of these kinds, and rate new ones per second, until finish()."""

    def __init__(
        self, place: Place, address: str, port: int, sources: Sequence[str], kinds: Sequence[str] = KINDS, rate: float = 0, http: int = 0
    ) -> None:
        """port: of start_server(). http: where new ones go; the same port unless given. Returns once the open ones are."""
        words = ["hold", address, str(port), "--rate", f"{rate:g}", "--http", str(http), "--kinds", *kinds, "--from", *sources]
        self._program = Program(place.script(_LOAD, *words), f"the clients at {place.name} have ended")
        self._program.line()

    def finish(self) -> tuple[list[Held], Requests]:
        self._program.close_input()
        found = self._program.answer()
        self._program.end()
        held = [Held(each["kind"], each["longest_s"], each["silent_s"], each["events"], each.get("error")) for each in found["held"]]
        return held, Requests(found["requests"])

    def end(self) -> None:
        """If there is no finish()."""
        self._program.end()


class Capture:
    """Frames on a device, from now on."""

    def __init__(self, place: Place, device: str = "eth0") -> None:
        self._program = Program(place.script(_CAPTURE, device), f"the capture at {place.name} has ended")
        self._program.line()

    def end(self) -> list[dict[str, Any]]:
        """Kinds of frames with their counts; see capture.py."""
        self._program.close_input()
        found: list[dict[str, Any]] = self._program.answer()
        self._program.end()
        return found
