"""Command line of the status. Ends with 3 if no controller answers."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace

from malob.cli import target
from malob.cli.arguments import Parser, seconds
from malob.cli.status import problems
from malob.cli.status.view import tables
from malob.errors import run_main
from malob.rest.client import RestClient, asking
from malob.rest.state import State, read
from malob.system.waiting import orderly_end


def parser() -> Parser:
    made = Parser(
        prog="malob status", description="Shows switches, links and servers as the controller sees them, with the ages of measurements. '-': unknown."
    )
    target.add_target(made)
    how = made.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print one JSON document")
    how.add_argument("--watch", metavar="SECONDS", type=seconds, nargs="?", const=2.0, help="repeat every SECONDS (default 2) until Ctrl-C")
    return made


def main() -> int:
    options = parser().parse_args()
    client = target.client(options)
    state = _read(client)
    if options.json:
        print(json.dumps(state.to_json(), indent=2))
        return 0
    print("\n".join(_shown(state)))
    with orderly_end():
        while options.watch:
            sys.stdout.flush()
            time.sleep(options.watch)
            # redraws the screen on a terminal, otherwise prints one after the other
            start = "\033[H\033[J" if sys.stdout.isatty() else "\n"
            print(start + "\n".join(_shown(_read(client))))
    return 0


def _shown(state: State) -> list[str]:
    found = problems.lines(state.problems)
    return [*tables(state), *(["", "problems"] if found else []), *found]


def _read(client: RestClient) -> State:
    with asking(client):
        problems_now = client.ask("GET", "/wm/malob/problems")
        missing = problems_now.headers.get("malob-missing-peers", "")
        return replace(
            read(client),
            problems=client.json_of(problems_now, "GET /wm/malob/problems"),
            missing_peers=tuple(name.strip() for name in missing.split(",") if name.strip()),
            placement=client.get("/wm/malob/placement"),
            switches=client.get("/wm/malob/switches"),
            cluster=client.get("/wm/malob/cluster")["cluster"],
        )


if __name__ == "__main__":
    run_main(main, "malob status")
