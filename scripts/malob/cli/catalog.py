"""The catalog: `malob KIND list|show|add|set|rm`, and `malob member drain`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Callable

from malob.cli import target
from malob.cli.arguments import Commands, Parser, seconds
from malob.cli.kinds import BASE, KINDS, MEMBER, Field, Kind
from malob.cli.table import render, show
from malob.errors import ScriptError, UsageError
from malob.rest.client import RestClient, RestError, asking, segment
from malob.system.progress import Line
from malob.system.waiting import orderly_end, say

UNKNOWN = "-"

_NUMBERS = ("port", "weight")
_PAUSE_S = 0.5


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


def drain(rest: RestClient, member: str) -> None:
    """Stops new connections to the member; open ones continue. Raises RestError."""
    rest.change(f"{MEMBER.path}{segment(member)}", {"admin_state": "drain"}, f"member {member}")


def open_connections(rest: RestClient, member: str) -> int:
    """The number of open connections of the member; 0 if it no longer exists, or is in no pool. Raises RestError."""
    try:
        pool = rest.get(f"{MEMBER.path}{segment(member)}")["pool_id"]
        members = rest.get(f"{BASE}/pools/{segment(pool)}/stats/")["members"] if pool is not None else []
    except RestError as error:
        if error.status == 404:
            return 0
        raise
    return sum(each["active_connections"] for each in members if each["id"] == member)


def wait(
    rest: RestClient,
    members: Sequence[str],
    timeout_s: float | None,
    tell: Callable[[str], object],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Returns once no member has connections in use. tell: called with their number repeatedly.

    Raises ScriptError after timeout_s.
    """
    start = clock()
    while True:
        now = {member: open_connections(rest, member) for member in members}
        words = ", ".join(f"{member} {count}" for member, count in now.items() if count)
        if not words:
            return
        if timeout_s is not None and clock() - start >= timeout_s:
            raise ScriptError(f"after {timeout_s:g} s connections are still open: {words}")
        tell(f"open connections: {words}")
        sleep(_PAUSE_S)


def parser(name: str) -> Parser:
    """The command line of the kind of that name."""
    kind = KINDS[name]
    made = Parser(prog=f"malob {kind.name}", description=f"{kind.meaning[0].upper()}{kind.meaning[1:]}.")
    actions = made.add_commands("ACTION")

    listing = actions.add_parser("list", help="list all, oldest first")
    if kind is MEMBER:
        listing.add_argument("--pool", metavar="POOL", help="only members of this pool", completes="pool")
    listing.set_defaults(run=_list)

    show = actions.add_parser("show", help="show one with all its fields")
    show.add_argument("id", metavar="ID", completes=kind.name)
    show.set_defaults(run=_show)

    add = actions.add_parser("add", help="add one")
    add.add_argument("id", metavar="ID", nargs="?", help="the permanent id (default: a unique one)")
    for field in kind.fields:
        _add_field(add, field, field.required)
    add.set_defaults(run=_add)

    change = actions.add_parser("set", help="change the given fields")
    change.add_argument("id", metavar="ID", completes=kind.name)
    for field in kind.fields:
        _add_field(change, field, False)
    clearable = [field.option[2:] for field in kind.fields if field.optional]
    change.add_argument(
        "--unset",
        metavar="FIELD",
        action="append",
        default=[],
        choices=clearable,
        help=f"clear a field ({', '.join(clearable)}); may be repeated",
    )
    change.set_defaults(run=_set)

    remove = actions.add_parser("rm", help="remove; objects that refer to it stay and lose the reference")
    remove.add_argument("id", metavar="ID", nargs="+", completes=kind.name)
    remove.set_defaults(run=_remove)

    if kind is MEMBER:
        _add_drain(actions)
    for action in actions.parsers.values():
        if action is not remove:
            action.add_argument("--json", action="store_true", help="print one JSON document")
        target.add_target(action)
        action.set_defaults(kind=kind)
    return made


def _add_field(action: Parser, field: Field, required: bool) -> None:
    action.add_argument(
        field.option,
        dest=field.key,
        metavar=field.metavar,
        help=field.help,
        required=required,
        choices=field.choices or None,
        completes=field.refers or "",
    )


def _add_drain(actions: Commands) -> None:
    drain = actions.add_parser(
        "drain",
        help="stop new connections; open ones continue",
        description="Stops new connections to the members; open ones continue. './malob member set ID --admin-state up' undoes it.",
    )
    drain.add_argument("id", metavar="ID", nargs="+", completes="member")
    drain.add_argument(
        "--wait",
        action="store_true",
        help="wait until their connections have ended; connections idle for longer than the rule time-out do not count",
    )
    drain.add_argument("--timeout", metavar="SECONDS", type=seconds, help="with --wait: give up after this time, with exit code 1")
    drain.set_defaults(run=_drain)


def main() -> int:
    if sys.argv[1] not in KINDS:
        raise UsageError(f"expected {', '.join(KINDS)}")
    kind = KINDS[sys.argv[1]]
    options = parser(kind.name).parse_args(sys.argv[2:])
    rest = target.client(options)
    with asking(rest, kind.options()), orderly_end():
        options.run(rest, options)
    return 0


def _list(rest: Any, options: argparse.Namespace) -> None:
    kind = options.kind
    pool = getattr(options, "pool", None)
    items = rest.get_all(kind.path if pool is None else f"{BASE}/pools/{segment(pool)}/members/")
    if options.json or items:
        show(items, options.json, lambda: table(kind, items))
    else:
        say(f"no {kind.collection}")


def _show(rest: Any, options: argparse.Namespace) -> None:
    item = rest.get(_path(options))
    show(item, options.json, lambda: details(options.kind, item))


def _add(rest: Any, options: argparse.Namespace) -> None:
    given = {} if options.id is None else {"id": options.id}
    _say_item(rest.post(options.kind.path, {**given, **_fields(options)}), options)


def _set(rest: Any, options: argparse.Namespace) -> None:
    by_option = {field.option[2:]: field.key for field in options.kind.fields}
    cleared = {by_option[name]: None for name in options.unset}
    fields = _fields(options)
    for key in cleared:
        if key in fields:
            raise UsageError(f"{options.kind.options()[key]}: given and cleared by --unset")
    if not fields and not cleared:
        raise UsageError("nothing to set; --help lists the fields")
    _say_item(rest.change(_path(options), {**fields, **cleared}, f"{options.kind.name} {options.id}"), options)


def _remove(rest: Any, options: argparse.Namespace) -> None:
    for each in options.id:
        rest.delete(f"{options.kind.path}{segment(each)}")
        say(f"{options.kind.name} {each} is removed")


def _drain(rest: Any, options: argparse.Namespace) -> None:
    if options.timeout is not None and not options.wait:
        raise UsageError("--timeout: only with --wait")
    for member in options.id:
        drain(rest, member)
    if options.wait:
        with Line() as line:
            wait(rest, options.id, options.timeout, line.show)
    members = [rest.get(f"{MEMBER.path}{segment(member)}") for member in options.id]
    show(members, options.json, lambda: table(MEMBER, members))


def _path(options: argparse.Namespace) -> str:
    return f"{options.kind.path}{segment(options.id)}"


def _fields(options: argparse.Namespace) -> dict[str, Any]:
    """The given values, with numbers converted. Other strings of digits stay strings, which the controller keeps or rejects."""
    told = {field.key: getattr(options, field.key) for field in options.kind.fields}
    return {key: _value(text) for key, text in told.items() if text is not None}


def _value(text: str) -> Any:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 and str(int(text)) == text else text


def _say_item(item: dict[str, Any], options: argparse.Namespace) -> None:
    show(item, options.json, lambda: table(options.kind, [item]))
