"""Parses a controller's log, with the time of each line. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable

from research.bench.soak.model import DOWN, Fault

_DAY_S = 86_400.0
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d\.\d{3}) ")
_DOWN = re.compile(r" member_down member=(\S+)")
_WRONG = re.compile(r"\d ERROR |^\S*(Exception|Error)\b")


def moments(lines: Iterable[str], begin: float, begin_of_day_s: float) -> list[tuple[float, str]]:
    """Lines that have a time, by a clock that showed `begin` at begin_of_day_s after midnight. The log may pass midnight."""
    found = []
    for line in lines:
        time = _TIME.match(line)
        if time is not None:
            of_day_s = 3600 * int(time[1]) + 60 * int(time[2]) + float(time[3])
            # within half a day before or after the beginning
            passed_s = (of_day_s - begin_of_day_s + _DAY_S / 2) % _DAY_S - _DAY_S / 2
            found.append((begin + passed_s, line))
    return found


def downs(lines: Iterable[tuple[float, str]]) -> list[Fault]:
    """The members that were taken down by their checks, with times."""
    found = ((at, _DOWN.search(line)) for at, line in lines)
    return [Fault(DOWN, down[1], at, at) for at, down in found if down]


def errors(lines: Iterable[str]) -> list[str]:
    """Lines that must not occur: errors, and the first lines of stack traces."""
    return [line for line in lines if _WRONG.search(line)]
