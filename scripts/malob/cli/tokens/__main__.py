"""`./malob token`: the tokens for a controller's REST interface."""

from __future__ import annotations

import argparse
import json
from datetime import datetime, timedelta, timezone

from malob.cli.arguments import Parser
from malob.cli.kept import add_place, kept
from malob.cli.table import render
from malob.cli.tokens.file import ROLES, TokensFile
from malob.errors import run_main
from malob.system.waiting import say

_FIELDS = ("name", "role", "expires")
_MAX_DAYS = 3650


def parser() -> Parser:
    made = Parser(prog="malob token", description="Manages access to the controller's REST interface. Once a token exists, every request needs one.")
    add_place(made)
    actions = made.add_commands("ACTION", dest="action")
    add = actions.add_parser("add", help="create a token and print it; it is valid within a second, without a restart")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--role", choices=ROLES, required=True, help="read-only: GET requests only; admin: all requests")
    add.add_argument("--days", metavar="N", type=_days, help="the token expires after N days (default: it is valid until it is removed)")
    listing = actions.add_parser("list", help="list the names of tokens; the tokens themselves are not stored")
    listing.add_argument("--json", action="store_true", help="print one JSON document")
    remove = actions.add_parser("remove", help="remove a token; it becomes invalid within a second")
    remove.add_argument("name", metavar="NAME")
    return made


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= _MAX_DAYS):
        raise argparse.ArgumentTypeError(f"expected a number of days from 1 to {_MAX_DAYS}, not '{text}'")
    return int(text)


def main() -> int:
    options = parser().parse_args()
    file = TokensFile(kept(options, "tokens"))
    if options.action == "add":
        expires = None if options.days is None else datetime.now(timezone.utc) + timedelta(days=options.days)
        print(file.add(options.name, options.role, expires))
        say("the token is shown only now; commands read it from MALOB_TOKEN")
    elif options.action == "remove":
        file.remove(options.name)
    else:
        known = [{field: str(token[field]) for field in _FIELDS if field in token} for token in file.tokens]
        if options.json:
            print(json.dumps(known, indent=2))
        else:
            print("\n".join(render(_FIELDS, [[token.get(field, "never") for field in _FIELDS] for token in known])))
    return 0


if __name__ == "__main__":
    run_main(main, "malob token")
