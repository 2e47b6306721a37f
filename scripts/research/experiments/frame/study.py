"""The frame of an experiment: preparation, slices on one network after the other, and the report at the end."""

from __future__ import annotations

import argparse
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

from lab.saturation import SaturationMeter
from malob.system.preparation import need_root
from malob.system.waiting import orderly_end, say
from research.experiments.frame import arguments, machine, plots, report, samples
from research.experiments.frame.folder import Folder
from research.experiments.frame.plots import Chart, Figure
from research.experiments.frame.progress import Progress
from research.experiments.frame.samples import Record, Sample, Slice, SliceResult
from research.experiments.frame.summary import Summary
from research.experiments.frame.table import Table
from research.preparation import prepare

#: What an experiment reports: its table, and its figures.
Report = tuple[Table[Any], Sequence["Figure | Chart"]]


class Study(ABC):
    """An experiment, from its options to its exit code.

    keys: of its cases. folder, summed: of the results, once main() has begun.
    """

    name: str
    #: half a sentence
    purpose: ClassVar[str] = ""
    #: the parts to prepare, besides statistics and plots
    parts: Sequence[str]
    #: what has failed if a sample has
    subjects: ClassVar[str] = "measurements"
    #: whether switches at their limit make the results invalid
    rejects: ClassVar[bool] = True
    folder: Folder
    summed: Summary

    def __init__(self, options: argparse.Namespace, keys: Sequence[str], rounds: int) -> None:
        self.options, self.keys, self.rounds = options, keys, rounds
        #: printed after the table
        self.notes: Sequence[str] = ()

    @classmethod
    def add_options(cls, parser: argparse.ArgumentParser) -> None:
        arguments.add_common(parser)

    def main(self) -> int:
        """The exit code of the command."""
        need_root(f"lab run {self.name}")
        prepare(*self.parts, *([] if self.options.no_plots else ["plots"]))
        self.summed = Summary(self.name, {}, machine.facts())
        self.folder = Folder(arguments.out_directory(self.options, self.name))
        say(f"writing results to {self.folder.path}")
        with orderly_end():
            record = self.run()
            self.summed.parameters = self.parameters()
            table, figures = self.report(record)
            report.add_saturation(self.summed, record, self.rejects)
            return self._finish(table, figures, self.troubles(record))

    def _finish(self, table: Table[Any], figures: Sequence[Figure | Chart], troubles: Sequence[str]) -> int:
        """Writes results.csv and summary.json, and draws the figures; prints the table and all targets, or the summary as JSON; then the troubles."""
        self.folder.table("results.csv", table.header(), table.rows())
        self.folder.document("summary.json", self.summed.to_json())
        if not self.options.no_plots:
            plots.draw(figures, self.folder.path)
        if self.options.json:
            print(json.dumps(self.summed.to_json(), indent=2))
        else:
            checks = report.check_lines(self.summed)
            print("\n".join(["", *table.printed(), *self.notes, *(["", *checks] if checks else [])]))
        for line in [*(f"rejected: {reason}" for reason in self.summed.rejected), *troubles]:
            say(line)
        say(f"summary, raw data and figures are in {self.folder.path}")
        missed = [check for check in self.summed.checks if check.holds is False]
        return 1 if troubles or (self.options.check and (missed or self.summed.rejected)) else 0

    def run(self) -> Record:
        """All slices; each is on the disk before the next one begins."""
        slices = [(place, samples.interleaved(list(dict.fromkeys(keys)), self.rounds, self.options.seed)) for place, keys in self.places()]
        progress = Progress([each for _, some in slices for each in some], self.guesses_s())
        results: list[SliceResult] = []
        for place, some in slices:
            with self.network(place):
                results += measured(self, some, self.folder, progress)
        return Record(results)

    def places(self) -> Sequence[tuple[Any, Sequence[str]]]:
        """For each network: what network() takes, and the keys of its cases, which take turns."""
        return [(None, self.keys)]

    @abstractmethod
    def guesses_s(self) -> Mapping[str, float]:
        """The expected duration of a slice, by case."""

    def network(self, _place: Any) -> AbstractContextManager[Any]:
        """In the context, the network is up."""
        return nullcontext()

    @abstractmethod
    def begin(self, case: str) -> Sequence[str]:
        """Sets up a case, and returns once the network is idle, or prints why it is not."""

    @abstractmethod
    def measure(self, case: str) -> Sequence[Sample]:
        """Lets the clients run."""

    @abstractmethod
    def saturation_meter(self) -> SaturationMeter:
        """The saturation meter of the network; called after begin()."""

    @abstractmethod
    def parameters(self) -> Mapping[str, object]:
        """For summary.json."""

    @abstractmethod
    def report(self, record: Record) -> Report:
        """Adds metrics, the paper's figures and targets to the summary."""

    def troubles(self, record: Record) -> Sequence[str]:
        """Reasons why the command has failed."""
        failed = record.failed()
        return [f"{len(failed)} {self.subjects} failed: " + ", ".join(sorted({sample.error for sample in failed}))] if failed else []


def measured(study: Study, slices: Sequence[Slice], folder: Folder, progress: Progress) -> Iterator[SliceResult]:
    """Measures slice by slice, monitors the machine, and shows progress."""
    with progress:
        for each in slices:
            progress.begin(each)
            remarks = study.begin(each.case)
            meter = study.saturation_meter()
            began = time.monotonic()
            samples = study.measure(each.case)
            seconds = time.monotonic() - began
            read = meter.read()
            complaints = [*remarks, *read.complaints]
            result = SliceResult(each.number, each.round, each.case, seconds, samples, read.cpu, read.waiting, read.late, complaints)
            folder.add(result)
            progress.end(each)
            yield result
