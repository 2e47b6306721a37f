"""The order in which the cases of an experiment are measured, and the clients' measurements. No I/O."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from research import distribution
from research.distribution import Distribution


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


@dataclass(frozen=True)
class Sample:
    """One request.

    kind: of the workload. began_s: by the machine's monotonic clock. server: its name, or empty. counted: whether it is part
    of the plan; a client that is faster than others continues until these have finished, to keep the load, but these samples
    do not count. error: the reason of a failure, or empty.
    """

    client: str
    kind: str
    number: int
    began_s: float
    seconds: float
    size: int
    server: str
    counted: bool
    error: str

    @property
    def good(self) -> bool:
        return self.counted and not self.error


@dataclass(frozen=True)
class SliceResult:
    """One slice: its place in the plan, the duration, the clients' samples, and the saturation on the machine.

    cpu, waiting: by program, shares of one core, as Saturation has them. late: share of packets.
    """

    number: int
    round: int
    case: str
    seconds: float
    samples: Sequence[Sample]
    cpu: dict[str, float]
    waiting: dict[str, float]
    late: float
    complaints: Sequence[str]


@dataclass(frozen=True)
class Record:
    """All slices of a run."""

    slices: Sequence[SliceResult]

    def samples(self, case: str, kind: str) -> list[Sample]:
        """The samples that count, including failed ones."""
        return [sample for each in self.slices if each.case == case for sample in each.samples if sample.kind == kind and sample.counted]

    def times(self, case: str, kind: str) -> Distribution | None:
        """The times of successful requests, in seconds; None if there are none."""
        return distribution.of(sample.seconds for sample in self.samples(case, kind) if sample.good)

    def failed(self) -> list[Sample]:
        """All requests that failed, whether they count or not."""
        return [sample for each in self.slices for sample in each.samples if sample.error]

    def cpu(self, program: str) -> float | None:
        """A program's average use of a core while clients ran; None if it was not measured."""
        known = [each for each in self.slices if program in each.cpu]
        seconds = sum(each.seconds for each in known)
        return sum(each.cpu[program] * each.seconds for each in known) / seconds if seconds else None

    def over(self, program: str, limit: float) -> list[SliceResult]:
        """The slices in which a program used more than this share of a core."""
        return [each for each in self.slices if each.cpu.get(program, 0) > limit]
