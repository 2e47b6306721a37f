"""Prints the results in an experiment's directory as tables for the pages in docs/explanation/experiments.

python3 scripts/command.py research.experiments.frame.markdown DIR
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from malob.errors import UsageError, run_main


def rendered(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in Markdown."""
    return [_line(header), _line(["---"] * len(header)), *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def results(rows: Sequence[Sequence[str]]) -> list[str]:
    """results.csv, with its header, with rounded numbers; columns without any value are omitted."""
    header, *lines = rows
    used = [place for place in range(len(header)) if any(line[place] for line in lines)]
    return rendered([header[place] for place in used], [[shortened(line[place]) for place in used] for line in lines])


def shortened(word: str) -> str:
    """At least three digits of a number with a decimal point; other words unchanged."""
    try:
        value = float(word)
    except ValueError:
        return word
    return word if "." not in word else f"{value:.0f}" if abs(value) >= 1000 else f"{value:.{_places(value)}f}"


def _places(value: float) -> int:
    return 3 if abs(value) < 10 else 2 if abs(value) < 100 else 1


def checks(summary: Mapping[str, Any]) -> list[str]:
    """The targets, and whether they are reached."""
    verdicts = {True: "holds", False: "**does not hold**", None: "not measured"}
    rows = [
        [name, "" if each["value"] is None else f"{each['value']:.3f}", f"{each['at_most']:.3f}", verdicts[each["holds"]]]
        for name, each in summary["checks"].items()
    ]
    return rendered(["target", "measured", "at most", ""], rows) if rows else []


def conditions(summary: Mapping[str, Any]) -> str:
    """The machine and the parameters."""
    machine, metrics = summary["machine"], summary["metrics"]
    used = ", ".join(f"{key[4:]} {100 * metrics[key]['value']:.0f} %" for key in metrics if key.startswith("cpu."))
    return (
        f"{machine['processor']}, {machine['processors']} processors, Linux {machine['kernel']}, {machine['open_vswitch']}; load before: "
        f"{machine['load_before']}; of one core: {used}; rejected: {'yes' if summary['rejected'] else 'no'}."
    )


def main() -> int:
    if len(sys.argv) != 2:
        raise UsageError("expected the directory of an experiment")
    directory = Path(sys.argv[1])
    try:
        summary = json.loads((directory / "summary.json").read_text())
        with open(directory / "results.csv", newline="") as file:
            rows = list(csv.reader(file))
    except (OSError, ValueError) as error:
        raise UsageError(f"{directory} has no results: {error}") from None
    parts = [[conditions(summary)], results(rows), checks(summary)]
    print("\n\n".join("\n".join(part) for part in parts if part))
    return 0


if __name__ == "__main__":
    run_main(main, "markdown")
