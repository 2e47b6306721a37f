"""Finds a Python with the libraries for research.

The distribution's packages are for its own Python, which may differ from the running one.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from malob.system import preparation
from malob.system.environment import python_with


def prepare(*parts: str) -> None:
    """Prepares parts, numpy and scipy; of the part "plots", matplotlib. Call it before the command has started anything: see restart_with().

    Raises MissingError or ScriptError.
    """
    for part in (*parts, "statistics"):
        preparation.prepare(part)
    restart_with("scipy", *(["matplotlib"] if "plots" in parts else []))


def restart_with(*modules: str) -> None:
    """Restarts this command in a Python that has these modules, unless this Python has them. Raises MissingError."""
    python = python_with(", ".join(modules), ", ".join(f"python3-{module}" for module in modules))
    if python != sys.executable:
        words = Path("/proc/self/cmdline").read_text(encoding="utf-8").split("\0")[1:-1]
        os.execv(python, [python, *words])
