"""Processes that are suspended and resumed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """The process is suspended, its connections stay open: SIGSTOP, and SIGCONT at the end."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # it was ended meanwhile
            os.kill(pid, signal.SIGCONT)
