"""`./malob token`: the tokens for a controller's REST interface."""

from __future__ import annotations

import json

from malob.cli.arguments import Parser
from malob.cli.kept import add_place, kept
from malob.cli.table import render
from malob.cli.tokens.file import ROLES, TokensFile
from malob.errors import run_main
from malob.system.waiting import say


def parser() -> Parser:
    made = Parser(prog="malob token", description="Manages access to the controller's REST interface. Once a token exists, every request needs one.")
    add_place(made)
    actions = made.add_commands("ACTION", dest="action")
    add = actions.add_parser("add", help="create a token and print it; it is valid within a second, without a restart")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--role", choices=ROLES, required=True, help="read-only: GET requests only; admin: all requests")
    listing = actions.add_parser("list", help="list the names of tokens; the tokens themselves are not stored")
    listing.add_argument("--json", action="store_true", help="print one JSON document")
    remove = actions.add_parser("remove", help="remove a token; it becomes invalid within a second")
    remove.add_argument("name", metavar="NAME")
    return made


def main() -> int:
    options = parser().parse_args()
    file = TokensFile(kept(options, "tokens"))
    if options.action == "add":
        print(file.add(options.name, options.role))
        say("the token is shown only now; commands read it from MALOB_TOKEN")
    elif options.action == "remove":
        file.remove(options.name)
    else:
        known = [{field: str(token.get(field, "")) for field in ("name", "role")} for token in file.tokens]
        if options.json:
            print(json.dumps(known, indent=2))
        else:
            print("\n".join(render(["name", "role"], [list(token.values()) for token in known])))
    return 0


if __name__ == "__main__":
    run_main(main, "malob token")
