"""Plans as text for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from malob.cli.table import render

Plan = Mapping[str, Any]

_BAR = 40
_WEIGHTS = {"capacity": "capacity", "load": "the capacity that is left"}
_DPID = re.compile(r"(00:)*([0-9a-f]{2}(:[0-9a-f]{2})*)")


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
