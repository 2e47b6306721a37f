"""Command line of sub-flows over many paths. Ends with 3 if no controller answers."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from malob.cli import target
from malob.cli.arguments import Parser
from malob.cli.mptcp import hosting, planner, question
from malob.cli.table import render
from malob.errors import ScriptError
from malob.network import labs, topology
from malob.rest.client import RestError, asking
from malob.system.preparation import need_root
from malob.system.waiting import say

_MPTCP = "/wm/malob/mptcp"

Plan = Mapping[str, Any]

_BAR = 40
_WEIGHTS = {"capacity": "capacity", "load": "the capacity that is left"}
_DPID = re.compile(r"(00:)*([0-9a-f]{2}(:[0-9a-f]{2})*)")

#: The search for a plan of a large network takes a while.
_PLAN_TIMEOUT_S = 120


def main() -> int:
    options = parser().parse_args()
    return int(options.run(options))


def parser() -> Parser:
    made = Parser(prog="malob mptcp", description="Routes MPTCP sub-flows over many paths, with about as many on each link.")
    commands = made.add_commands("COMMAND")

    plan = commands.add_parser("plan", help="compute and show a plan for a network, without a controller")
    plan.add_argument(
        "topology", metavar="TOPOLOGY", help="a name from './malob lab list', a file, or a generated one such as 'fat-tree:4'", completes="topology"
    )
    question.add_options(plan, question.WEIGHTS_OFFLINE)
    plan.add_argument("--svg", metavar="FILE", type=Path, help="draw the plan: a colour per path, the number of sub-flows on each link")
    plan.set_defaults(run=_plan)

    apply = commands.add_parser(
        "apply",
        help="let a controller compute a plan for its network and install the paths",
        description="Lets a controller compute a plan for its network and install the paths. Without TOPOLOGY, --hosts and"
        " --name, the plan is for all hosts that it has seen.",
    )
    who = apply.add_mutually_exclusive_group()
    who.add_argument("topology", metavar="TOPOLOGY", nargs="?", help="plan for the hosts of this topology", completes="topology")
    who.add_argument("--hosts", metavar="FILE", type=Path, help="plan for the hosts in this JSON file: an array, or an object with 'hosts'")
    who.add_argument("--name", metavar="LAB", help="plan for the hosts of this running lab")
    question.add_options(apply, question.WEIGHTS)
    apply.add_argument("--dry-run", action="store_true", help="show the plan without installing it")
    apply.set_defaults(run=_apply)

    status = commands.add_parser("status", help="show the installed plan and the state of its paths")
    status.add_argument("--svg", metavar="FILE", type=Path, help="draw the plan: a colour per path, the number of sub-flows on each link")
    status.set_defaults(run=_status)

    clear = commands.add_parser("clear", help="remove the installed plan")
    clear.set_defaults(run=_clear)

    hosts = commands.add_parser(
        "hosts",
        help="give a lab's hosts the addresses and endpoints of a controller's plan; needs root",
        description="Runs the commands that 'plan --commands' and 'status --commands' show on the hosts of a lab. Their effect ends with the lab.",
    )
    hosts.add_argument("--name", metavar="LAB", help="the lab, if several are up")
    hosts.set_defaults(run=_hosts)

    for command in (plan, apply, status):
        command.add_argument("--commands", action="store_true", help="also show the commands for each host")
        command.add_argument("--json", action="store_true", help="print one JSON document")
    for command in (apply, status, clear, hosts):
        target.add_target(command)
    return made


def _plan(options: argparse.Namespace) -> int:
    network = topology.load(options.topology)
    settings = question.settings(options)
    found = planner.plan({**settings, **question.offline(network, options.ipv6)}, options.svg)
    _show(found, found, options)
    return 0


def _apply(options: argparse.Namespace) -> int:
    request = question.settings(options)
    if options.hosts:
        request["hosts"] = question.read_hosts(options.hosts)
    elif options.topology:
        request["hosts"] = question.hosts(topology.load(options.topology), options.ipv6)
    elif options.name:
        request["hosts"] = question.hosts(labs.find(options.name).topology, options.ipv6)
    client = target.client(options, _PLAN_TIMEOUT_S)
    with asking(client):
        answer = client.post(f"{_MPTCP}/{'plan' if options.dry_run else 'apply'}", request)
    if options.dry_run:
        _show(answer, answer, options)
    else:
        _show_status(answer, options)
    return 0


def _status(options: argparse.Namespace) -> int:
    client = target.client(options)
    with asking(client):
        status = client.get(f"{_MPTCP}/status")
        if options.svg and status["plan"] is None:
            raise ScriptError("no plan to draw; './malob mptcp apply' installs one")
        if options.svg:
            _write(options.svg, client.get_text(f"{_MPTCP}/picture"))
    _show_status(status, options)
    return 0


def _show_status(status: Any, options: argparse.Namespace) -> None:
    if not options.json:
        print("\n".join(status_lines(status)))
    _show(status, status["plan"], options)


def _show(document: Any, plan: Any, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(document, indent=2))
    elif plan is not None:
        print("\n".join(lines(plan, options.commands)))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ScriptError(f"cannot write {path}: {error.strerror}") from None


def _clear(options: argparse.Namespace) -> int:
    client = target.client(options)
    try:
        with asking(client):
            client.delete(_MPTCP)
    except RestError as error:
        if error.status != 404:
            raise
        say("no plan was installed")
        return 0
    say("removed the paths")
    return 0


def _hosts(options: argparse.Namespace) -> int:
    need_root("mptcp hosts")
    lab = labs.find(options.name)
    client = target.client(options)
    with asking(client):
        plan = client.get(f"{_MPTCP}/status")["plan"]
    if plan is None:
        raise ScriptError("the controller has no plan; './malob mptcp apply' installs one")
    done = hosting.prepare_hosts(lab, plan["hosts"])
    for name, count in done.items():
        print(f"{name}: {count} commands")
    if not done:
        raise ScriptError(f"no host of the plan is in lab '{lab.name}'")
    return 0


def lines(plan: Plan, commands: bool = False) -> list[str]:
    """The paths, loads of links, proof of optimality, rules, notes. commands: also those for the hosts."""
    shown = [_summary(plan), "", *_paths(plan["paths"]), "", *_links(plan["links"]), "", *_balance(plan), "", *_rules(plan["rules"])]
    if commands:
        shown += host_commands(plan["hosts"])
    return shown + [f"note: {note}" for note in plan["notes"]]


def status_lines(status: Mapping[str, Any]) -> list[str]:
    """The state of a controller's plan, without the plan itself."""
    lines = [f"state: {status['state']}"]
    for name, value in status.items():
        if name not in ("state", "plan") and value:
            words = ", ".join(map(switch, value)) if isinstance(value, list) else value
            lines.append(f"{name.replace('_', ' ')}: {words}")
    return lines


def _summary(plan: Plan) -> str:
    sets = "one set of paths per VLAN" if plan["vlan"] else "one set of paths"
    return (
        f"{len(plan['paths'])} sub-flow addresses of {len(plan['hosts'])} hosts over {len(plan['links'])} links; "
        f"{plan['method']}, {sets}, counted {plan['count']}, weights {plan['weights']}, seed {plan['seed']}"
    )


def _paths(paths: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each branch; the values of a path's first one are not repeated."""
    rows = []
    for each in paths:
        first = [each["host"], each["address"], _or_none(each["vlan"]), f"{switch(each['ingress'])}/{each['port']}", each["kind"]]
        for branch in each["branches"]:
            rows.append([*first, " > ".join(map(switch, branch))])
            first = [""] * len(first)
    return render(["host", "address", "VLAN", "leaves by", "kind", "path"], rows, right=[2])


def _links(links: Sequence[Mapping[str, Any]]) -> list[str]:
    largest = max((link["subflows"] for link in links), default=0) or 1
    rows = [
        [
            f"{switch(link['a'])}/{link['a_port']} - {switch(link['b'])}/{link['b_port']}",
            _number(link["subflows"]),
            "#" * round(link["subflows"] * min(1, _BAR / largest)),
        ]
        for link in links
    ]
    return render(["link", "sub-flows", ""], rows, right=[1])


def _balance(plan: Plan) -> Iterator[str]:
    maximum, minimum, spread, deviation = (_number(plan[key]) for key in ("maximum", "minimum", "spread", "deviation"))
    weighed = "" if plan["weights"] == "none" else f" (maximum, minimum and spread: divided by {_WEIGHTS[plan['weights']]})"
    yield f"maximum {maximum}, minimum {minimum}, spread {spread}, standard deviation {deviation}{weighed}"
    yield f"proven optimal: {'yes' if plan['proven_optimal'] else 'no'}. {plan['proof']}".rstrip()


def _rules(rules: Mapping[str, Any]) -> list[str]:
    kinds = ["ingress", "labels", "diversions", "destinations"]
    rows = [[switch(each["switch"]), *(str(each.get(kind, 0)) for kind in kinds), str(each["labels_bound"])] for each in rules["switches"]]
    header = ["rules of switch", *kinds, "max labels"]
    return [*render(header, rows, right=range(1, len(header))), f"{rules['total']} rules"]


def host_commands(hosts: Sequence[Mapping[str, Any]]) -> list[str]:
    """The commands for each host, as root."""
    shown = []
    for host in hosts:
        where = f"{switch(host['switch'])}/{host['port']}"
        shown += ["", f"# on {host['id']}, {host['address']} at {where}, as root", *host["commands"]]
    return [*shown, ""]


def switch(name: str) -> str:
    """A switch's name; a datapath id without leading zeros."""
    dpid = _DPID.fullmatch(name) if name.count(":") == 7 else None
    return dpid.group(2) if dpid else name


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _or_none(value: Any) -> str:
    return "" if value is None else str(value)
