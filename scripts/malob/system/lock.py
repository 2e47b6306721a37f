"""Locks between programs, by files that tell who holds them."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from malob.errors import ScriptError
from malob.system.waiting import say

#: The time after which the user is told the reason of the wait.
_QUIET_S = 1.0


@contextmanager
def locked(path: Path, what: str, patience_s: float) -> Iterator[None]:
    """Inside, this program holds the lock; it ends with the program, however that ends. what: what is done meanwhile, for others.

    Raises ScriptError, which names the other process and what it does, after patience_s.
    """
    file = _open(path)
    try:
        _take(file, path, patience_s)
        _describe(file, f"process {os.getpid()} {what}")
        try:
            yield
        finally:
            _describe(file, "")
    finally:
        os.close(file)


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise ScriptError(f"{path} cannot be opened: {error.strerror}") from None


def _take(file: int, path: Path, patience_s: float) -> None:
    begun, told = time.monotonic(), False
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            holder = os.pread(file, 200, 0).decode(errors="replace").strip() or "another process"
        waited = time.monotonic() - begun
        if waited >= patience_s:
            more = f"; waited {patience_s:g} s for it" if patience_s else ""
            raise ScriptError(f"{holder} ({path}){more}")
        if waited > _QUIET_S and not told:
            say(f"waiting: {holder}")
            told = True
        time.sleep(0.05)


def _describe(file: int, words: str) -> None:
    try:
        os.ftruncate(file, 0)
        os.pwrite(file, words.encode(), 0)
    except OSError:
        # a disk that is full; the lock holds all the same
        pass
