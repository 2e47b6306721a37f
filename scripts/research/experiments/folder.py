"""The directory for all results of an experiment: summary.json, CSV files, plots, the controller's log."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from malob.errors import ScriptError, UsageError
from research.experiments.samples import SliceResult

REQUESTS = ["round", "slice", "case", "kind", "client", "number", "began_s", "seconds", "bytes", "server", "counted", "error"]
SLICES = ["slice", "round", "case", "seconds", "vswitchd_cpu", "emulator_cpu", "vswitchd_waiting", "late", "complaints"]


class Folder:
    """Writes raw data after each slice, so that an interrupted run keeps its results so far."""

    def __init__(self, path: Path) -> None:
        """Creates the directory; removes the summary of an earlier run. Raises UsageError if that is not possible."""
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            (path / "summary.json").unlink(missing_ok=True)
            self.table("requests.csv", REQUESTS, [])
            self.table("slices.csv", SLICES, [])
        except OSError as error:
            raise UsageError(f"--out: cannot write to {path}: {error.strerror}") from None

    def add(self, result: SliceResult) -> None:
        """Appends a slice to both files of raw data."""
        self._append(
            "requests.csv",
            [
                [
                    result.round,
                    result.number,
                    result.case,
                    sample.kind,
                    sample.client,
                    sample.number,
                    f"{sample.began_s:.6f}",
                    f"{sample.seconds:.6f}",
                    sample.size,
                    sample.server,
                    int(sample.counted),
                    sample.error,
                ]
                for sample in result.samples
            ],
        )
        self._append(
            "slices.csv",
            [
                [
                    result.number,
                    result.round,
                    result.case,
                    f"{result.seconds:.3f}",
                    _share(result.cpu.get("ovs-vswitchd")),
                    _share(result.cpu.get("link-emulator")),
                    _share(result.waiting.get("ovs-vswitchd")),
                    _share(result.late),
                    "; ".join(result.complaints),
                ]
            ],
        )

    def table(self, name: str, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Writes a CSV file."""
        with open(self.path / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *rows])

    def document(self, name: str, content: Any) -> None:
        """Writes a JSON file atomically."""
        unfinished = self.path / f"{name}.new"
        unfinished.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        unfinished.replace(self.path / name)

    def keep(self, file: Path) -> None:
        """Copies a file that will be removed with the network, if it exists."""
        try:
            shutil.copyfile(file, self.path / file.name)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise ScriptError(f"cannot copy {file} to {self.path}: {error.strerror}") from None

    def _append(self, name: str, rows: Sequence[Sequence[Any]]) -> None:
        with open(self.path / name, "a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
