"""A table of results, described by its columns: results.csv, what is printed, and metrics. No I/O."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Generic, TypeVar

from malob.cli.table import render
from research.experiments.frame.summary import Summary

Subject = TypeVar("Subject")


@dataclass(frozen=True)
class Column(Generic[Subject]):
    """A figure, or a name, of each subject.

    name: in results.csv; empty if it is only printed. title: of the printed column; empty if it is not printed. value: None is an
    empty cell. form: as format() takes it, in both tables; empty for words, which are flush left. printed_form: if it is another
    one. unit: of the metric, which has the column's name; empty if it is no metric. digits: of the metric.
    """

    name: str
    title: str
    value: Callable[[Subject], Any]
    form: str = ""
    printed_form: str = ""
    unit: str = ""
    digits: int = 4

    def cell(self, subject: Subject, form: str) -> str:
        value = self.value(subject)
        return "" if value is None else format(value, form)


@dataclass(frozen=True)
class Table(Generic[Subject]):
    """A row for each subject."""

    columns: Sequence[Column[Subject]]
    subjects: Collection[Subject]

    def header(self) -> list[str]:
        """Of results.csv."""
        return [column.name for column in self.columns if column.name]

    def rows(self) -> list[list[str]]:
        """Of results.csv."""
        return [[column.cell(subject, column.form) for column in self.columns if column.name] for subject in self.subjects]

    def printed(self) -> list[str]:
        """The lines that are printed."""
        shown = [column for column in self.columns if column.title]
        rows = [[column.cell(subject, column.printed_form or column.form) for column in shown] for subject in self.subjects]
        return render([column.title for column in shown], rows, [place for place, column in enumerate(shown) if column.form])

    def add_metrics(self, summary: Summary, key: Callable[[Subject], str]) -> None:
        """Adds NAME.KEY of each column with a unit and each subject with a value. key: of a subject."""
        for subject in self.subjects:
            for column in self.columns:
                value = column.value(subject) if column.unit else None
                if value is not None:
                    summary.metric(f"{column.name}.{key(subject)}", round(value, column.digits), column.unit)
