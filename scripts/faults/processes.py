"""Processes that stand still, and go on later as if nothing had been."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack, contextmanager, suppress
from typing import Iterator

from base.commands import ProcessId
from base.errors import ScriptError
from lab import control


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """The process does nothing, its connections stay: SIGSTOP, and SIGCONT in the end."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # it was ended meanwhile
            os.kill(pid, signal.SIGCONT)


@contextmanager
def mute_controllers() -> Iterator[None]:
    """The control channels with a delay carry nothing, and neither end is told: their relay stands still."""
    relays = ProcessId.with_argument(str(control.RELAY))
    if not relays:
        raise ScriptError("no switch of the lab has its control channel delayed")
    with ExitStack() as all_of_them:
        for relay in relays:
            all_of_them.enter_context(stopped(relay.pid))
        yield
