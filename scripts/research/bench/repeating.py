"""Does something again and again in a thread, while something else is measured."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Callable

from malob.errors import ScriptError


@contextmanager
def repeating(work: Callable[[], None], every_s: float) -> Iterator[None]:
    """Inside, work is done at once and then each every_s. Raises its ScriptError at the end."""
    stopped, failures = threading.Event(), list[ScriptError]()

    def repeat() -> None:
        while True:
            try:
                work()
            except ScriptError as error:
                failures.append(error)
                return
            if stopped.wait(every_s):
                return

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()
    if failures:
        raise failures[0]
