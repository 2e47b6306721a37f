"""What commands print: JSON or plain text, tables, and addresses with ports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Callable


def show(document: Any, as_json: bool, lines: Callable[[], Iterable[str]]) -> None:
    """Prints a document as JSON, or else its lines for people."""
    print(json.dumps(document, indent=2) if as_json else "\n".join(lines()))


def with_port(address: str, port: int | None) -> str:
    """An address with its port, if there is one: 10.0.0.1:80 or [2001:db8::1]:80."""
    if port is None:
        return address
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def render(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """The lines of a table: columns as wide as their widest cell, two spaces apart, no lines drawn.

    right: the columns, counted from 0, that are set flush right. Rows have as many cells as the header.
    """
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines = []
    for row in (header, *rows):
        cells = [cell.rjust(width) if i in right else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return lines
