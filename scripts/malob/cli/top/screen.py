"""The output of top, as lines of text. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Callable, Union

from malob.cli.status import RESOLUTION_MS, SERVER_VALUES, end
from malob.cli.table import render, with_port
from malob.cli.top.reading import Interval

#: The value of a cell. Numbers are sorted, the largest first; None is unknown, and comes last.
Value = Union[str, float, int, None]
Row = Mapping[str, Value]


_SHOWN = [value for value in SERVER_VALUES if value.key]


@dataclass(frozen=True)
class Column:
    """width: max characters; digits: after the decimal point, None for strings; resolution: smaller values are shown as "< resolution"."""

    key: str
    heading: str
    width: int
    digits: int | None = None
    resolution: float = 0

    def show(self, value: Value) -> str:
        if value is None:
            return "-"
        if isinstance(value, str):
            return value if len(value) <= self.width else value[: self.width - 1] + "…"
        if value < self.resolution:
            return f"< {self.resolution:g}"
        return f"{value:.{self.digits or 0}f}"


@dataclass(frozen=True)
class View:
    """sort: the default sort column."""

    name: str
    columns: Sequence[Column]
    sort: str
    rows: Callable[[Interval], list[Row]]

    def column(self, key: str) -> Column:
        return next(column for column in self.columns if column.key == key)


#: The states of checks in which a member gets no connections; "down" is also an operator's setting.
_KEPT_OUT = {"checking": "checking", "down": "failing", "ejected": "ejected"}


def _members(interval: Interval) -> list[Row]:
    rates, totals, health = interval.member_rates(), interval.now.totals, interval.now.health
    return [
        {
            "id": server["id"],
            "pool": server["pool_id"],
            "state": _state(server, interval.now.admin.get(server["id"]), health.get(server["id"])),
            "open": server["active_connections"],
            "new": rates.get(server["id"]),
            "total": totals.get(server["id"]),
            **{value.key: value.of(server) for value in _SHOWN},
        }
        for server in interval.now.state.snapshot["servers"]
    ]


def _state(server: Mapping[str, Any], admin: str | None, health: str | None) -> str:
    """The operator's setting; otherwise the reason why it gets no connections, if any."""
    if admin not in (None, "up"):
        return str(admin)
    if health in _KEPT_OUT:
        return _KEPT_OUT[health]
    return "up" if server["located"] else "unseen"


def _links(interval: Interval) -> list[Row]:
    rows: list[Row] = []
    for link in interval.now.state.snapshot["links"]:
        use, capacity = _value(link["use_mbps"]), _value(link["capacity_mbps"])
        rows.append(
            {
                "from": end(link["src"]),
                "to": end(link["dst"]),
                "open": link["active"],
                "latency": _value(link["latency_ms"]),
                "use": use,
                "capacity": capacity,
                "share": 100 * use / capacity if use is not None and capacity else None,
            }
        )
    return rows


def _pools(interval: Interval) -> list[Row]:
    rates = interval.pool_rates()
    vips = {pool: vip for vip in interval.now.state.vips for pool in vip["pools"]}
    rows: list[Row] = []
    for name, pool in interval.now.state.pools.items():
        vip, stats = vips.get(name), pool["stats"]
        rows.append(
            {
                "id": name,
                "vip": vip["id"] if vip else None,
                "address": with_port(vip["address"], vip["port"]) if vip else None,
                "members": len(stats["members"]),
                "open": stats["active_connections"],
                "new": rates.get(name),
                "total": stats["total_connections"],
            }
        )
    return rows


def _value(measured: Mapping[str, Any] | None) -> float | None:
    return None if measured is None else measured["value"]


VIEWS: Sequence[View] = (
    View(
        "members",
        (
            Column("id", "MEMBER", 16),
            Column("pool", "POOL", 10),
            Column("state", "STATE", 8),
            Column("open", "OPEN", 6, 0),
            Column("new", "NEW/S", 7, 1),
            Column("total", "TOTAL", 8, 0),
            *(Column(value.key, value.short, value.width, value.digits, value.resolution) for value in _SHOWN),
        ),
        "new",
        _members,
    ),
    View(
        "links",
        (
            Column("from", "FROM", 12),
            Column("to", "TO", 12),
            Column("open", "OPEN", 7, 0),
            Column("latency", "LATENCY MS", 10, 2, RESOLUTION_MS),
            Column("use", "USE MBIT/S", 10, 1),
            Column("capacity", "CAPACITY", 9, 0),
            Column("share", "USE %", 6, 0),
        ),
        "use",
        _links,
    ),
    View(
        "pools",
        (
            Column("id", "POOL", 14),
            Column("vip", "VIP", 13),
            Column("address", "ADDRESS", 21),
            Column("members", "MEMBERS", 7, 0),
            Column("open", "OPEN", 7, 0),
            Column("new", "NEW/S", 7, 1),
        ),
        "new",
        _pools,
    ),
)


def ordered(view: View, rows: Sequence[Row], key: str, reverse: bool) -> list[Row]:
    """Sorts rows by a column: numbers descending, strings ascending, unknown values last; the sort is stable."""
    known = [row for row in rows if row[key] is not None]
    unknown = [row for row in rows if row[key] is None]
    numeric = view.column(key).digits is not None
    known.sort(key=lambda row: row[key], reverse=numeric is not reverse)  # type: ignore[arg-type,return-value]
    return known + unknown


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
