"""Command lines of a controller's whole configuration: `malob apply FILE` puts it, `malob config` prints it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from malob.cli import target
from malob.cli.arguments import Parser
from malob.cli.table import show
from malob.errors import ScriptError, UsageError
from malob.rest.client import JSON, YAML, RestClient, RestError, asking
from malob.system.waiting import say

PATH = "/wm/malob/config"

_KINDS = {".json": JSON, ".yaml": YAML, ".yml": YAML}

_CHANGED_MEANWHILE = 412

#: Thousands of members take a controller a moment.
_TIMEOUT_S = 60

_SIGNS = {"add": "+", "change": "~", "remove": "-"}
_COLOURS = {"add": "32", "change": "33", "remove": "31"}


@dataclass(frozen=True)
class Document:
    """A file's unparsed text: the controller parses it. name: for errors; kind: its Content-Type."""

    name: str
    kind: str
    text: str


def read(file: str) -> Document:
    """'-' is standard input. Raises UsageError if it cannot be read, or is not text."""
    name = "standard input" if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        text = data.decode("utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{name} is not UTF-8") from None
    guess = JSON if text.lstrip()[:1] == "{" else YAML
    return Document(name, _KINDS.get(Path(file).suffix.lower(), guess), text)


def _put(rest: RestClient, document: Document, etag: str | None) -> list[dict[str, Any]]:
    """Applies all changes or none, and only if the configuration is still that of the etag, if any. Returns the changes. Raises as _changes()."""
    return _changes(rest, document, "", {} if etag is None else {"If-Match": etag})


def _changes(rest: RestClient, document: Document, query: str, headers: dict[str, str]) -> list[dict[str, Any]]:
    """Raises UsageError if the document is wrong, RestError."""
    try:
        answer = rest.ask("POST", PATH + query, document.text, {"Content-Type": document.kind, **headers})
    except RestError as error:
        raise _explained(error, document) from None
    found: list[dict[str, Any]] = rest.json_of(answer, f"POST {PATH}")["changes"]
    return found


def _explained(error: RestError, document: Document) -> Exception:
    if error.status == _CHANGED_MEANWHILE:
        return RestError("another client changed the configuration meanwhile; nothing was changed", error.status)
    if error.status not in (400, 409, 422):
        return error
    blamed = f"{error.field}: " if error.field and error.field not in error.sentence else ""
    return UsageError(f"{document.name}: {blamed}{error.sentence}")


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


def _apply_parser() -> Parser:
    made = Parser(
        prog="malob apply",
        description="Applies a file to a controller's VIPs, pools, members and services: shows the changes, asks, and then applies"
        " all of them or none. Objects that are missing in an array of the file are removed; kinds without an array do not change."
        " './malob config' prints such a file.",
    )
    made.add_argument("file", metavar="FILE", help="YAML or JSON; '-' for standard input")
    made.add_argument("--yes", action="store_true", help="do not ask")
    how = made.add_mutually_exclusive_group()
    how.add_argument("--dry-run", action="store_true", help="show the changes without applying them")
    how.add_argument("--check", action="store_true", help="like --dry-run; exit code 1 if something would change")
    made.add_argument("--json", action="store_true", help="print one JSON document: the changes, and whether they were applied")
    target.add_target(made)
    return made


def _config_parser() -> Parser:
    made = Parser(prog="malob config", description="Prints a controller's VIPs, pools, members and services as one YAML file.")
    made.add_argument("--json", action="store_true", help="print one JSON document instead")
    target.add_target(made)
    return made


def parser(name: str) -> Parser:
    return _apply_parser() if name == "apply" else _config_parser()


def main() -> int:
    name = sys.argv[1]
    options = parser(name).parse_args(sys.argv[2:])
    return _apply(options) if name == "apply" else _config(options)


def _config(options: argparse.Namespace) -> int:
    rest = target.client(options, _TIMEOUT_S)
    with asking(rest):
        text = json.dumps(rest.get(PATH), indent=2) if options.json else rest.get_text(PATH, YAML)
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return 0


def _apply(options: argparse.Namespace) -> int:
    only_shows = options.dry_run or options.check
    if not (only_shows or options.yes or (options.file != "-" and sys.stdin.isatty())):
        raise UsageError("no terminal for the question: use --yes to apply, or --dry-run to show the changes")
    document = read(options.file)
    rest = target.client(options, _TIMEOUT_S)
    with asking(rest):
        # read before the changes: a change in between is detected when they are applied
        etag = rest.ask("GET", PATH).etag
        proposed = _changes(rest, document, "?dry_run=true", {})
    if only_shows:
        _show(proposed, False, options.json)
        return 1 if options.check and proposed else 0
    if not proposed:
        _show([], True, options.json)
        return 0
    if not options.yes:
        print("\n".join(lines(proposed, _coloured(sys.stderr))), file=sys.stderr)
        _confirm(len(proposed))
    with asking(rest):
        changes = _put(rest, document, etag)
    if options.json or options.yes:
        _show(changes, True, options.json)
    say(f"{_count(len(changes))} applied")
    return 0


def _show(changes: list[dict[str, Any]], applied: bool, as_json: bool) -> None:
    if as_json or changes:
        show({"changes": changes, "applied": applied}, as_json, lambda: lines(changes, _coloured(sys.stdout)))
    else:
        say("nothing to change")


def _confirm(count: int) -> None:
    """Returns if the user says yes. Raises ScriptError otherwise."""
    print(f"apply {'this change' if count == 1 else f'these {count} changes'}? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ScriptError("nothing was changed")


def _coloured(stream: TextIO) -> bool:
    return stream.isatty() and "NO_COLOR" not in os.environ


def _count(number: int) -> str:
    return "1 change" if number == 1 else f"{number} changes"
