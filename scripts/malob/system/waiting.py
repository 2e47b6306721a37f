"""Waiting for something with a limit, and signals that end a program in order."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Callable

from malob.errors import ScriptError
from malob.system.progress import Line

QUIET_S = 5.0
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def say(text: str) -> None:
    """One line, on stderr. On a terminal it takes the place of what shows progress there."""
    start = "\r\033[K" if Line.in_the_way(sys.stderr) else ""
    print(start + text, file=sys.stderr, flush=True)


def wait_until(
    condition: Callable[[], object],
    what: str,
    timeout_s: float,
    interval_s: float = 0.1,
    detail: Callable[[], str] = lambda: "",
) -> None:
    """Returns once the condition holds.

    Raises ScriptError, with what was waited for and the detail, after timeout_s. A wait of more than
    five seconds shows the time that is left, if stderr is a terminal.
    """
    start = time.monotonic()
    with Line() as line:
        while not condition():
            waited = time.monotonic() - start
            if waited > timeout_s:
                words = detail()
                raise ScriptError(f"waited {timeout_s:g} s for {what}" + (f": {words}" if words else ""))
            if waited > QUIET_S:
                line.show(f"  waiting for {what}, {timeout_s - waited:.0f} s left")
            time.sleep(interval_s)


@contextmanager
def _handled(numbers: Sequence[signal.Signals], handler: Any) -> Iterator[dict[signal.Signals, Any]]:
    """Inside, signals have this handler; gives those that they had before."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield before
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@contextmanager
def orderly_end() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP raise KeyboardInterrupt as Ctrl-C does, so that clean-up code runs."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    with _handled((signal.SIGTERM, signal.SIGHUP), interrupt):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Inside, Ctrl-C, SIGTERM and SIGHUP are ignored: cleaning up is not left half done."""
    with _handled(_ENDING, signal.SIG_IGN):
        yield


@contextmanager
def postponed() -> Iterator[None]:
    """Inside, Ctrl-C, SIGTERM and SIGHUP wait: what they do, they do at its end. For what takes a moment, and would be lost."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    came: list[tuple[int, FrameType | None]] = []
    try:
        with _handled(_ENDING, lambda *signalled: came.append(signalled)) as before:
            yield
    finally:
        for came_number, frame in came:
            earlier = before[signal.Signals(came_number)]
            if callable(earlier):
                earlier(came_number, frame)
            elif earlier == signal.SIG_DFL:
                signal.raise_signal(signal.Signals(came_number))
