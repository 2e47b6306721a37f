"""What research needs on this machine, besides what the launcher builds: a Python that has certain libraries.

The distribution's packages are for its own Python, which need not be ours.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from malob.errors import MissingError
from malob.system import preparation
from malob.system.processes import succeeds


def prepare(*parts: str) -> None:
    """Prepares parts, and numpy and scipy. If this Python does not have these, the same command begins again in one that does.

    To be called before anything has begun. Raises MissingError or ScriptError.
    """
    for part in (*parts, "statistics"):
        preparation.prepare(part)
    go_on_with_scipy()


def go_on_with_scipy() -> None:
    """Begins the same command again in a Python that has scipy, unless this one does. Raises MissingError."""
    try:
        import scipy  # noqa: F401
    except ImportError:
        python = python_with("scipy", "python3-scipy")
        words = Path("/proc/self/cmdline").read_text(encoding="utf-8").split("\0")[1:-1]
        os.execv(python, [python, *words])


def python_with(module: str, package: str) -> str:
    """The path of an interpreter that can import a module. Raises MissingError, naming the package."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        if succeeds([candidate, "-I", "-c", f"import {module}"], timeout_s=60):
            return candidate
    raise MissingError(f"no Python here has {module} (package {package})")
