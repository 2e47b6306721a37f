"""Counts moves of buckets."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

from malob.errors import ScriptError
from research.bench.proactive.proactive_site import ProactiveSite

#: A bucket of a proactive VIP is on the move for seconds, so no move of one is missed.
POLL_S = 0.5


class Moves:
    """Counts the moves of buckets by the switches' tables, in a thread of its own, inside a with statement."""

    def __init__(self, site: ProactiveSite) -> None:
        self._site = site
        self._assignment = site.assignment()
        self._stopped = threading.Event()
        self._error: ScriptError | None = None
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._count = 0
        self.last = time.monotonic()

    @property
    def count(self) -> int:
        """So far. Raises ScriptError if it could not read a table."""
        if self._error is not None:
            raise self._error
        return self._count

    @property
    def buckets(self) -> int:
        return len(self._assignment)

    def _watch(self) -> None:
        while not self._stopped.wait(POLL_S):
            try:
                now = self._site.assignment()
            except ScriptError as error:
                self._error = error
                return
            moved = moves(self._assignment, now)
            if moved:
                self._count += moved
                self.last = time.monotonic()
            # buckets that are moving keep their old member
            self._assignment = {**self._assignment, **now}

    def __enter__(self) -> Moves:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()


def moves(before: Mapping[tuple[str, str], str], after: Mapping[tuple[str, str], str]) -> int:
    """The number of buckets that have another member. Buckets that are in one of them only do not count."""
    return sum(bucket in before and before[bucket] != member for bucket, member in after.items())
