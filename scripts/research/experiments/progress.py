"""The progress of an experiment on a terminal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Callable, TextIO

from malob.system.progress import Ticker, bar, in_words
from research.experiments.estimate import Estimate
from research.experiments.plan import Slice


class Progress:
    """Called when each slice begins and ends, inside a with statement; may be entered again for further slices."""

    def __init__(
        self,
        slices: Sequence[Slice],
        estimate: Estimate,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._slices = slices
        self._estimate = estimate
        self._clock = clock
        self._ticker = Ticker(self._words, stream)
        self._done = 0
        self._began = 0.0
        self._current: Slice | None = None

    def begin(self, current: Slice) -> None:
        """Called when a slice begins."""
        self._began = self._clock()
        self._current = current
        self._ticker.show()

    def end(self, current: Slice) -> None:
        """Called when it has ended."""
        self._estimate.add(current.case, self._clock() - self._began)
        self._done += 1
        self._current = None

    def _words(self) -> str:
        current = self._current
        if current is None:
            return ""
        rest = [each.case for each in self._slices[self._done + 1 :]]
        this_s = max(0.0, self._estimate.left_s([current.case]) - (self._clock() - self._began))
        left = in_words(this_s + self._estimate.left_s(rest))
        whole = len(self._slices)
        return bar(self._done, whole, f"{self._done} of {whole}, about {left} left; round {current.round}: {current.case}")

    def __enter__(self) -> Progress:
        self._ticker.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ticker.__exit__(kind, error, trace)
