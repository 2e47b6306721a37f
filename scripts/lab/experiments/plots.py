"""Bars like those of figures 4.2 to 4.8: described here, drawn by drawing.py in whichever Python has matplotlib."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Sequence

from base.commands import run
from lab.experiments.interpreter import python_with

_DRAWING = Path(__file__).parent / "drawing.py"


@dataclass(frozen=True)
class Bar:
    """A median, or another figure, with whiskers from low to high, and a mark from paper_low to paper_high if there is one.

    group: bars of one group have one colour; empty if there is but one. cluster: bars of one stand side by side under its
    name; those without, if they are of one group.
    """

    label: str
    value: float
    low: float
    high: float
    paper_low: "float | None" = None
    paper_high: "float | None" = None
    group: str = ""
    cluster: str = ""


@dataclass(frozen=True)
class Figure:
    """name: of the files, without ending. unit_label: what the axis shows, with its unit. paper_label: what marks are."""

    name: str
    title: str
    unit_label: str
    bars: Sequence[Bar]
    paper_label: str = "thesis"
    note: str = ""
    whiskers: str = "10th to 90th percentile"


def draw(figures: Sequence[Figure], directory: Path) -> None:
    """Writes NAME.svg and NAME.png of each figure that has bars. Raises MissingError without matplotlib."""
    drawn = [figure for figure in figures if figure.bars]
    if drawn:
        python = python_with("matplotlib", "python3-matplotlib")
        document = json.dumps({"directory": str(directory), "figures": [asdict(figure) for figure in drawn]})
        run([python, "-I", str(_DRAWING)], timeout_s=300, text=document)
