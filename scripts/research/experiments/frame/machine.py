"""The machine of an experiment."""

from __future__ import annotations

import os
import platform
import re
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
        "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1),
        "kernel": platform.release(),
        "system": _system(),
        "python": platform.python_version(),
        "open_vswitch": _first_line(["ovs-vswitchd", "--version"]),
        "load_before": round(os.getloadavg()[0], 2),
        "commit": _first_line(["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "rev-parse", "HEAD"]),
    }


def _processor() -> str | None:
    found = re.search(r"^model name\s*:\s*(.*\S)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found and found[1]


def _system() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def _first_line(command: list[str]) -> str | None:
    program = find_program(command[0])
    if program is None:
        return None
    try:
        return next(iter(run([program, *command[1:]], check=False).splitlines()), None)
    except ScriptError:
        return None
