"""Command line of the connections. Ends with 3 if no controller answers, with 2 if it rejects a value."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from malob.cli import target
from malob.cli.arguments import Parser, positive
from malob.cli.status import UNKNOWN, end
from malob.cli.table import render, show, with_port
from malob.rest.client import asking

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
        found = client.connections(filters, options.limit)
    if options.json or found["connections"]:
        show(found, options.json, lambda: table(found["connections"]))
    else:
        print("no connections", file=sys.stderr)
    if found["next"] is not None:
        print(f"there are more than these {options.limit}; --limit shows more", file=sys.stderr)
    return 0


def table(connections: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines: one for each connection; '-' for missing values."""
    rows = [
        [
            each["protocol"] or UNKNOWN,
            with_port(each["client_address"], each["client_port"]),
            each["vip_id"] or UNKNOWN,
            with_port(each["vip_address"], each["port"]),
            each["member_id"] or UNKNOWN,
            with_port(each["member_address"], each["member_port"]),
            each["algorithm"],
            each["state"],
            f"{each['age_s']:.1f}",
            path(each["request_path"]),
            path(each["reply_path"]),
        ]
        for each in connections
    ]
    header = ["protocol", "client", "VIP", "address", "member", "address", "algorithm", "state", "age s", "request path", "reply path"]
    return render(header, rows, [8])


def path(hops: Sequence[Mapping[str, Any]] | None) -> str:
    """The switches of a path, each with its egress port."""
    return UNKNOWN if hops is None else " ".join(end({"switch": hop["switch"], "port": hop["out_port"]}) for hop in hops)
