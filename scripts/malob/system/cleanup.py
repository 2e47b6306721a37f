"""Removing things: a step that fails keeps no other step from being taken."""

from __future__ import annotations

from typing import Callable

from malob.errors import ScriptError
from malob.system.waiting import say


class Cleanup:
    """Takes steps, and tells in the end what could not be removed."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def step(self, what: str, work: Callable[[], object]) -> None:
        """Removes something. An error is kept for finish()."""
        try:
            work()
        except Exception as error:  # after any error, the other steps must still run
            reason = str(error) if isinstance(error, (ScriptError, OSError)) else repr(error)
            self.failures.append(f"{what}: {reason}")

    def finish(self, advice: str = "") -> None:
        """Raises ScriptError if a step has failed. advice: what to do then, a sentence."""
        if self.failures:
            raise ScriptError(f"not everything could be removed: {'; '.join(self.failures)}" + (f". {advice}" if advice else ""))

    def report(self) -> None:
        """Says on stderr what could not be removed; for clean-up after a failure, which is to be told as well."""
        for failure in self.failures:
            say(f"could not be removed: {failure}")
