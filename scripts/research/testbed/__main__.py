"""Command line of testbeds. Exits with 1 if a document violates the rules."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from pathlib import Path

from malob.cli.agents import AgentsFile
from malob.cli.arguments import Parser, endpoint, positive
from malob.errors import UsageError, run_main
from malob.network import topology
from malob.system.place import ROOT
from malob.system.preparation import need_root, prepare
from malob.system.waiting import orderly_end, say
from research.preparation import restart_with
from research.testbed import agents, profile, roles, rspec, rules, sites, slices
from research.testbed.rehearsal import CONTROLLER_ADDRESS, Rehearsal
from research.testbed.slices import CONTROLLER, Slice

PROFILE = ROOT / "geni" / "profile.py"
#: The topologies in CloudLab's profile.
PROFILED = ("geni-wan", "thesis-two-servers")


def main() -> int:
    options = parser().parse_args()
    return options.run(options)


def parser() -> Parser:
    made = Parser(prog="malob testbed", description="Slices of testbeds: requests for machines and links, and their set-up.")
    commands = made.add_commands("COMMAND")
    ask = commands.add_parser("request", help="print the request RSpec for a topology of the lab")
    ask.add_argument("topology", metavar="TOPOLOGY")
    ask.add_argument("--sites", metavar="FILE", type=Path, default=sites.FILE, help="the sites of its switches (geni/sites.json)")
    ask.add_argument("--unshaped", action="store_true", help="request no rates and delays: use those between the sites")
    ask.add_argument("--source", metavar="URL", help="an archive of a checkout, which each machine unpacks into /local")
    ask.set_defaults(run=_request)
    check = commands.add_parser("check", help="check request RSpecs against the rules of version 3")
    check.add_argument("files", metavar="FILE", type=Path, nargs="+")
    check.set_defaults(run=_check)
    print_commands = commands.add_parser("commands", help="print the set-up command of each machine of a request or manifest")
    print_commands.add_argument("file", metavar="FILE", type=Path)
    print_commands.add_argument("--controller", metavar="ADDRESS", help="the controller's address (default: from the manifest)")
    print_commands.add_argument("--directory", default="/local/malob", help="the checkout's directory on the machines (/local/malob)")
    print_commands.add_argument("--vip", metavar="ADDRESS:PORT", type=endpoint, help="also create a virtual server with all servers")
    print_commands.add_argument(
        "--agents", metavar="DIR", help="also start agents, with the configurations in this directory of the machines (NODE.json)"
    )
    print_commands.add_argument("--ssh", action="store_true", help="print lines that run the commands by ssh; needs a manifest")
    print_commands.add_argument("--user", help="the user for --ssh (default: from the manifest)")
    print_commands.set_defaults(run=_commands)
    keys = commands.add_parser("agents", help="add an agent for each switch and server, and write their configurations; run it on the controller")
    keys.add_argument("file", metavar="FILE", type=Path)
    keys.add_argument(
        "--data", metavar="DIR", type=Path, default=Path("/var/lib/malob-testbed"), help="the controller's data directory (%(default)s)"
    )
    keys.add_argument("--out", metavar="DIR", type=Path, required=True, help="the directory for the configurations (NODE.json)")
    keys.set_defaults(run=_agents)
    write = commands.add_parser("profile", help="print CloudLab's profile, geni/profile.py, with the lab's current topologies")
    write.set_defaults(run=_profile)
    play = commands.add_parser("rehearse", help="emulate the machines of a request as namespaces, set them up and send requests; needs root")
    play.add_argument("file", metavar="FILE", type=Path)
    play.add_argument("--vip", metavar="ADDRESS:PORT", type=endpoint, default=("10.0.0.100", 80), help="(10.0.0.100:80)")
    play.add_argument("--agents", metavar="SECONDS", type=positive, help="start agents, too; print 'malob status' after SECONDS")
    play.set_defaults(run=_rehearse)
    return made


def _request(options: argparse.Namespace) -> int:
    wanted = slices.build(topology.load(options.topology), sites.load(Path(options.topology).stem, options.sites))
    print(rspec.write(wanted.unshaped() if options.unshaped else wanted, options.source), end="")
    return 0


def _check(options: argparse.Namespace) -> int:
    prepare("rspec")
    restart_with("lxml")
    wrong = 0
    for file in options.files:
        faults = rules.faults(_text(file))
        wrong += bool(faults)
        for fault in faults:
            print(f"{file}: {fault}")
        if not faults:
            print(f"{file}: conforms to RSpec version 3")
    return 1 if wrong else 0


def _commands(options: argparse.Namespace) -> int:
    document = rspec.read(str(options.file), _text(options.file))
    controller = options.controller or document.control_addresses.get(CONTROLLER)
    if controller is None:
        raise UsageError(f"{options.file} does not contain the controller's address: use --controller ADDRESS")
    by_node = roles.commands(document.slice, controller, options.directory, options.vip, options.agents)
    if options.ssh:
        print("\n".join(roles.over_ssh(document, by_node, options.user)))
    else:
        for name, command in by_node.items():
            print(f"{name}\t{shlex.join(command)}")
    return 0


def _agents(options: argparse.Namespace) -> int:
    wanted = rspec.read(str(options.file), _text(options.file)).slice
    options.out.mkdir(parents=True, exist_ok=True)
    for name, configuration in agents.enter(wanted, AgentsFile(options.data / "agents.json")).items():
        file = options.out / f"{name}.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps(configuration, indent=2) + "\n", encoding="utf-8")
        print(file)
    return 0


def _profile(_options: argparse.Namespace) -> int:
    print(profile.updated(_text(PROFILE), [at_cloudlab(name) for name in PROFILED]), end="")
    return 0


def at_cloudlab(name: str) -> Slice:
    """The slice of a topology at a single site."""
    placed = sites.load(name)
    return slices.build(topology.load(name), placed.at_one(placed.racks[placed.controller]))


def _rehearse(options: argparse.Namespace) -> int:
    need_root(f"testbed rehearse {options.file}")
    wanted = rspec.read(str(options.file), _text(options.file)).slice
    prepare("controller")
    with orderly_end(), Rehearsal(wanted) as rehearsal:
        configurations = rehearsal.give_agents() if options.agents else None
        answers = rehearsal.set_up(
            roles.commands(wanted, CONTROLLER_ADDRESS, str(ROOT), options.vip, configurations), lambda node, line: say(f"{node}: {line}")
        )
        for node in wanted.with_role("client"):
            print(f"{node.name}: {answers[node.name].strip()}", flush=True)
        if options.agents:
            say(f"agents measure for {options.agents} s")
            time.sleep(options.agents)
            print(rehearsal.run(CONTROLLER, [str(ROOT / "malob"), "status"]), end="")
    return 0


def _text(file: Path) -> str:
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8") from None


if __name__ == "__main__":
    run_main(main, "malob testbed")
