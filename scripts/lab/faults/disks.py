"""Disks that have no room left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from malob.system.processes import run

_FILLING = "filling"


@contextmanager
def small(directory: Path, kilobytes: int) -> Iterator[None]:
    """The directory, which is empty, is on a disk of its own, of that size, in memory."""
    run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "malob-fault", str(directory)])
    try:
        yield
    finally:
        # lazily: processes with open files there may live a moment longer
        run(["umount", "--lazy", str(directory)])


@contextmanager
def full(directory: Path) -> Iterator[None]:
    """There is no byte left on the directory's disk, which ought to be a small one."""
    filling = directory / _FILLING
    try:
        with open(filling, "wb", buffering=0) as file, suppress(OSError):  # until there is no room
            while file.write(bytes(os.statvfs(directory).f_frsize)):
                pass
        yield
    finally:
        filling.unlink(missing_ok=True)
