"""The machine of an experiment."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from malob.errors import ScriptError
from malob.system.place import ROOT
from malob.system.processes import find_program, run


def facts() -> dict[str, Any]:
    """The data that readers need to compare figures: processors, memory, versions; unknown ones are None."""
    return {
        "processor": _processor(),
        "processors": os.cpu_count(),
        "memory_gib": round(_memory_bytes() / 2**30, 1),
        "kernel": platform.release(),
        "system": _system(),
        "python": platform.python_version(),
        "open_vswitch": _first_line(["ovs-vswitchd", "--version"]),
        "load_before": round(os.getloadavg()[0], 2),
        "commit": _first_line(["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "rev-parse", "HEAD"]),
    }


def _processor() -> str | None:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return None


def _memory_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _system() -> str | None:
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return None
    return next((line.partition("=")[2].strip('"') for line in lines if line.startswith("PRETTY_NAME=")), None)


def _first_line(command: list[str]) -> str | None:
    program = find_program(command[0])
    if program is None:
        return None
    try:
        return next(iter(run([program, *command[1:]], check=False).splitlines()), None)
    except ScriptError:
        return None
