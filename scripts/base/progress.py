"""How far something is, and how long the rest will take: one line on a terminal, nothing anywhere else."""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import Callable, TextIO

_WIDTH = 24


class Line:
    """A line on stderr that is written over, if stderr is a terminal. Otherwise it is quiet."""

    def __init__(self, stream: "TextIO | None" = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shown = False

    def show(self, text: str) -> None:
        """In the place of what it showed before. A text that is too long for the terminal is cut."""
        if self._stream.isatty():
            self._shown = True
            columns = shutil.get_terminal_size().columns
            print(f"\r\033[K{text[:columns - 1]}", end="", file=self._stream, flush=True)

    def clear(self) -> None:
        """Leaves an empty line, for what is said next."""
        if self._shown:
            print("\r\033[K", end="", file=self._stream, flush=True)
            self._shown = False

    def __enter__(self) -> "Line":
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        self.clear()


class Bar:
    """Parts that take about as long as each other, as rounds of a benchmark do. To be used in a with statement."""

    def __init__(
        self, parts: int, stream: "TextIO | None" = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """parts: how many there will be, 1 or more."""
        self._parts = parts
        self._line = Line(stream)
        self._clock = clock
        self._done = 0
        self._start = clock()

    def begin(self, words: str) -> None:
        """A part begins."""
        left = ""
        if self._done:
            seconds = (self._clock() - self._start) / self._done * (self._parts - self._done)
            left = f", about {in_words(seconds)} left"
        self._line.show(bar(self._done, self._parts, f"{self._done} of {self._parts}{left}; {words}"))

    def end(self) -> None:
        """It has ended."""
        self._done += 1

    def __enter__(self) -> "Bar":
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        self._line.clear()


def bar(done: float, whole: float, words: str) -> str:
    """A bar with words behind it. done: from 0 to whole."""
    filled = int(_WIDTH * min(1.0, done / whole))
    return f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {words}"


def in_words(seconds: float) -> str:
    """As people say it: 45 s, 3 min 20 s, 1 h 05 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
