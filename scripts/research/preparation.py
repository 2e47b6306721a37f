"""What research needs on this machine, besides what the launcher builds: a Python that has certain libraries.

The distribution's packages are for its own Python, which need not be ours.
"""

from __future__ import annotations

import os
from pathlib import Path

from malob.system import preparation
from malob.system.environment import python_with


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
