"""What stderr shows of a running experiment: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Callable, Sequence, TextIO

from lab.experiments.estimate import Estimate, in_words
from lab.experiments.plan import Slice

_WIDTH = 24

#: Where there is no terminal, one line in so many seconds is enough.
_PAUSE_S = 15.0


class Progress:
    """Told of each slice when it begins and ends."""

    def __init__(
        self, slices: Sequence[Slice], estimate: Estimate, stream: "TextIO | None" = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._slices = slices
        self._estimate = estimate
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._done = 0
        self._began = 0.0
        self._said: "float | None" = None

    def begin(self, current: Slice) -> None:
        """A slice begins."""
        self._began = self._clock()
        self._show(f"round {current.round}: {current.case}")

    def end(self, current: Slice) -> None:
        """It has ended."""
        self._estimate.add(current.case, self._clock() - self._began)
        self._done += 1
        if self._done == len(self._slices):
            self.clear()

    def clear(self) -> None:
        """Leaves an empty line on a terminal, for what is said next."""
        if self._stream.isatty():
            print("\r\033[K", end="", file=self._stream, flush=True)

    def _show(self, words: str) -> None:
        left = self._estimate.left_s([each.case for each in self._slices[self._done:]])
        status = f"{self._done} of {len(self._slices)}, about {in_words(left)} left; {words}"
        if self._stream.isatty():
            filled = _WIDTH * self._done // len(self._slices)
            bar = "#" * filled + "." * (_WIDTH - filled)
            print(f"\r\033[K[{bar}] {status}", end="", file=self._stream, flush=True)
        elif self._said is None or self._began - self._said >= _PAUSE_S:
            self._said = self._began
            print(status, file=self._stream, flush=True)
