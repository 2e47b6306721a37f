"""Descriptions of bar charts, like those of the thesis, and line charts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Bar:
    """A median, or another figure, with whiskers from low to high.

    count: how many values are behind it. paper_low, paper_high: a mark for the paper's value, or range. optimum: a mark for
    a model's value, or the best possible one. group: bars of one group have one colour; empty if there is only one. cluster:
    bars of one cluster are side by side under its name; without clusters, those of one group.
    """

    label: str
    value: float
    low: float
    high: float
    count: int
    paper_low: float | None = None
    paper_high: float | None = None
    optimum: float | None = None
    group: str = ""
    cluster: str = ""


@dataclass(frozen=True)
class Figure:
    """name: of the files, without extension.

    unit_label: the label of the axis, with its unit. paper_label, optimum_label: the labels of marks.
    """

    name: str
    title: str
    unit_label: str
    bars: Sequence[Bar]
    paper_label: str = "thesis"
    optimum_label: str = "optimum"
    note: str = ""
    whiskers: str = "10th to 90th percentile"


@dataclass(frozen=True)
class Line:
    """Connected points. of: "measured", or "model" for other values (a link's capacity, for example), which are dashed.

    count: how many values are behind a measured line, or each of its points; None for a model.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    of: str = "measured"
    count: int | None = None


@dataclass(frozen=True)
class Chart:
    """name: of the files, without extension. Labels have units. The y axis begins at 0."""

    name: str
    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    note: str = ""


def cumulated(label: str, values: Iterable[float], until: float = math.inf) -> Line:
    """The shares of all values that are at most as large as each of them; drawn up to that value. Needs one value."""
    ordered = sorted(values)
    shown = [value for value in ordered if value <= until]
    return Line(label, [0.0, *shown], [place / len(ordered) for place in range(len(shown) + 1)], count=len(ordered))


def draw(figures: Sequence[Figure | Chart], directory: Path) -> None:
    """Writes NAME.svg and NAME.png of each figure that has bars or lines. Needs matplotlib (research.preparation) if there is one."""
    for figure in figures:
        if figure.bars if isinstance(figure, Figure) else figure.lines:
            # imported here, so that command lines are parsed and documented without it
            from research.experiments.frame import drawing

            drawing.draw(figure, directory)
