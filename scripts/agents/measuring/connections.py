"""Established TCP connections by local port, as the kernel lists them for this network namespace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ESTABLISHED = "01"


def established(ports: Sequence[int], tables: Iterable[Path] = _TABLES) -> dict[int, int]:
    """How many connections each of these ports has. One pass over the tables; a missing table counts as empty."""
    counts = dict.fromkeys(ports, 0)
    by_text = {f"{port:04X}": port for port in ports}
    for table in tables:
        try:
            lines = open(table, encoding="ascii", errors="replace")  # noqa: SIM115 - closed below
        except FileNotFoundError:  # without IPv6
            continue
        with lines:
            next(lines, None)
            for line in lines:
                fields = line.split(None, 4)
                if len(fields) > 3 and fields[3] == _ESTABLISHED:
                    port = by_text.get(fields[1].rpartition(":")[2])
                    if port is not None:
                        counts[port] += 1
    return counts
