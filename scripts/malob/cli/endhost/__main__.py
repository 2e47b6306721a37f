"""Command line of an end host. Contract: results on stdout, all else on stderr; 0 done, 1 failed or broken, 2 wrong use, 3 missing."""

from __future__ import annotations

import argparse
import json
import sys

from malob.cli.arguments import Parser, port
from malob.cli.endhost import uplinks_text
from malob.endhost import condition, options, running
from malob.endhost.options import Settings, UplinkOption
from malob.endhost.place import Place
from malob.errors import ScriptError, run_main
from malob.system.preparation import need_root, prepare
from malob.system.waiting import say


def main() -> int:
    told = parser().parse_args()
    return int(told.run(told))


def parser() -> Parser:
    made = Parser(prog="malob endhost", description="Distributes this host's own flows over its uplinks (docs/how-to/endhost.md).")
    commands = made.add_commands("COMMAND")

    up = commands.add_parser(
        "up",
        help="start; needs root",
        description="Starts a switch on this host, and a controller that assigns each flow to one of the uplinks.",
    )
    up.add_argument(
        "--uplink",
        metavar="NAME[=GATEWAY][,weight=W][,gateway6=ADDRESS]",
        action="append",
        required=True,
        type=UplinkOption.parse,
        help="an interface; repeat for each uplink. Default gateways: those of its default routes; default weight: its measured capacity",
    )
    up.add_argument("--algorithm", choices=options.ALGORITHMS, help="how an uplink is chosen for a flow (default: the controller's, WRR)")
    up.add_argument("--default-uplink", metavar="NAME", help="for traffic other than TCP and UDP (default: the first uplink that is alive)")
    up.add_argument(
        "--race-ports",
        metavar="PORT,PORT...",
        type=options.ports,
        default=(),
        help="start TCP connections to these ports over two uplinks, and keep the first that answers (default: none)",
    )
    up.add_argument(
        "--inside",
        metavar="CIDR",
        type=options.inside,
        default=options.DEFAULT_INSIDE,
        help="the source address of this host's flows at the switch (%(default)s)",
    )
    up.add_argument("--openflow-port", metavar="N", type=port, default=6653, help="on loopback (%(default)s)")
    up.add_argument("--http-port", metavar="N", type=port, default=8080, help="REST interface, on loopback (%(default)s)")
    up.add_argument("--foreground", action="store_true", help="stay in the foreground and undo everything at the end; for systemd")
    up.add_argument("--force", action="store_true", help="continue even if this machine could lose its network")
    up.add_argument("--allow-ssh", action="store_true", help="continue although ssh sessions come in over an uplink; they stay on it")
    up.add_argument("--ready", type=int, help=argparse.SUPPRESS)
    up.set_defaults(run=_up)

    status = commands.add_parser("status", help="show the state; needs root; exit code 1 if something is broken")
    status.add_argument("--json", action="store_true", help="print one JSON document")
    status.set_defaults(run=_status)

    down = commands.add_parser("down", help="stop and undo everything; needs root")
    down.set_defaults(run=_down)
    return made


def _up(told: argparse.Namespace) -> int:
    settings = Settings(
        tuple(told.uplink),
        told.algorithm,
        told.default_uplink,
        told.race_ports,
        told.inside,
        told.openflow_port,
        told.http_port,
        told.force,
        told.allow_ssh,
    )
    need_root("endhost up")
    place = Place.here()
    if told.ready is None:
        prepare("endhost")
    if told.foreground:
        return running.up(place, settings, lambda: running.notify_ready(told.ready))
    running.up_in_background(place, sys.argv[2:])
    say(f"malob endhost: up; 'sudo ./malob endhost status' shows its state; log: {place.log}")
    return 0


def _status(told: argparse.Namespace) -> int:
    need_root("endhost status")
    place = Place.here()
    found = condition.look(place)
    if told.json:
        print(json.dumps(found, indent=2))
    elif found.get("configured"):
        print("\n".join(uplinks_text.lines(found)))
    for sentence in found["broken"]:
        say(f"malob endhost: {sentence}")
    return ScriptError.exit_code if found["broken"] else 0


def _down(_told: argparse.Namespace) -> int:
    need_root("endhost down")
    if running.down(Place.here()):
        say("malob endhost: down; the network is as it was before")
    else:
        say("malob endhost: nothing was up")
    return 0


if __name__ == "__main__":
    run_main(main, "malob endhost")
