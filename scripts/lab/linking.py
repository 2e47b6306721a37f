"""`./malob lab link` and `./malob lab traces`, and the output of `list` about links."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Callable, TypeVar

from lab import instance
from lab.instance import Instance
from lab.shaping import trace
from lab.shaping.shaper import Reading
from lab.shaping.trace import Trace
from malob.cli.arguments import Commands, Parser
from malob.cli.table import render, show
from malob.errors import ScriptError, UsageError
from malob.network import labs
from malob.network.links import Direction, check_limit
from malob.system.preparation import need_root
from malob.system.waiting import say

_OPTIONS = {"rate": "rate_mbps", "delay": "delay_ms", "queue": "queue_packets", "loss": "loss"}


def add_parsers(commands: Commands) -> list[Parser]:
    """Adds both commands. Returns those that take --name."""
    link = commands.add_parser(
        "link",
        help="take a link down or up, or change its rate, delay, queue or loss",
        description="Takes a link down or up, in both directions; or changes its direction from A to B, or with --both"
        " both directions. Without options it prints the state of the link. The first change of a link without limits"
        " removes its ports from the switches for a moment. --rate, --delay, --queue and --loss end a trace.",
    )
    link.add_argument("first", metavar="A")
    link.add_argument("second", metavar="B")
    link.add_argument("state", choices=["up", "down"], nargs="?")
    link.add_argument("--rate", metavar="MBPS", help="Mbit/s of IP packets, 'none' for no limit; not scaled")
    link.add_argument("--delay", metavar="MS", help="milliseconds, one way")
    link.add_argument("--queue", metavar="N", help="the length of the queue, in packets")
    link.add_argument("--loss", metavar="P", help="share of packets that are lost, 0 to 1")
    link.add_argument("--trace", metavar="TRACE", help="play a trace: a name from 'traces', or a CSV file")
    link.add_argument("--both", action="store_true", help="from B to A as well")
    link.set_defaults(run=_link)

    traces = commands.add_parser("traces", help="list MALOB's traces and the links that play one")
    traces.add_argument("--json", action="store_true", help="print one JSON document")
    traces.set_defaults(run=_traces)
    return [link]


def _link(options: argparse.Namespace) -> int:
    told = {name: field for name, field in _OPTIONS.items() if getattr(options, name) is not None}
    changes: dict[str, Any] = {field: parse_limit(name, field, getattr(options, name)) for name, field in told.items()}
    played = trace.load(options.trace) if options.trace else None
    if changes and played is not None:
        raise UsageError("link: --trace cannot be combined with options that would end the trace")
    need_root("lab link")
    lab = instance.find(options.name)
    ends = (options.first, options.second)
    lab.link_device(*ends)
    for here, there in (ends, ends[::-1]) if options.both else (ends,):
        if changes:
            lab.shape(here, there, replace(_current(lab, here, there), **changes))
        if played is not None:
            lab.play(here, there, played)
    if options.state:
        lab.set_link(*ends, options.state == "up")
        say(f"link {ends[0]} - {ends[1]} is {options.state}")
    else:
        print("\n".join(table(lab, [ends, ends[::-1]])))
    return 0


def parse_limit(name: str, field: str, text: str) -> float | int | None:
    """The value of an option for a field of Direction; 'none' is None. Raises UsageError."""
    if text == "none":
        return None
    value: Any = text
    try:
        value = float(text)
        if field == "queue_packets" and value.is_integer():
            value = int(value)
    except (ValueError, OverflowError):
        pass
    checked: float | int | None = check_limit(f"--{name}", field, value)
    return checked


def _current(lab: Instance, here: str, there: str) -> Direction:
    if not lab.shaped(lab.topology.link(here, there)):
        return Direction()
    return lab.shaper.read(lab.link_device(here, there)).direction


def table(lab: Instance, directions: list[tuple[str, str]]) -> list[str]:
    """The state of the directions of links, a line for each that the shaper carries."""
    rows = []
    for here, there in directions:
        if lab.shaped(lab.topology.link(here, there)):
            rows.append([f"{here} > {there}", *_cells(lab.shaper.read(lab.link_device(here, there)))])
        else:
            rows.append([f"{here} > {there}", "none", *[""] * 9])
    header = ["link", "Mbit/s", "delay ms", "queue", "loss", "trace", "packets", "Mbyte", "dropped", "lost", "late"]
    return render(header, rows, right=[1, 2, 3, 4, 6, 7, 8, 9, 10])


def _cells(read: Reading) -> list[str]:
    direction = read.direction
    return [
        "none" if direction.rate_mbps is None else f"{direction.rate_mbps:g}",
        f"{direction.delay_ms or 0:g}",
        f"{direction.queue_packets or ''}",
        f"{direction.loss or 0:g}",
        "plays" if read.traced else "",
        str(read.packets),
        f"{read.mbytes:.1f}",
        str(read.dropped),
        str(read.lost),
        "" if read.late is None else str(read.late),
    ]


def to_json(lab: Instance) -> list[dict[str, Any]]:
    """The links of a running lab: for those without limits, only the ends."""
    links = []
    for link in lab.topology.links:
        document: dict[str, Any] = {"ends": list(link.ends)}
        if lab.shaped(link):
            for key, ends in (("forward", link.ends), ("reverse", link.ends[::-1])):
                read = lab.shaper.read(lab.link_device(*ends))
                document[key] = {**vars(read.direction), **{k: v for k, v in vars(read).items() if k != "direction"}}
        links.append(document)
    return links


_Read = TypeVar("_Read")


def of_all(read: Callable[[Instance], _Read]) -> list[tuple[Instance, _Read | None]]:
    """Each lab that is up, with the state of its links; None if the lab is being built or removed."""
    found: list[tuple[Instance, _Read | None]] = []
    for lab in instance.find_all():
        try:
            found.append((lab, read(lab)))
        except ScriptError:
            found.append((lab, None))
    names = labs.running()
    return [(lab, links) for lab, links in found if lab.name in names]


def shaped_directions(lab: Instance) -> list[tuple[str, str]]:
    """Both directions of every link that the shaper carries."""
    return [ends for link in lab.topology.links if lab.shaped(link) for ends in (link.ends, link.ends[::-1])]


def _traces(options: argparse.Namespace) -> int:
    known = [trace.load(name) for name in trace.known_names()]
    playing = {lab.name: directions or [] for lab, directions in of_all(_playing)}
    document = {
        "traces": {one.name: {"description": one.description, "steps": [vars(step) for step in one.steps]} for one in known},
        "playing": playing,
    }
    show(document, options.json, lambda: _trace_table(known, playing))
    return 0


def _trace_table(known: Sequence[Trace], playing: Mapping[str, list[tuple[str, str]]]) -> list[str]:
    rows = []
    for one in known:
        rates = [step.rate_mbps for step in one.steps]
        rows.append([one.name, f"{one.period_s:g}", str(len(rates)), f"{min(rates):g} to {max(rates):g}", one.description])
    plays = [f"lab '{name}': {here} > {there} plays one" for name, directions in playing.items() for here, there in directions]
    return [*render(["trace", "seconds", "steps", "Mbit/s", "description"], rows, right=[1, 2]), *plays]


def _playing(lab: Instance) -> list[tuple[str, str]]:
    return [ends for ends in shaped_directions(lab) if lab.shaper.read(lab.link_device(*ends)).traced]
