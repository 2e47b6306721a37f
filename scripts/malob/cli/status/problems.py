"""Problems that keep a load balancer from working, as lines. The controller finds them and writes the sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: The max number of lines.
_MAX_LINES = 20


def lines(problems: Sequence[Mapping[str, Any]]) -> list[str]:
    """One line for each problem, in the form of /wm/malob/problems."""
    shown = [_line(problem) for problem in problems[:_MAX_LINES]]
    left_out = len(problems) - len(shown)
    return shown + ([f"and {left_out} more: ./malob status --json lists all"] if left_out else [])


def _line(problem: Mapping[str, Any]) -> str:
    command = problem["command"]
    remedy = problem["remedy"] if command is None else f"{problem['remedy'].rstrip('.')}: {command}"
    return f"{problem['problem']} {remedy}"
