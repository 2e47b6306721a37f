"""Items of the catalog as text for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from malob.cli.catalog.kinds import Kind
from malob.cli.table import render

UNKNOWN = "-"

_NUMBERS = ("port", "weight")


def table(kind: Kind, items: Sequence[Mapping[str, Any]]) -> list[str]:
    """One line for each item."""
    rows = [[_cell(kind, item, key) for key in kind.columns.values()] for item in items]
    right = [place for place, key in enumerate(kind.columns.values()) if key in _NUMBERS]
    return render(list(kind.columns), rows, right)


def details(kind: Kind, item: Mapping[str, Any]) -> list[str]:
    """One line for each field, those first that the table has."""
    keys = [key for key in kind.columns.values() if key in item]
    keys += [key for key in item if key not in keys]
    return render(["field", "value"], [[key, _cell(kind, item, key)] for key in keys])


def _cell(kind: Kind, item: Mapping[str, Any], key: str) -> str:
    value = item.get(key)
    if isinstance(value, list):
        return " ".join(map(str, value)) or UNKNOWN
    if isinstance(value, dict):
        return ",".join(f"{name}={part}" for name, part in value.items()) or UNKNOWN
    if isinstance(value, bool):
        return str(value).lower()
    return kind.empty.get(key, UNKNOWN) if value is None else str(value) or UNKNOWN
