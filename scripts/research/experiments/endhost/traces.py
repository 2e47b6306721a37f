"""Users' own traces for `lab run endhost-dynamic --trace`. No I/O except on files.

A file named *.csv has the columns `seconds` and the Mbit/s of one or more uplinks, named in its first line. Each row applies
from its time on; the first is at 0. The last row applies as long as the one before it. Lines that begin with # are comments.

Any other file is a trace of Mahimahi, for one uplink: each line is a millisecond at which one packet of 1500 bytes can be
sent, and the trace restarts after the last.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.shaping.trace import MAX_STEPS, Step, Trace, finite
from malob.errors import UsageError
from research.experiments.endhost.paths import DELAY_MS, Paths, path_step

#: The name of users' traces among the others.
NAME = "file"

_MIN_UPLINKS, _MAX_UPLINKS = 2, 8
_MIN_SECONDS = 60.0

#: The smallest distance between rows, and the limits of rates other than 0; the emulator's numbers are integers.
_MIN_STEP_S = 0.001
_MIN_MBPS, _MAX_MBPS = 0.001, 100_000.0
_MAX_S = 1_000_000.0

#: Mahimahi's packets are counted in bins of this length, whose mean rate is played.
_BIN_MS = 100
_PACKET_BITS = 1500 * 8


@dataclass(frozen=True)
class TraceFile:
    """A file, and the uplinks whose rates it contains."""

    name: str
    format: str
    sha256: str
    traces: tuple[Trace, ...]


@dataclass(frozen=True)
class OwnTraces:
    """The files of --trace, in their order: the first trace is that of eth0."""

    files: tuple[TraceFile, ...]

    def paths(self) -> Paths:
        """All of them for the time of the longest, but at least a minute. Raises UsageError."""
        traces = tuple(trace for file in self.files for trace in file.traces)
        if not _MIN_UPLINKS <= len(traces) <= _MAX_UPLINKS:
            raise UsageError(f"--trace: expected {_MIN_UPLINKS} to {_MAX_UPLINKS} uplinks in all files together, not {len(traces)}")
        return Paths(NAME, traces, max(_MIN_SECONDS, *(trace.period_s for trace in traces)))

    def to_json(self) -> list[dict[str, Any]]:
        """For summary.json."""
        names = (f"eth{uplink}" for uplink in itertools.count())
        return [
            {
                "file": file.name,
                "format": file.format,
                "sha256": file.sha256,
                "uplinks": {next(names): trace.name for trace in file.traces},
            }
            for file in self.files
        ]

    def lines(self) -> list[str]:
        """For people."""
        return [f"trace of {', '.join(each['uplinks'])}: {each['file']} ({each['format']}, SHA-256 {each['sha256']})" for each in self.to_json()]


def load(files: Sequence[Path]) -> OwnTraces:
    """Reads the files. Raises UsageError, naming file, line and column."""
    return OwnTraces(tuple(_load(file) for file in files))


def _load(path: Path) -> TraceFile:
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"--trace: cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--trace: {path} is not a text file") from None
    is_csv = path.suffix.lower() == ".csv"
    traces = parse_csv(str(path), text) if is_csv else (parse_mahimahi(str(path), text),)
    return TraceFile(path.name, "csv" if is_csv else "mahimahi", hashlib.sha256(content).hexdigest(), traces)


def parse_csv(name: str, text: str) -> tuple[Trace, ...]:
    """A trace for each column after the first. Raises UsageError."""
    columns: list[str] = []
    rows: list[list[float]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        at = f"{name}, line {number}"
        if not line.strip() or line.startswith("#"):
            continue
        words = [word.strip() for word in line.split(",")]
        if columns:
            rows.append(_row(at, columns, words, rows))
        else:
            columns = _columns(at, words)
    if not rows:
        raise UsageError(f"{name}: has no rows")
    _check_steps(name, len(rows))
    return tuple(Trace(column, "", tuple(path_step(row[0], row[number]) for row in rows)) for number, column in enumerate(columns) if number)


def _columns(at: str, words: list[str]) -> list[str]:
    if words[0] != "seconds":
        raise UsageError(f"{at}, column 1: expected 'seconds', not '{words[0]}'; the first line has the names of the columns")
    if len(words) < 2:
        raise UsageError(f"{at}: expected a column for each uplink after 'seconds'")
    for number, word in enumerate(words, start=1):
        if not word or word in words[: number - 1]:
            raise UsageError(f"{at}, column {number}: " + ("there is a column '" + word + "' already" if word else "has no name"))
    return words


def _row(at: str, columns: list[str], words: list[str], before: list[list[float]]) -> list[float]:
    if len(words) != len(columns):
        raise UsageError(f"{at}: expected {len(columns)} columns, not {len(words)}")
    row = [finite(f"{at}, column '{column}'", word) for column, word in zip(columns, words)]
    if not before and row[0] != 0:
        raise UsageError(f"{at}, column 'seconds': the first row must be at 0")
    if before and row[0] < before[-1][0] + _MIN_STEP_S:
        raise UsageError(f"{at}, column 'seconds': must be at least {_MIN_STEP_S:g} more than in the row before")
    if row[0] > _MAX_S:
        raise UsageError(f"{at}, column 'seconds': must be at most {_MAX_S:,.0f}")
    for column, mbps in zip(columns[1:], row[1:]):
        if mbps and not _MIN_MBPS <= mbps <= _MAX_MBPS:
            raise UsageError(f"{at}, column '{column}': expected Mbit/s, 0 or from {_MIN_MBPS:g} to {_MAX_MBPS:,.0f}, not {mbps:g}")
    return row


def parse_mahimahi(name: str, text: str) -> Trace:
    """The mean rates of all bins. In a bin without packets, packets wait, as in Mahimahi. Raises UsageError."""
    packets: Counter[int] = Counter()
    last_ms = 0
    for number, line in enumerate(text.splitlines(), start=1):
        word = line.strip()
        if not (word.isascii() and word.isdigit() and len(word) < 10):
            raise UsageError(f"{name}, line {number}, column 1: expected a whole number of milliseconds, not '{word}'")
        if int(word) < last_ms:
            raise UsageError(f"{name}, line {number}, column 1: {word} ms is before the line above ({last_ms} ms)")
        last_ms = int(word)
        packets[max(0, last_ms - 1) // _BIN_MS] += 1
    if last_ms == 0:
        raise UsageError(f"{name}: the last line must be more than 0 ms")
    bins = -(-last_ms // _BIN_MS)
    _check_steps(name, bins)
    steps = [
        _bin(number * _BIN_MS, packets[number] * _PACKET_BITS / (min(last_ms, (number + 1) * _BIN_MS) - number * _BIN_MS)) for number in range(bins)
    ]
    return Trace(Path(name).name, "", tuple(steps), None if bins == 1 else last_ms / 1000)


def _bin(begin_ms: int, bits_per_ms: float) -> Step:
    return Step(begin_ms / 1000, max(bits_per_ms / 1000, _MIN_MBPS), DELAY_MS, 0.0)


def _check_steps(name: str, count: int) -> None:
    if count > MAX_STEPS:
        raise UsageError(f"{name}: has more than {MAX_STEPS:,} rates")
