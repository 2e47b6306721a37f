"""Full disks, and tables of switches that are full."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lab.instance import Instance
from malob.system import ovs
from malob.system.processes import run

_FILLING = "filling"


@contextmanager
def small(directory: Path, kilobytes: int) -> Iterator[None]:
    """The directory, which is empty, is on a separate disk in memory of this size."""
    run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "malob-fault", str(directory)])
    try:
        yield
    finally:
        # lazily: processes with open files there may live a moment longer
        run(["umount", "--lazy", str(directory)])


@contextmanager
def full(directory: Path) -> Iterator[None]:
    """The directory's disk, which should be small, is full."""
    filling = directory / _FILLING
    try:
        with open(filling, "wb", buffering=0) as file, suppress(OSError):  # until the disk is full
            while file.write(bytes(os.statvfs(directory).f_frsize)):
                pass
        yield
    finally:
        filling.unlink(missing_ok=True)


@contextmanager
def full_table(lab: Instance, switch: str, table: int) -> Iterator[None]:
    """The table accepts no more rules: TABLE_FULL."""
    bridge = lab.bridge(switch)
    rules = ovs.ofctl("dump-flows", bridge, f"table={table}").count("cookie=")
    limit = ["--id=@limit", "create", "Flow_Table", f"flow_limit={rules}", "overflow_policy=refuse"]
    ovs.vsctl("--", *limit, "--", "set", "Bridge", bridge, f"flow_tables:{table}=@limit")
    try:
        yield
    finally:
        ovs.vsctl("remove", "Bridge", bridge, "flow_tables", str(table))
