"""Traces: links whose rate changes over time, from text files. No I/O except on files.

A trace is a CSV file with the columns seconds,rate_mbps and optionally delay_ms and loss, named in its first line. Each row
applies from its time on; the first is at 0. Lines that begin with # are comments. The last row applies as long as the one
before it, then the trace restarts; a trace of one row is constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

from malob.errors import UsageError
from malob.network.links import check_limit

DIRECTORY = Path(__file__).parent.parent / "traces"

_COLUMNS = ("seconds", "rate_mbps", "delay_ms", "loss")
MAX_STEPS = 100_000


@dataclass(frozen=True)
class Step:
    """The values from a time on. delay_ms, loss: None leaves them unchanged."""

    seconds: float
    rate_mbps: float
    delay_ms: float | None = None
    loss: float | None = None


@dataclass(frozen=True)
class Trace:
    """Steps in the order of their times, and the comments at the head of the file, which explain them.

    lasts_s: the time until it restarts; None: the last step applies as long as the one before it.
    """

    name: str
    description: str
    steps: tuple[Step, ...]
    lasts_s: float | None = None

    @property
    def period_s(self) -> float:
        """The time until it restarts."""
        if self.lasts_s is not None:
            return self.lasts_s
        if len(self.steps) == 1:
            return 1.0
        return 2 * self.steps[-1].seconds - self.steps[-2].seconds

    def scaled(self, factor: float) -> Trace:
        """The same with its rates multiplied."""
        return replace(self, steps=tuple(replace(step, rate_mbps=step.rate_mbps * factor) for step in self.steps))

    def plan(self) -> str:
        """The same for the emulator: the period, then steps, in nanoseconds, bit/s and millionths; -1 for None."""
        lines = [str(_scaled(self.period_s, 1e9))]
        for step in self.steps:
            values = (_scaled(step.seconds, 1e9), _scaled(step.rate_mbps, 1e6), _scaled(step.delay_ms, 1e6), _scaled(step.loss, 1e6))
            lines.append(" ".join(map(str, values)))
        return "\n".join(lines) + "\n"


def _scaled(value: float | None, factor: float) -> int:
    return -1 if value is None else round(value * factor)


def known_names() -> list[str]:
    """The traces that come with MALOB."""
    return sorted(path.stem for path in DIRECTORY.glob("*.csv"))


def load(name_or_file: str) -> Trace:
    """Reads a trace that comes with MALOB, by name, or any file, by its path.

    Raises UsageError, naming line and field.
    """
    if name_or_file in known_names():
        path = DIRECTORY / f"{name_or_file}.csv"
    elif "/" in name_or_file or name_or_file.endswith(".csv"):
        path = Path(name_or_file)
    else:
        raise UsageError(f"no trace '{name_or_file}'; there are: {', '.join(known_names())} (or give a file)")
    try:
        return parse(path.stem, path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not a text file") from None


def parse(name: str, text: str) -> Trace:
    """Checks a trace and builds it. Raises UsageError with the wrong line and field."""
    columns: list[str] | None = None
    comments: list[str] = []
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), start=1):
        at = f"trace '{name}', line {number}"
        if line.startswith("#"):
            if columns is None:
                comments.append(line[1:].strip())
        elif columns is None:
            columns = _columns(at, line)
        elif line.strip():
            steps.append(_step(at, columns, line, steps))
    if not steps:
        raise UsageError(f"trace '{name}' has no rows")
    if len(steps) > MAX_STEPS:
        raise UsageError(f"trace '{name}' has more than {MAX_STEPS} rows")
    return Trace(name, " ".join(comments), tuple(steps))


def _columns(at: str, line: str) -> list[str]:
    columns = [word.strip() for word in line.split(",")]
    if len(columns) < 2 or tuple(columns) != _COLUMNS[: len(columns)]:
        raise UsageError(f"{at}: expected the columns seconds,rate_mbps[,delay_ms[,loss]], not '{line}'")
    return columns


def _step(at: str, columns: list[str], line: str, before: list[Step]) -> Step:
    words = line.split(",")
    if len(words) != len(columns):
        raise UsageError(f"{at}: expected {len(columns)} values, not {len(words)}")
    values = {column: finite(f"{at}: {column}", word) for column, word in zip(columns, words)}
    seconds = values["seconds"]
    if not before and seconds != 0:
        raise UsageError(f"{at}: seconds: the first row must be at 0")
    if before and not before[-1].seconds < seconds:
        raise UsageError(f"{at}: seconds: must be more than those of the row before")
    for column in columns[1:]:
        check_limit(f"{at}: {column}", column, values[column])
    return Step(**values)


def finite(at: str, word: str) -> float:
    """A finite number. at: where it stands, for the error. Raises UsageError."""
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{at}: expected a number, not '{word.strip()}'")
    return value
