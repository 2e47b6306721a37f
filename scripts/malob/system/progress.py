"""How far something is, and how long the rest will take: one line on a terminal, nothing anywhere else."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from typing import Callable, TextIO

_WIDTH = 24

_TICK_S = 1.0


class Line:
    """A line on stderr that is written over, if stderr is a terminal. Otherwise it is quiet. To be used in a with statement."""

    #: where lines show something at the moment, each as often as there are
    _showing: list[TextIO] = []

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shown = False

    @classmethod
    def in_the_way(cls, stream: TextIO) -> bool:
        """Whether the last line of that terminal is one of these, and not empty."""
        return any(each is stream for each in cls._showing)

    @property
    def live(self) -> bool:
        """Whether anybody sees it."""
        return self._stream.isatty()

    def show(self, text: str) -> None:
        """In the place of what it showed before. A text that is too long for the terminal is cut."""
        if self.live:
            if not self._shown:
                Line._showing.append(self._stream)
            self._shown = True
            columns = shutil.get_terminal_size().columns
            print(f"\r\033[K{text[: columns - 1]}", end="", file=self._stream, flush=True)

    def clear(self) -> None:
        """Leaves an empty line, for what is said next."""
        if self._shown:
            self._shown = False
            Line._showing.remove(self._stream)
            print("\r\033[K", end="", file=self._stream, flush=True)

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()


class Ticker:
    """Shows a text that changes by itself: anew every second, by a thread of its own, inside a with statement."""

    def __init__(self, text: Callable[[], str], stream: TextIO | None = None, tick_s: float = _TICK_S) -> None:
        """text: what to show now; empty for nothing. Called on both threads."""
        self._text = text
        self._tick_s = tick_s
        self._line = Line(stream)
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def show(self) -> None:
        """At once."""
        text = self._text()
        if text:
            self._line.show(text)

    def __enter__(self) -> Ticker:
        if self._line.live:
            self._ended.clear()
            self._thread = threading.Thread(target=self._tick, daemon=True)
            self._thread.start()
        return self

    def _tick(self) -> None:
        while not self._ended.wait(self._tick_s):
            self.show()

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._ended.set()
            self._thread.join()
            self._thread = None
        self._line.clear()


class Bar:
    """Parts that take about as long as each other, as rounds of a benchmark do. To be used in a with statement."""

    def __init__(self, parts: int, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """parts: how many there will be, 1 or more."""
        self._parts = parts
        self._clock = clock
        self._ticker = Ticker(self._words, stream)
        self._done = 0
        self._start = self._began = clock()
        self._taken_s = 0.0
        self._part = ""

    def begin(self, part: str) -> None:
        """A part begins, and the one before has ended."""
        if self._part:
            self._done += 1
        self._began = self._clock()
        self._taken_s = self._began - self._start
        self._part = part
        self._ticker.show()

    def _words(self) -> str:
        if not self._part:
            return ""
        left = ""
        if self._done:
            each_s = self._taken_s / self._done
            passed_s = min(each_s, self._clock() - self._began)
            left = f", about {in_words(each_s * (self._parts - self._done) - passed_s)} left"
        return bar(self._done, self._parts, f"{self._done} of {self._parts}{left}; {self._part}")

    def __enter__(self) -> Bar:
        self._ticker.__enter__()
        self._start = self._clock()
        return self

    def __exit__(self, *_: object) -> None:
        self._ticker.__exit__()


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
