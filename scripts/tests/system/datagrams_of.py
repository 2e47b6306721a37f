"""Datagrams from clients of a lab; see datagrams.py."""

from __future__ import annotations

from pathlib import Path

from lab.attached.places import Place
from lab.program import Program

_DATAGRAMS = Path(__file__).parent / "datagrams.py"


def _start(place: Place, *words: str, **options: float) -> Program:
    more = [word for name, value in options.items() for word in (f"--{name}", f"{value:g}")]
    return Program(place.script(_DATAGRAMS, *words, *more), f"the datagrams at {place.name} have ended")


class Asks:
    """Flows that ask. options: those of datagrams.py."""

    def __init__(self, place: Place, address: str, port: int, **options: float) -> None:
        self._program = _start(place, "ask", address, str(port), **options)

    def result(self) -> list[dict[str, int]]:
        """By flow, the number of answers of each server; waits for the last one."""
        found: list[dict[str, int]] = self._program.answer()
        self._program.end()
        return found


def tell(place: Place, address: str, port: int, **options: float) -> list[int]:
    """Sends datagrams that are not answered. Returns the local port of each flow."""
    program = _start(place, "tell", address, str(port), **options)
    ports: list[int] = program.answer()
    program.end()
    return ports


class Hears:
    """A server that answers nothing."""

    def __init__(self, place: Place, port: int) -> None:
        self._program = _start(place, "hear", str(port))
        self._program.line()

    def result(self) -> dict[int, int]:
        """The number of datagrams by the sender's port."""
        self._program.close_input()
        found = {int(port): count for port, count in self._program.answer().items()}
        self._program.end()
        return found
