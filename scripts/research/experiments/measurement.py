"""The loop that all experiments share: slice by slice; it monitors the machine and shows progress."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Protocol

from lab.strain import StrainMeter
from research.experiments.folder import Folder
from research.experiments.plan import Slice
from research.experiments.progress import Progress
from research.experiments.samples import Record, Sample, SliceResult


class Study(Protocol):
    """An experiment's actions for a slice."""

    def begin(self, case: str) -> Sequence[str]:
        """Sets up a case, and returns once the network is idle, or prints why it is not."""

    def measure(self, case: str) -> Sequence[Sample]:
        """Lets the clients run."""

    def strain_meter(self) -> StrainMeter:
        """The strain meter of the network; called after begin()."""


def run(study: Study, slices: Sequence[Slice], folder: Folder, progress: Progress) -> Record:
    """Measures all slices; each is on the disk before the next one begins."""
    return Record(list(_results(study, slices, folder, progress)))


def _results(study: Study, slices: Sequence[Slice], folder: Folder, progress: Progress) -> Iterator[SliceResult]:
    with progress:
        for each in slices:
            progress.begin(each)
            result = _measure(study, each)
            folder.add(result)
            progress.end(each)
            yield result


def _measure(study: Study, each: Slice) -> SliceResult:
    remarks = study.begin(each.case)
    meter = study.strain_meter()
    began = time.monotonic()
    samples = study.measure(each.case)
    seconds = time.monotonic() - began
    strain = meter.read()
    return SliceResult(each.number, each.round, each.case, seconds, samples, strain.cpu, strain.waiting, strain.late, [*remarks, *strain.complaints])
