"""`./malob agent`: the agents that may report to the controller."""

from __future__ import annotations

import argparse
import ipaddress
import json
import secrets
import time
from types import MappingProxyType
from typing import Any

from malob.cli.arguments import Parser, whole
from malob.cli.stored import NamedEntries, add_place, kept
from malob.cli.table import render, show
from malob.errors import UsageError
from malob.system.waiting import say

KINDS = ("server", "link")
_MAX_OTHER_ADDRESSES = 15
_KEY_BYTES = 32


class AgentsFile(NamedEntries):
    """The agents of a controller, or of a cluster."""

    kind, key, empty = "agent", "id", MappingProxyType({"allow_unsigned": False, "agents": []})

    def add(self, name: str, kind: str, address: str, other_addresses: str | None = None) -> str:
        """Enters an agent with a new key, which is returned. other_addresses: of the same machine, separated by commas.

        Raises UsageError if a value is wrong, or there is such an agent already.
        """
        self.check_new("ID", name)
        entry: dict[str, Any] = {"id": name, "kind": kind, "address": _address("--address", address)}
        others = [_address("--other-addresses", text) for text in other_addresses.split(",")] if other_addresses else []
        if len(others) > _MAX_OTHER_ADDRESSES:
            raise UsageError(f"--other-addresses: expected max {_MAX_OTHER_ADDRESSES} addresses")
        addresses = {entry["address"], *others}
        if others:
            entry["other_addresses"] = others
        key = entry["key"] = secrets.token_hex(_KEY_BYTES)

        def more(agents: list[dict[str, Any]]) -> list[dict[str, Any]]:
            self.check_new("ID", name, agents)
            for agent in agents:
                shared = addresses.intersection([agent.get("address"), *agent.get("other_addresses", [])])
                if agent.get("kind") == kind and shared:
                    raise UsageError(f"{min(shared)} already has a {kind} agent, {agent.get('id')}")
            return [*agents, entry]

        self.change(more)
        return key

    def rotate(self, name: str, overlap_s: int, now_s: float) -> dict[str, Any]:
        """Gives an agent a new key; the old key stays valid for overlap_s. Returns the new fields of its configuration.

        Raises UsageError if there is no agent of that name.
        """
        configuration: dict[str, Any] = {"id": name, "key": secrets.token_hex(_KEY_BYTES)}

        def rotated(agents: list[dict[str, Any]]) -> list[dict[str, Any]]:
            agent = self.find(agents, name)
            before = agent.get("key")
            agent["key"] = configuration["key"]
            configuration["address"] = agent.get("address")
            agent.pop("former_key", None)
            agent.pop("former_until", None)
            if before is not None and overlap_s > 0:
                agent.update(former_key=before, former_until=int(now_s) + overlap_s)
            return agents

        self.change(rotated)
        return configuration


def _address(option: str, text: str) -> str:
    """The address as the controller writes it. Raises UsageError for texts that the controller rejects, such as those with a zone."""
    try:
        address = ipaddress.ip_address(text)
        if "%" in text or (isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped):
            raise ValueError
    except ValueError:
        raise UsageError(f"{option}: expected an IPv4 or IPv6 address, not '{text}'") from None
    return str(address)


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
        type=whole("minutes, max 10080 (a week)", 0, 7 * 24 * 60),
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
    else:
        agents = file.entries
        show([_without_key(agent) for agent in agents], options.json, lambda: render(["id", "kind", "address", "signs"], list(map(_row, agents))))
    return 0


def _row(agent: dict[str, Any]) -> list[str]:
    addresses = ", ".join([str(agent.get("address", "")), *agent.get("other_addresses", [])])
    return [str(agent.get("id", "")), str(agent.get("kind", "")), addresses, "yes" if "key" in agent else "no"]


def _add(file: AgentsFile, options: argparse.Namespace) -> dict[str, Any]:
    configuration: dict[str, Any] = {"id": options.id, "key": "", "address": options.address}
    for name in ("controller", "interface"):
        if getattr(options, name):
            configuration[name] = getattr(options, name)
    if options.ports:
        configuration["ports"] = _ports(options.ports, options.kind)
    configuration["key"] = file.add(options.id, options.kind, options.address, options.other_addresses)
    return configuration


def _ports(text: str, kind: str) -> list[int]:
    if kind != "server":
        raise UsageError("--ports: only agents of servers have ports")
    ports = [int(word) if word.isascii() and word.isdigit() else 0 for word in text.split(",")]
    if not all(0 < port < 65536 for port in ports):
        raise UsageError(f"--ports: expected port numbers separated by commas, not '{text}'")
    return ports


def _without_key(agent: dict[str, Any]) -> dict[str, Any]:
    return {**{name: value for name, value in agent.items() if name in ("id", "kind", "address", "other_addresses")}, "signs": "key" in agent}
