"""The progress of an experiment on a terminal, and its remaining time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Callable, TextIO

from malob.system.progress import Ticker, bar, in_words
from research.experiments.frame.samples import Slice


class Estimate:
    """Estimates the duration of a case from its earlier slices; before the first one, from a guess scaled by the pace so far."""

    def __init__(self, guesses_s: Mapping[str, float]) -> None:
        """guesses_s: by case, the expected duration of a slice; more than 0."""
        self._guesses_s = dict(guesses_s)
        self._taken_s: dict[str, list[float]] = {}

    def add(self, case: str, seconds: float) -> None:
        """Records the duration of a slice."""
        self._taken_s.setdefault(case, []).append(seconds)

    def left_s(self, cases: Sequence[str]) -> float:
        """The time for one slice of each of these cases, which may occur more than once."""
        return sum(self._expected_s(case) for case in cases)

    def _expected_s(self, case: str) -> float:
        taken = self._taken_s.get(case)
        return sum(taken) / len(taken) if taken else self._guesses_s[case] * self._pace()

    def _pace(self) -> float:
        guessed = sum(self._guesses_s[case] * len(taken) for case, taken in self._taken_s.items())
        return sum(map(sum, self._taken_s.values())) / guessed if guessed else 1.0


class Progress:
    """Called when each slice begins and ends, inside a with statement; may be entered again for further slices."""

    def __init__(
        self,
        slices: Sequence[Slice],
        guesses_s: Mapping[str, float],
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """guesses_s: as Estimate takes them."""
        self._slices = slices
        self._estimate = Estimate(guesses_s)
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
