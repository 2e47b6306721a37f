"""Command line of the connections. Ends with 3 if no controller answers, with 2 if it rejects a value."""

from __future__ import annotations

import json
import sys

from malob.cli import target
from malob.cli.arguments import Parser, positive
from malob.cli.connections.view import table
from malob.errors import run_main
from malob.rest.client import asking
from malob.rest.listing import read

_FILTERS = {
    "vip": ("ID|ADDRESS", "of this virtual address"),
    "member": ("ID|ADDRESS", "to this server"),
    "client": ("ADDRESS|MAC", "of this client"),
    "port": ("N", "to this port of the virtual address"),
    "protocol": ("tcp|udp|icmp", "of this protocol"),
    "state": ("open|ended|dormant", "in this state"),
    "switch": ("ID", "with this switch on a path"),
    "link": ("SWITCH/PORT", "over the link at this port"),
}


def parser() -> Parser:
    made = Parser(prog="malob connections", description="Lists the load balancer's connections.")
    for name, (metavar, meaning) in _FILTERS.items():
        made.add_argument(f"--{name}", metavar=metavar, help=f"only connections {meaning}", completes=name if name in ("vip", "member") else "")
    made.add_argument("--limit", metavar="N", type=positive, default=100, help="max number of connections (default 100)")
    made.add_argument("--json", action="store_true", help="print one JSON document")
    target.add_target(made)
    return made


def main() -> int:
    options = parser().parse_args()
    client = target.client(options)
    filters = {name: getattr(options, name) for name in _FILTERS if getattr(options, name) is not None}
    with asking(client):
        found = read(client, filters, options.limit)
    if options.json:
        print(json.dumps(found, indent=2))
    elif found["connections"]:
        print("\n".join(table(found["connections"])))
    if not options.json and not found["connections"]:
        print("no connections", file=sys.stderr)
    if found["next"] is not None:
        print(f"there are more than these {options.limit}; --limit shows more", file=sys.stderr)
    return 0


if __name__ == "__main__":
    run_main(main, "malob connections")
