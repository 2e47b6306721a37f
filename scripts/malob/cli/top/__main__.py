"""Command line of top. Ends with 3 if no controller answers when it starts."""

from __future__ import annotations

import argparse
import json
import os
import select
import shutil
import sys
import termios
import time
import tty
from collections.abc import Sequence
from contextlib import suppress

from malob.cli import target
from malob.cli.arguments import Parser, seconds
from malob.cli.top import reading, screen
from malob.cli.top.reading import Interval
from malob.cli.top.screen import VIEWS, Choice, ordered
from malob.errors import UsageError
from malob.rest.client import RestClient, RestError, asking
from malob.system.waiting import orderly_end

#: Short, since the user watches and should soon see that the controller does not answer.
_TIMEOUT_S = 3


def parser() -> Parser:
    made = Parser(
        prog="malob top", description="Members, links and pools of a running controller, live, the busiest first. Keys: " + screen.KEYS + "."
    )
    made.add_argument("--view", choices=[view.name for view in VIEWS], default="members", help="which table (default %(default)s)")
    made.add_argument("--sort", metavar="COLUMN", help="the column to sort by, named as in --json (default: new; for links: utilization)")
    made.add_argument("--interval", metavar="SECONDS", type=seconds, default=2.0, help="seconds between polls (default %(default)g)")
    made.add_argument("--once", action="store_true", help="print the complete table once, with rates over one interval")
    made.add_argument("--json", action="store_true", help="with --once: print one JSON document")
    target.add_target(made)
    return made


def main() -> int:
    options = parser().parse_args()
    choice = _choice(options)
    if options.json and not options.once:
        raise UsageError("--json: only with --once")
    if not options.once and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("stdout is not a terminal; --once prints the table once")
    rest = target.client(options, _TIMEOUT_S)
    with asking(rest):
        first = reading.read(rest)
    if options.once:
        time.sleep(options.interval)
        with asking(rest):
            _print(Interval(first, reading.read(rest)), choice, rest, options.json)
    else:
        with suppress(KeyboardInterrupt), orderly_end(), Terminal() as terminal:
            _watch(Interval(None, first), choice, rest, options.interval, terminal)
    return 0


def _choice(options: argparse.Namespace) -> Choice:
    view = next(view for view in VIEWS if view.name == options.view)
    keys = [column.key for column in view.columns]
    if options.sort is not None and options.sort not in keys:
        raise UsageError(f"--sort: {view.name} have {', '.join(keys)}")
    return Choice(view, options.sort or view.sort)


def _print(interval: Interval, choice: Choice, rest: RestClient, as_json: bool) -> None:
    if as_json:
        print(
            json.dumps(
                {
                    "time": interval.now.state.snapshot["time"],
                    "seconds": interval.now.at_s - interval.before.at_s if interval.before else None,
                    **{view.name: ordered(view, view.rows(interval), view.sort, False) for view in VIEWS},
                },
                indent=2,
            )
        )
    else:
        print("\n".join([screen.head(interval, rest.url), screen.summary(interval), "", *screen.table(interval, choice)]))


def _watch(interval: Interval, choice: Choice, rest: RestClient, interval_s: float, terminal: Terminal) -> None:
    """Runs until the user quits. If the controller does not answer, the last values stay on the screen with a message."""
    trouble = ""
    due_s = time.monotonic() + min(1.0, interval_s)
    while True:
        columns, lines = terminal.size
        terminal.show(screen.frame(interval, choice, rest.url, columns, lines, trouble))
        key = terminal.key(due_s - time.monotonic())
        if key == "q":
            return
        choice = choice.after(key)
        if time.monotonic() >= due_s:
            try:
                interval, trouble = Interval(interval.now, reading.read(rest)), ""
            except RestError as error:
                age_s = time.monotonic() - interval.now.at_s
                trouble = f"no new data for {age_s:.0f} s: {error.sentence}"
            due_s = time.monotonic() + interval_s


_ENTER = "\033[?1049h\033[?25l"
_LEAVE = "\033[?25h\033[?1049l"


class Terminal:
    """To be used in a with statement, which restores the terminal."""

    def __enter__(self) -> Terminal:
        self._keyboard = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._keyboard)
        tty.setcbreak(self._keyboard)
        self._write(_ENTER)
        return self

    def __exit__(self, *_: object) -> None:
        termios.tcsetattr(self._keyboard, termios.TCSADRAIN, self._before)
        self._write(_LEAVE)

    @property
    def size(self) -> tuple[int, int]:
        """The current columns and lines."""
        return shutil.get_terminal_size((80, 24))

    def show(self, lines: Sequence[str]) -> None:
        """Replaces the previous contents, in one write to avoid flicker."""
        self._write("\033[H" + "\r\n".join(line + "\033[K" for line in lines) + "\033[J")

    def key(self, timeout_s: float) -> str:
        """The next key; empty if none is pressed in time. The end of input is a q."""
        ready, _, _ = select.select([self._keyboard], [], [], max(0.0, timeout_s))
        if not ready:
            return ""
        return os.read(self._keyboard, 64).decode("utf-8", "replace")[:1] or "q"

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
