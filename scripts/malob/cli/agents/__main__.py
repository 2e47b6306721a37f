"""`./malob agent`: the agents that may report to the controller."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from malob.cli.agents.keys import KINDS, AgentsFile
from malob.cli.arguments import Parser
from malob.cli.kept import add_place, kept
from malob.cli.table import render
from malob.errors import UsageError, run_main
from malob.system.waiting import say


def parser() -> Parser:
    made = Parser(prog="malob agent", description="Manages the agents that may report to the controller.")
    add_place(made)
    actions = made.add_commands("ACTION", dest="action")
    add = actions.add_parser("add", help="add an agent with a new key and print its configuration file")
    add.add_argument("id", metavar="ID")
    add.add_argument("--kind", choices=KINDS, required=True)
    add.add_argument("--address", required=True, help="the agent's own address in the balanced network")
    add.add_argument("--other-addresses", metavar="ADDRESS,...", help="more addresses of the same machine: that of IPv6, for example")
    add.add_argument("--controller", metavar="URL", help="the URL it reports to (default: in band)")
    add.add_argument("--interface", metavar="DEVICE", help="the interface that sends its reports")
    add.add_argument("--ports", metavar="N,N...", help="for servers: count connections to these TCP ports")
    listing = actions.add_parser("list", help="list the agents; keys are not shown")
    listing.add_argument("--json", action="store_true", help="print one JSON document")
    rotate = actions.add_parser("rotate", help="give an agent a new key and print it; the old key stays valid for a while")
    rotate.add_argument("id", metavar="ID")
    rotate.add_argument(
        "--overlap",
        type=_minutes,
        default=60,
        metavar="MINUTES",
        help="how long the old key stays valid (default %(default)s; 0: revoke it now)",
    )
    remove = actions.add_parser("remove", help="remove an agent; the controller rejects its reports within seconds")
    remove.add_argument("id", metavar="ID")
    return made


def main() -> int:
    options = parser().parse_args()
    file = AgentsFile(kept(options, "agents"))
    if options.action == "add":
        print(json.dumps(_add(file, options), indent=2))
        say(f"this is the configuration file of {options.id}. It contains a key: keep it on that machine only (mode 0600)")
    elif options.action == "rotate":
        print(json.dumps(file.rotate(options.id, options.overlap * 60, time.time()), indent=2))
        say(f"put the key into the configuration file of {options.id} and restart the agent within {options.overlap} minutes")
    elif options.action == "remove":
        file.remove(options.id)
    elif options.json:
        print(json.dumps([_without_key(agent) for agent in file.agents], indent=2))
    else:
        rows = [
            [str(agent.get(name, "")) for name in ("id", "kind")]
            + [", ".join([str(agent.get("address", "")), *agent.get("other_addresses", [])]), "yes" if "key" in agent else "no"]
            for agent in file.agents
        ]
        print("\n".join(render(["id", "kind", "address", "signs"], rows)))
    return 0


def _add(file: AgentsFile, options: argparse.Namespace) -> dict[str, Any]:
    configuration: dict[str, Any] = {"id": options.id, "key": "", "address": options.address}
    for name in ("controller", "interface"):
        if getattr(options, name):
            configuration[name] = getattr(options, name)
    if options.ports:
        configuration["ports"] = _ports(options.ports, options.kind)
    configuration["key"] = file.add(options.id, options.kind, options.address, options.other_addresses)
    return configuration


def _minutes(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 7 * 24 * 60):
        raise argparse.ArgumentTypeError(f"expected minutes, max 10080 (a week), not '{text}'")
    return int(text)


def _ports(text: str, kind: str) -> list[int]:
    if kind != "server":
        raise UsageError("--ports: only agents of servers have ports")
    ports = [int(word) if word.isascii() and word.isdigit() else 0 for word in text.split(",")]
    if not all(0 < port < 65536 for port in ports):
        raise UsageError(f"--ports: expected port numbers separated by commas, not '{text}'")
    return ports


def _without_key(agent: dict[str, Any]) -> dict[str, Any]:
    return {**{name: value for name, value in agent.items() if name in ("id", "kind", "address", "other_addresses")}, "signs": "key" in agent}


if __name__ == "__main__":
    run_main(main, "malob agent")
