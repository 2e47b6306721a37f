"""Connections that visiting.py makes on a host, and their times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from malob.errors import ScriptError

VISITING = Path(__file__).parent / "visiting.py"


@dataclass(frozen=True)
class Visits:
    """Microseconds of successful connections."""

    connect_us: Sequence[int]
    total_us: Sequence[int]
    failed: int


def parse(words: str) -> Visits:
    """Parses the output of visiting.py."""
    lines = [line.split() for line in words.splitlines()]
    times = [(int(line[0]), int(line[1])) for line in lines if line[0] != "failed"]
    return Visits([connect for connect, _ in times], [total for _, total in times], len(lines) - len(times))


def connect_us(words: str) -> list[int]:
    """The microseconds of each connect(). Raises ScriptError if one failed."""
    visits = parse(words)
    if visits.failed:
        raise ScriptError(f"{visits.failed} of {visits.failed + len(visits.connect_us)} connections failed")
    return list(visits.connect_us)
