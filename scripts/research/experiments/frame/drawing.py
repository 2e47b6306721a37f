"""Draws the figures and charts of plots.py, with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot

from research.experiments.frame.plots import Bar, Chart, Figure, Line

plot.rcParams["svg.hashsalt"] = "malob"
plot.rcParams["svg.fonttype"] = "none"  # text stays text: readers can search it, and it scales with their fonts

_COLOURS = ["#4878a8", "#e49444", "#6a9f58", "#a87c9f", "#967662", "#5fa2a2", "#c7a93c"]

#: Of measured lines, once all colours are used.
_STYLES = ["-", "-.", ":"]

_PAPER = "#b22222"
_OPTIMUM = "#1b7837"


def draw(figure: Figure | Chart, directory: Path) -> None:
    if isinstance(figure, Chart):
        _draw_chart(figure, directory)
    else:
        _draw_figure(figure, directory)


def _draw_figure(figure: Figure, directory: Path) -> None:
    bars = figure.bars
    groups = list(dict.fromkeys(bar.group for bar in bars))
    colours = dict(zip(groups, _COLOURS * len(groups)))
    canvas, axes = plot.subplots(figsize=(max(5.0, 1.6 + 0.75 * len(bars)), 4.6))
    places = _places(bars)
    for group in groups:
        mine = [(place, bar) for place, bar in zip(places, bars) if bar.group == group]
        axes.bar(
            [place for place, _ in mine],
            [bar.value for _, bar in mine],
            width=0.7,
            color=colours[group],
            label=group or "median",
            zorder=2,
            yerr=[[bar.value - bar.low for _, bar in mine], [bar.high - bar.value for _, bar in mine]],
            capsize=4,
            error_kw={"ecolor": "#303030", "linewidth": 1.2, "zorder": 3},
        )
    _mark_paper(axes, figure, places)
    optima = [(place, bar.optimum) for place, bar in zip(places, bars) if bar.optimum is not None]
    _mark_values(axes, optima, figure.optimum_label, _OPTIMUM, "--")
    top = max(max(bar.high, bar.paper_high or 0, bar.optimum or 0) for bar in bars)
    _name_clusters(axes, places, bars, top)
    for place, bar in zip(places, bars):
        _write_value(axes, place, bar, top)
    axes.set_ylim(0, top * 1.12)
    axes.set_xticks(places)
    axes.set_xticklabels([bar.label for bar in bars], rotation=35, ha="right", rotation_mode="anchor", fontsize=9)
    axes.set_ylabel(figure.unit_label)
    has_legend = len(groups) > 1 or any(bar.paper_low is not None or bar.optimum is not None for bar in bars)
    _frame(axes, figure, "y", has_legend)
    _caption(canvas, [_counts(bars), f"Whiskers: {figure.whiskers}.", figure.note])
    _save(canvas, figure, directory)


def _frame(axes: Any, figure: Figure | Chart, grid: str, has_legend: bool) -> None:
    axes.set_title(figure.title, fontsize=11)
    axes.grid(True, axis=grid, color="#dddddd", zorder=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if has_legend:
        axes.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _caption(canvas: Any, sentences: list[str]) -> None:
    text = " ".join(sentence for sentence in sentences if sentence)
    canvas.text(0.01, 0.005, text, fontsize=7, color="#505050", ha="left", va="bottom")


def _counts(drawn: Sequence[Bar] | Sequence[Line]) -> str:
    """How many values are behind each bar or line."""
    counts = sorted({each.count for each in drawn if each.count is not None})
    if not counts:
        return ""
    return f"n = {counts[0]}." if len(counts) == 1 else f"n = {counts[0]} to {counts[-1]}."


def _save(canvas: Any, figure: Figure | Chart, directory: Path) -> None:
    canvas.tight_layout(rect=(0, 0.03, 1, 1))
    canvas.savefig(directory / f"{figure.name}.svg", metadata={"Date": None})
    canvas.savefig(directory / f"{figure.name}.png", dpi=150)
    plot.close(canvas)


def _draw_chart(chart: Chart, directory: Path) -> None:
    canvas, axes = plot.subplots(figsize=(8.0, 4.6))
    subjects = list(dict.fromkeys(_subject(line) for line in chart.lines))
    colours = dict(zip(subjects, _COLOURS * len(subjects)))
    styles = {subject: _STYLES[place // len(_COLOURS) % len(_STYLES)] for place, subject in enumerate(subjects)}
    for line in chart.lines:
        measured = line.of == "measured"
        width, style = (1.5, styles[_subject(line)]) if measured else (1.1, "--")
        marker = "o" if measured and len(line.x) <= 12 else None
        look = {"color": colours[_subject(line)], "linewidth": width, "linestyle": style, "marker": marker, "markersize": 4}
        axes.plot(line.x, line.y, label=line.label, **look)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    _frame(axes, chart, "both", has_legend=True)
    _caption(canvas, [_counts(chart.lines), chart.note])
    _save(canvas, chart, directory)


def _subject(line: Line) -> str:
    """A measurement and its model, whose labels are equal before the comma, have the same colour."""
    return str(line.label).partition(",")[0]


def _places(bars: Sequence[Bar]) -> list[float]:
    """Side by side, with space between clusters, or between groups if there are no clusters."""
    places, place = [], 0.0
    for number, bar in enumerate(bars):
        if number:
            place += 1 if _cluster(bar) == _cluster(bars[number - 1]) else 1.5
        places.append(place)
    return places


def _cluster(bar: Bar) -> str:
    return bar.cluster or bar.group


def _name_clusters(axes: Any, places: list[float], bars: Sequence[Bar], top: float) -> None:
    for name in dict.fromkeys(bar.cluster for bar in bars if bar.cluster):
        mine = [place for place, bar in zip(places, bars) if bar.cluster == name]
        axes.text((mine[0] + mine[-1]) / 2, top * 1.1, name, ha="center", va="top", fontsize=9, color="#303030")


def _mark_paper(axes: Any, figure: Figure, places: list[float]) -> None:
    marks = [
        (place, bar.paper_low, bar.paper_high) for place, bar in zip(places, figure.bars) if bar.paper_low is not None and bar.paper_high is not None
    ]
    _mark_values(axes, [(place, low) for place, low, high in marks if low == high], figure.paper_label, _PAPER, "-")
    ranges = [(place, low, high - low) for place, low, high in marks if low != high]
    if ranges:
        at, bottom, height = zip(*ranges)
        label = None if len(ranges) < len(marks) else figure.paper_label
        look = {"facecolor": "none", "edgecolor": _PAPER, "hatch": "////", "alpha": 0.6, "linewidth": 0.8}
        axes.bar(at, height, 0.84, bottom, zorder=4, label=label, **look)


def _mark_values(axes: Any, marks: Sequence[tuple[float, float]], label: str, colour: str, style: str) -> None:
    if marks:
        lines = {"xmin": [place - 0.42 for place, _ in marks], "xmax": [place + 0.42 for place, _ in marks]}
        axes.hlines([value for _, value in marks], **lines, colors=colour, linestyles=style, linewidth=2, zorder=4, label=label)


def _write_value(axes: Any, place: float, bar: Bar, top: float) -> None:
    """At the foot of its bar, not covered by whiskers and marks; above a bar that is too low for it."""
    inside = min(bar.value, bar.low) > 0.08 * top
    where, colour = (place, 0 if inside else bar.high), "white" if inside else "#303030"
    axes.annotate(_words(bar.value), where, xytext=(0, 4), textcoords="offset points", ha="center", fontsize=8, color=colour, zorder=5)


def _words(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
