"""Estimates the remaining time of an experiment. No I/O, no clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


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
