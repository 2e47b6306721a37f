"""Command lines of a controller's whole configuration: `malob apply FILE` puts it, `malob config` prints it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any, TextIO

from malob.cli import target
from malob.cli.apply import tree
from malob.cli.apply.view import lines
from malob.cli.arguments import Parser
from malob.errors import ScriptError, UsageError, run_main
from malob.rest.client import YAML, asking
from malob.system.waiting import say

#: Thousands of members take a controller a moment.
_TIMEOUT_S = 60


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
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in ("apply", "config"):
        raise UsageError(f"expected apply or config, not '{name}'")
    options = parser(name).parse_args(sys.argv[2:])
    return _apply(options) if name == "apply" else _config(options)


def _config(options: argparse.Namespace) -> int:
    rest = target.client(options, _TIMEOUT_S)
    with asking(rest):
        text = json.dumps(rest.get(tree.PATH), indent=2) if options.json else rest.get_text(tree.PATH, YAML)
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return 0


def _apply(options: argparse.Namespace) -> int:
    only_shows = options.dry_run or options.check
    if not (only_shows or options.yes or (options.file != "-" and sys.stdin.isatty())):
        raise UsageError("no terminal for the question: use --yes to apply, or --dry-run to show the changes")
    document = tree.read(options.file)
    rest = target.client(options, _TIMEOUT_S)
    with asking(rest):
        proposal = tree.propose(rest, document)
    if only_shows:
        _show(proposal.changes, False, options.json)
        return 1 if options.check and proposal.changes else 0
    if not proposal.changes:
        _show([], True, options.json)
        return 0
    if not options.yes:
        print("\n".join(lines(proposal.changes, _coloured(sys.stderr))), file=sys.stderr)
        _confirm(len(proposal.changes))
    with asking(rest):
        changes = tree.put(rest, document, proposal)
    if options.json or options.yes:
        _show(changes, True, options.json)
    say(f"{_count(len(changes))} applied")
    return 0


def _show(changes: list[dict[str, Any]], applied: bool, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"changes": changes, "applied": applied}, indent=2))
    elif changes:
        print("\n".join(lines(changes, _coloured(sys.stdout))))
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


if __name__ == "__main__":
    run_main(main, "malob" if len(sys.argv) < 2 else f"malob {sys.argv[1]}")
