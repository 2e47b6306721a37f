"""`./malob lab`: emulated networks from the command line."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Callable

from lab import check, control, instance, latency, linking, simulations
from lab.shaping import choice
from malob.cli.arguments import Commands, Parser, endpoint
from malob.cli.table import render, show
from malob.errors import MissingError, ScriptError, UsageError, run_main
from malob.network import generators, labs, topology
from malob.network.hosts import Host
from malob.network.topology import Topology
from malob.system.preparation import need_root, prepare
from malob.system.waiting import orderly_end, say, undisturbed

RUN_HELP = "an experiment of the papers, from an empty machine to tables and figures"


def main() -> int:
    options = parser().parse_args()
    return options.run(options)


def parser(add_run: Callable[[Commands], None] | None = None) -> Parser:
    """add_run: adds `run`; without it, `run` has only help, which says where the experiments are."""
    made = Parser(prog="malob lab", description="Networks of Open vSwitch bridges and network namespaces.")
    commands = made.add_commands("COMMAND")

    up = commands.add_parser("up", help="build a network")
    up.add_argument("topology", metavar="TOPOLOGY", help="a name from 'list', a file, or a generated one such as 'ring:5'", completes="topology")
    up.add_argument(
        "--controller",
        metavar="HOST:PORT[,...]",
        type=_endpoints,
        default=instance.DEFAULT_CONTROLLER,
        help="the controllers that switches connect to (default %(default)s)",
    )
    up.add_argument(
        "--control-delay",
        metavar="[SWITCH=]MS",
        action="append",
        default=[],
        help="the one-way delay between the controller and a switch, or all switches; may be repeated",
    )
    up.add_argument(
        "--scale", metavar="F", type=float, default=1, help="multiplies all rates, including those of traces, for slow machines (default 1)"
    )
    up.add_argument("--shaper", choices=choice.KINDS, help="the implementation of rates and delays (default: netem if the kernel has it)")
    up.set_defaults(run=_up)

    down = commands.add_parser("down", help="remove a network, also after a crash")
    down.add_argument("--all", action="store_true", help="remove all labs")
    down.set_defaults(run=_down)

    listing = commands.add_parser("list", help="list topologies and labs that are up")
    listing.add_argument("--json", action="store_true", help="print one JSON document")
    listing.set_defaults(run=_list)

    run = commands.add_parser(
        "exec",
        help="run a command on a host",
        description="Runs a command on a host, or on the node of a switch: SWITCH.node, or SWITCH if no host has that name.",
    )
    run.add_argument("host", metavar="HOST")
    run.add_argument("command", metavar="CMD", nargs=argparse.REMAINDER)
    run.set_defaults(run=_exec)

    (add_run or _add_run)(commands)
    simulations.add_parser(commands)

    named = [up, down, run, *linking.add_parsers(commands), check.add_parser(commands), latency.add_parser(commands)]
    for command in named:
        command.add_argument("--name", help="the lab's name: 'ml' and max one more letter (default ml)")
    return made


def _add_run(commands: Commands) -> None:
    run = commands.add_parser("run", help=RUN_HELP, add_help=False)
    run.add_argument("words", nargs=argparse.REMAINDER)
    run.set_defaults(run=_run)


def _run(_options: argparse.Namespace) -> int:
    raise MissingError("experiments need a checkout: packages do not contain scripts/research")


def _endpoints(text: str) -> str:
    """The value unchanged, after a check."""
    for each in text.split(","):
        endpoint(each)
    return text


def _up(options: argparse.Namespace) -> int:
    name = options.name or labs.DEFAULT_NAME
    network = topology.load(options.topology)
    labs.check_name(name)
    if not 0 < options.scale < math.inf:
        raise UsageError(f"--scale: expected more than 0, not {options.scale}")
    delays_ms = control.parse_delays(options.control_delay, network)
    need_root("lab up")
    prepare("lab")
    with orderly_end():
        lab = instance.up(network, name, options.controller, control_delays_ms=delays_ms, scale=options.scale, shaper=options.shaper)
    say(f"lab '{name}' is up ({network.description}; {_datapath_words(lab.datapath)} datapath)")
    say(f"switches connect to a controller at {lab.controller}; './malob lab down' removes everything")
    if delays_ms:
        say("control channels are delayed, one way: " + ", ".join(f"{s} {ms:g} ms" for s, ms in delays_ms.items()))
    hosts = [
        [host.name, host.role, host.address, host.address6, _vlan_words(host), host.mac, host.switch, str(network.ports(host.switch)[host.name])]
        for host in lab.topology.places
    ]
    print("\n".join(render(["host", "role", "address", "IPv6 address", "VLAN", "mac", "switch", "port"], hosts, right=[7])))
    switches = [
        [switch, dpid, lab.bridge(switch), " ".join(f"{port}:{name}" for name, port in network.ports(switch).items())]
        for switch, dpid in network.switches.items()
    ]
    print()
    print("\n".join(render(["switch", "datapath id", "bridge", "ports"], switches)))
    return 0


def _vlan_words(host: Host) -> str:
    return "" if host.vlan is None else f"{host.vlan} by {host.tagged_by}"


def _datapath_words(datapath: str) -> str:
    return "kernel" if datapath == "system" else "user-space"


def _down(options: argparse.Namespace) -> int:
    need_root("lab down")
    names = labs.running() if options.all else [options.name or labs.pick()]
    failed = False
    with undisturbed():
        for name in names:
            try:
                removed = instance.down(name)
            except UsageError:
                raise
            except ScriptError as error:
                # the others are removed nevertheless
                say(f"malob lab: lab '{name}': {error}")
                failed = True
            else:
                say(f"lab '{name}' is removed" if removed else f"no lab '{name}' was up")
    return 1 if failed else 0


def _list(options: argparse.Namespace) -> int:
    known = [topology.load(name) for name in topology.known_names()]
    show(_list_json(known) if options.json else None, options.json, lambda: _list_lines(known))
    return 0


def _list_json(known: Sequence[Topology]) -> dict[str, Any]:
    labs_up = {
        lab.name: {"topology": lab.topology.name, "controller": lab.controller, "shaper": lab.shaper_kind, "scale": lab.scale, "links": links}
        for lab, links in linking.of_all(linking.to_json)
    }
    return {"topologies": {network.name: network.to_json() for network in known}, "rules": generators.FORMS, "labs": labs_up}


def _list_lines(known: Sequence[Topology]) -> Iterator[str]:
    rows = [[network.name, str(len(network.switches)), str(len(network.hosts)), str(len(network.links)), network.description] for network in known]
    yield from render(["topology", "switches", "hosts", "links", "description"], rows, right=[1, 2, 3])
    yield ""
    yield from render(["by rule", "description"], [[form, words] for form, words in generators.FORMS.items()])
    yield "rate=MBPS and delay=MS, after a comma, apply to all links: ring:5,rate=50,delay=2"
    yield ""
    up = linking.of_all(lambda lab: linking.table(lab, linking.shaped_directions(lab)))
    for lab, table in up:
        yield f"up: '{lab.name}', topology {lab.topology.name}, controller {lab.controller}"
        if table is None:
            yield "its links cannot be read: it is being built or removed"
        elif table[1:]:
            yield f"links by {lab.shaper_kind}" + (f", rates times {lab.scale:g}" if lab.scale != 1 else "")
            yield from table
    if not up:
        yield "no lab is up"


def _exec(options: argparse.Namespace) -> int:
    if not options.command:
        raise UsageError("exec: the command is missing")
    need_root("lab exec")
    lab = instance.find(options.name)
    command = lab.inside(options.host, options.command)
    sys.stdout.flush()
    os.execvp(command[0], command)


if __name__ == "__main__":
    run_main(main, "malob lab")
