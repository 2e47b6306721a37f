"""`./malob token`: the tokens for a controller's REST interface."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any

from malob.cli.arguments import Parser, whole
from malob.cli.stored import NamedEntries, add_place, kept
from malob.cli.table import render, show
from malob.system.waiting import say

ROLES = ("admin", "read-only")
_TOKEN_BYTES = 32
_FIELDS = ("name", "role", "expires")
_MAX_DAYS = 3650


class TokensFile(NamedEntries):
    """The tokens of a controller, or of a cluster. Only hashes are stored."""

    kind, key, empty = "token", "name", MappingProxyType({"tokens": []})

    def add(self, name: str, role: str, expires: datetime | None = None) -> str:
        """Returns a new token, which is not stored. expires: in UTC; None for never. Raises UsageError if the name is wrong or taken."""
        self.check_new("NAME", name)
        token = "malob_" + secrets.token_urlsafe(_TOKEN_BYTES)
        entry = {"name": name, "role": role, "sha256": hashlib.sha256(token.encode("ascii")).hexdigest()}
        if expires is not None:
            entry["expires"] = expires.strftime("%Y-%m-%dT%H:%M:%SZ")

        def more(tokens: list[dict[str, Any]]) -> list[dict[str, Any]]:
            self.check_new("NAME", name, tokens)
            return [*tokens, entry]

        self.change(more)
        return token


def parser() -> Parser:
    made = Parser(prog="malob token", description="Manages access to the controller's REST interface. Once a token exists, every request needs one.")
    add_place(made)
    actions = made.add_commands("ACTION", dest="action")
    add = actions.add_parser("add", help="create a token and print it; it is valid within a second, without a restart")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--role", choices=ROLES, required=True, help="read-only: GET requests only; admin: all requests")
    add.add_argument(
        "--days",
        metavar="N",
        type=whole(f"a number of days from 1 to {_MAX_DAYS}", 1, _MAX_DAYS),
        help="the token expires after N days (default: it is valid until it is removed)",
    )
    listing = actions.add_parser("list", help="list the names of tokens; the tokens themselves are not stored")
    listing.add_argument("--json", action="store_true", help="print one JSON document")
    remove = actions.add_parser("remove", help="remove a token; it becomes invalid within a second")
    remove.add_argument("name", metavar="NAME")
    return made


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
        known = [{field: str(token[field]) for field in _FIELDS if field in token} for token in file.entries]
        show(known, options.json, lambda: render(_FIELDS, [[token.get(field, "never") for field in _FIELDS] for token in known]))
    return 0
