"""Command line of the explanations. Ends with 3 if no controller answers, with 2 if it rejects a value."""

from __future__ import annotations

import json
from urllib.parse import urlencode

from malob.cli import target
from malob.cli.arguments import Parser
from malob.cli.explain.view import lines
from malob.errors import run_main
from malob.rest.client import asking


def parser() -> Parser:
    made = Parser(prog="malob explain", description="Shows which server and paths a new connection would get now, and why. Changes nothing.")
    made.add_argument("--vip", metavar="ID|ADDRESS", required=True, help="the virtual address", completes="vip")
    made.add_argument("--client", metavar="ADDRESS|MAC", required=True, help="a host that the controller has seen")
    made.add_argument("--port", metavar="N", help="the destination port, if the virtual address has several")
    made.add_argument("--protocol", choices=("tcp", "udp", "icmp"), help="the protocol (default: that of the virtual address, or tcp)")
    made.add_argument("--client-port", metavar="N", help="the client's port, which may choose the bucket of a proactive VIP")
    made.add_argument("--json", action="store_true", help="print one JSON document")
    target.add_target(made)
    return made


def main() -> int:
    options = parser().parse_args()
    client = target.client(options)
    query = {name: getattr(options, name) for name in ("vip", "client", "port", "protocol", "client_port") if getattr(options, name) is not None}
    with asking(client):
        explanation = client.get("/wm/malob/explain?" + urlencode(query))
    print(json.dumps(explanation, indent=2) if options.json else "\n".join(lines(explanation)))
    return 0


if __name__ == "__main__":
    run_main(main, "malob explain")
