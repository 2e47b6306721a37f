"""Checks whether a command printed what a page says."""

from __future__ import annotations

import re

ANYTHING = "…"

_NUMBER = re.compile(r"[-−+]?\d[\d,]*(?:\.\d+)?")
_NUMBER_OR_UNKNOWN = r"(?:[-−+]?\d[\d,]*(?:\.\d+)?|-)"


def matches(expected: tuple[str, ...] | list[str], printed: str, figures_vary: bool = False) -> bool:
    """Compares whole lines; blanks at their ends and empty lines at the end do not count.

    If figures vary, the order of lines may vary, too: for example, tables are sorted by clients' ports.
    """
    if re.fullmatch(_pattern(expected, figures_vary), _normal(printed)):
        return True
    return figures_vary and _in_another_order(expected, _normal(printed).splitlines())


def _in_another_order(expected: tuple[str, ...] | list[str], printed: list[str]) -> bool:
    left = list(printed)
    for line in expected:
        found = next((each for each in left if re.fullmatch(_line(line.rstrip(), True), each)), None)
        if line.strip() == ANYTHING or found is None:
            return False
        left.remove(found)
    return not left


def shows(expected: tuple[str, ...] | list[str], printed: str, figures_vary: bool = False) -> bool:
    """Whether the lines occur consecutively in the output so far."""
    return re.search(r"(?:^|\n)" + _pattern(expected, figures_vary), _normal(printed)) is not None


def _normal(printed: str) -> str:
    return "".join(line.rstrip() + "\n" for line in printed.rstrip().splitlines())


def _pattern(expected: tuple[str, ...] | list[str], figures_vary: bool) -> str:
    lines = [line.rstrip() for line in expected]
    while lines and not lines[-1]:
        lines.pop()
    return "".join(r"(?:.*\n)*?" if line.strip() == ANYTHING else _line(line, figures_vary) + r"\n" for line in lines)


def _line(line: str, figures_vary: bool) -> str:
    return ".*".join(_words(part, figures_vary) for part in line.split(ANYTHING))


def _words(text: str, figures_vary: bool) -> str:
    if not figures_vary:
        return re.escape(text)
    pieces = _NUMBER.split(text)
    pattern = _NUMBER_OR_UNKNOWN.join(re.escape(piece) for piece in pieces)
    # columns are as wide as their figures
    return re.sub(r"(?:\\ )+", r" *", pattern)
