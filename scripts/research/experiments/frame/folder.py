"""The directory for all results of an experiment: summary.json, CSV files, plots, the controller's log."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from malob.errors import ScriptError, UsageError
from research.experiments.frame.samples import Sample, SliceResult
from research.experiments.frame.table import Column, Table

_REQUESTS: Sequence[Column[tuple[SliceResult, Sample]]] = [
    Column("round", "", lambda each: each[0].round),
    Column("slice", "", lambda each: each[0].number),
    Column("case", "", lambda each: each[0].case),
    Column("kind", "", lambda each: each[1].kind),
    Column("client", "", lambda each: each[1].client),
    Column("number", "", lambda each: each[1].number),
    Column("began_s", "", lambda each: each[1].began_s, ".6f"),
    Column("seconds", "", lambda each: each[1].seconds, ".6f"),
    Column("bytes", "", lambda each: each[1].size),
    Column("server", "", lambda each: each[1].server),
    Column("counted", "", lambda each: int(each[1].counted)),
    Column("error", "", lambda each: each[1].error),
]
_SLICES: Sequence[Column[SliceResult]] = [
    Column("slice", "", lambda each: each.number),
    Column("round", "", lambda each: each.round),
    Column("case", "", lambda each: each.case),
    Column("seconds", "", lambda each: each.seconds, ".3f"),
    Column("vswitchd_cpu", "", lambda each: each.cpu.get("ovs-vswitchd"), ".4f"),
    Column("emulator_cpu", "", lambda each: each.cpu.get("link-emulator"), ".4f"),
    Column("vswitchd_waiting", "", lambda each: each.waiting.get("ovs-vswitchd"), ".4f"),
    Column("late", "", lambda each: each.late, ".4f"),
    Column("complaints", "", lambda each: "; ".join(each.complaints)),
]


class Folder:
    """Writes raw data after each slice, so that an interrupted run keeps its results so far."""

    def __init__(self, path: Path) -> None:
        """Creates the directory; removes the summary of an earlier run. Raises UsageError if that is not possible."""
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            (path / "summary.json").unlink(missing_ok=True)
            self.table("requests.csv", Table(_REQUESTS, []).header(), [])
            self.table("slices.csv", Table(_SLICES, []).header(), [])
        except OSError as error:
            raise UsageError(f"--out: cannot write to {path}: {error.strerror}") from None

    def add(self, result: SliceResult) -> None:
        """Appends a slice to both files of raw data."""
        self._append("requests.csv", Table(_REQUESTS, [(result, sample) for sample in result.samples]).rows())
        self._append("slices.csv", Table(_SLICES, [result]).rows())

    def table(self, name: str, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Writes a CSV file."""
        write_csv(self.path / name, [header, *rows])

    def document(self, name: str, content: Any) -> None:
        """Writes a JSON file atomically."""
        write_json(self.path / name, content)

    def keep(self, file: Path) -> None:
        """Copies a file that will be removed with the network, if it exists."""
        try:
            shutil.copyfile(file, self.path / file.name)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise ScriptError(f"cannot copy {file} to {self.path}: {error.strerror}") from None

    def _append(self, name: str, rows: Sequence[Sequence[Any]]) -> None:
        write_csv(self.path / name, rows, "a")


def write_csv(path: Path, rows: Iterable[Sequence[Any]], mode: str = "w") -> None:
    """mode: "a" appends to the file. Raises OSError."""
    with open(path, mode, encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def write_json(path: Path, content: Any) -> None:
    """Replaces the file atomically."""
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    unfinished.replace(path)
