"""The order in which the cases of an experiment are measured. No I/O."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Slice:
    """One measurement of a case. number and round count from 1."""

    number: int
    round: int
    case: str


def interleaved(cases: Sequence[str], rounds: int, seed: int) -> list[Slice]:
    """Each case once per round, in a random order for each round.

    Temporary disturbances of the machine then affect all cases alike, and no case always follows the same other one.
    """
    slices: list[Slice] = []
    for number in range(1, rounds + 1):
        order = list(cases)
        random.Random(f"{seed}/{number}").shuffle(order)
        slices += [Slice(len(slices) + place, number, case) for place, case in enumerate(order, start=1)]
    return slices
