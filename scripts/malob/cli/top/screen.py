"""The output of top, as lines of text. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from malob.cli.table import render
from malob.cli.top.reading import Interval
from malob.cli.top.views import VIEWS, Row, View, ordered

KEYS = "q quits, TAB next table, s sort by next, r reverse"


@dataclass(frozen=True)
class Choice:
    """The user's choice of table, order and direction."""

    view: View
    sort: str
    reverse: bool = False

    @staticmethod
    def of(view: View) -> Choice:
        return Choice(view, view.sort)

    def after(self, key: str) -> Choice:
        """The choice after a key."""
        if key in ("\t", "l", "m", "p"):
            wanted = [view for view in VIEWS if view.name.startswith(key)]
            return Choice.of(wanted[0] if wanted else VIEWS[(VIEWS.index(self.view) + 1) % len(VIEWS)])
        if key == "s":
            keys = [column.key for column in self.view.columns]
            return Choice(self.view, keys[(keys.index(self.sort) + 1) % len(keys)])
        if key == "r":
            return replace(self, reverse=not self.reverse)
        return self


def frame(interval: Interval, choice: Choice, url: str, columns: int, lines: int, trouble: str = "") -> list[str]:
    """The lines on a terminal, cut to its height and width. trouble: why the values are not current."""
    top = [trouble or head(interval, url), summary(interval), _tabs(choice), ""]
    body = table(interval, choice)
    room = lines - len(top) - 1
    if len(body) > room:
        hidden = len(body) - room + 1
        body = [*body[: room - 1], f"… {hidden} more"]
    shown = [*top, *body]
    shown += [""] * (lines - 1 - len(shown))
    return [line[: columns - 1] for line in [*shown, KEYS]][:lines]


def head(interval: Interval, url: str) -> str:
    return f"malob top  {url}  {interval.now.state.snapshot['time']}"


def summary(interval: Interval) -> str:
    """The whole network in one line."""
    snapshot, reading = interval.now.state.snapshot, interval.now
    rates = [rate for rate in interval.pool_rates().values() if rate is not None]
    new = f"{sum(rates):.1f}" if rates else "-"
    refused = interval.refusal_rate()
    return (
        f"{len(snapshot['switches'])} switches, {len(snapshot['links'])} links, {len(snapshot['servers'])} members;"
        f" {reading.counters['open_connections']} open, {new} new/s,"
        f" {'-' if refused is None else format(refused, '.1f')} refused/s"
    )


def table(interval: Interval, choice: Choice) -> list[str]:
    """The whole table, sorted."""
    view = choice.view
    rows: Sequence[Row] = ordered(view, view.rows(interval), choice.sort, choice.reverse)
    if not rows:
        return [f"no {view.name}"]
    header = [column.heading for column in view.columns]
    right = [place for place, column in enumerate(view.columns) if column.digits is not None]
    return render(header, [[column.show(row[column.key]) for column in view.columns] for row in rows], right)


def _tabs(choice: Choice) -> str:
    names = "  ".join(f"[{view.name}]" if view is choice.view else f" {view.name} " for view in VIEWS)
    return f"{names}  by {choice.view.column(choice.sort).heading}{', reversed' if choice.reverse else ''}"
