"""Processes that stand still, and go on later as if nothing had been."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """The process does nothing, its connections stay: SIGSTOP, and SIGCONT in the end."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # it was ended meanwhile
            os.kill(pid, signal.SIGCONT)
