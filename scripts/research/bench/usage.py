"""The memory and processor time of a process, from the kernel."""

from __future__ import annotations

import os
import re
from pathlib import Path

from malob.errors import ScriptError


def cpu_seconds(pid: int) -> float:
    """The processor time of a process and all its threads so far. Raises ScriptError if it has ended."""
    return cpu_seconds_in(_read(pid, "stat"), os.sysconf("SC_CLK_TCK"))


def thread_cpu_seconds(pid: int, name: str) -> float:
    """The processor time so far of those threads of a process whose names begin with this one."""
    stats = [_read(pid, f"task/{thread.name}/stat") for thread in Path(f"/proc/{pid}/task").iterdir()]
    return sum(cpu_seconds_in(stat, os.sysconf("SC_CLK_TCK")) for stat in stats if stat.partition("(")[2].startswith(name))


def resident_mb(pid: int) -> float:
    """Resident memory in millions of bytes, including shared memory. Raises ScriptError if it has ended."""
    return resident_mb_in(_read(pid, "status"))


def cpu_seconds_in(stat: str, ticks_per_s: int) -> float:
    """stat: the text of /proc/PID/stat."""
    # the name of the program, in brackets, may contain blanks and brackets
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / ticks_per_s


def resident_mb_in(status: str) -> float:
    """status: the contents of /proc/PID/status. Raises ScriptError if the value is missing, because the process is ending."""
    found = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
    if found is None:
        raise ScriptError("a measured process has ended")
    return int(found.group(1)) * 1024 / 1e6


def _read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text()
    except OSError:
        raise ScriptError(f"the measured process {pid} has ended") from None
