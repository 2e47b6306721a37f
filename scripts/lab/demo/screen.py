"""The output of the demo."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import TextIO

from lab.demo.tally import Tally, median_ms
from lab.percentiles import percentile
from malob.cli.status import latency
from malob.cli.table import render

_HEADER = ["server", "client and path", "requests", "open", "median ms", "95 % ms"]

#: The interval of plain lines without a terminal.
_LINE_EVERY_S = 5.0


def table(tally: Tally, open_connections: Mapping[str, int], paths: Mapping[tuple[str, str], Sequence[str]]) -> list[str]:
    """Lines with a row per server and one for each client's path to it.

    open_connections: by server, from the balancer. paths: the switches from client to server.
    """
    rows = []
    for server in tally.servers:
        times = tally.times_of(server)
        count = open_connections.get(server)
        rows.append([server, "", str(len(times)), "?" if count is None else str(count), *_figures(times)])
        for (client, name), answered in sorted(tally.times_ms.items()):
            if name == server:
                path = " ".join(paths.get((client, server), ()))
                rows.append(["", f"{client} by {path}", str(len(answered)), "", *_figures(answered)])
    return render(_HEADER, rows, right=[2, 3, 4, 5])


def _figures(times_ms: Sequence[float]) -> list[str]:
    return [_milliseconds(median_ms(times_ms)), _milliseconds(percentile(times_ms, 95))]


def _milliseconds(value: float | None) -> str:
    return latency(value, 1)


def line(tally: Tally, open_connections: Mapping[str, int]) -> str:
    """The state in one line, for logs."""
    servers = ", ".join(
        f"{server} {len(tally.times_of(server))} ({open_connections.get(server, '?')} open, {_milliseconds(median_ms(tally.times_of(server)))} ms)"
        for server in tally.servers
    )
    return f"{tally.requests} requests, {tally.failed} failed: {servers}"


def summary(tally: Tally, clients: int, vip: str) -> list[str]:
    """The results in a few lines."""
    lines = [f"{tally.requests} requests from {clients} clients to {vip}: {tally.failed} failed"]
    lines += [f"  {count} times: {reason}" for reason, count in tally.failures.most_common(5)]
    if tally.requests == 0:
        lines.append("no request was sent")
    elif tally.unused:
        lines.append(f"not used: {', '.join(tally.unused)}")
    else:
        lines.append("every server was used")
    return lines


class LiveView:
    """Redraws the table in place on a terminal; otherwise prints a line now and then."""

    def __init__(self, out: TextIO = sys.stdout) -> None:
        self._out = out
        self._live = out.isatty()
        self._drawn = 0
        self._last_line = time.monotonic()

    def show(
        self,
        tally: Tally,
        open_connections: Mapping[str, int],
        paths: Mapping[tuple[str, str], Sequence[str]],
        left_s: float,
    ) -> None:
        """left_s: the time until the last request is sent."""
        if self._live:
            lines = [*table(tally, open_connections, paths), f"{tally.failed} failed, {max(0.0, left_s):.0f} s left"]
            self._redraw(lines)
        elif time.monotonic() - self._last_line >= _LINE_EVERY_S:
            self._last_line = time.monotonic()
            print(line(tally, open_connections), file=self._out, flush=True)

    def finish(self, lines: Sequence[str]) -> None:
        """Replaces the live table by the final lines."""
        self._redraw(lines)
        self._drawn = 0

    def _redraw(self, lines: Sequence[str]) -> None:
        back = f"\033[{self._drawn}F\033[J" if self._drawn else ""
        self._out.write(back + "\n".join(lines) + "\n")
        self._out.flush()
        self._drawn = len(lines) if self._live else 0
