"""Changes of a configuration as text for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_SIGNS = {"add": "+", "change": "~", "remove": "-"}
_COLOURS = {"add": "32", "change": "33", "remove": "31"}


def lines(changes: Sequence[Mapping[str, Any]], coloured: bool) -> list[str]:
    """One for each change: +, ~ or -, the item, and its fields, changed values as 'before -> after'."""
    width = max((len(_item(change)) for change in changes), default=0)
    return [_line(change, width, coloured) for change in changes]


def _line(change: Mapping[str, Any], width: int, coloured: bool) -> str:
    action = change["action"]
    text = f"{_SIGNS[action]} {_item(change):{width}}  {', '.join(_fields(change))}".rstrip()
    return f"\033[{_COLOURS[action]}m{text}\033[0m" if coloured else text


def _item(change: Mapping[str, Any]) -> str:
    return f"{change['kind']} {change['id']}"


def _fields(change: Mapping[str, Any]) -> list[str]:
    before, after = change["before"], change["after"]
    if before is None or after is None:
        item = before if after is None else after
        return [f"{key} {_word(value)}" for key, value in (item or {}).items() if key != "id" and value not in (None, [])]
    keys = [*before, *(key for key in after if key not in before)]
    return [f"{key} {_word(before.get(key))} -> {_word(after.get(key))}" for key in keys if before.get(key) != after.get(key)]


def _word(value: Any) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value)
