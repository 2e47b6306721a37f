"""All commands of the launcher with their parsers, which are loaded only when they are asked for."""

from __future__ import annotations

import argparse
import importlib
from dataclasses import dataclass
from typing import Callable, Sequence

from base.arguments import Parser

#: Of bench/, which is Java.
JAVA_BENCHMARKS = (
    "packet-in", "reports", "soak", "footprint", "codec", "jmh", "switches", "latency", "fluid", "herding", "mix",
    "mptcp-fluid", "hamiltonian")


@dataclass(frozen=True)
class Command:
    """One command. purpose: half a sentence."""

    name: str
    purpose: str
    parser: Callable[[], argparse.ArgumentParser]


def _of(module: str, function: str = "parser") -> "Callable[[], argparse.ArgumentParser]":
    def load() -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = getattr(importlib.import_module(module), function)()
        return made
    return load


def _of_kind(name: str) -> "Callable[[], argparse.ArgumentParser]":
    def load() -> argparse.ArgumentParser:
        from catalog.__main__ import parser
        from catalog.kinds import KINDS
        return parser(KINDS[name])
    return load


def _run() -> argparse.ArgumentParser:
    made = Parser(prog="malob run", description="The controller with its load balancer, in the foreground, until SIGTERM or"
                  " SIGINT; needs no root. Its process is the launcher's.")
    made.add_argument("-cf", "--config-file", metavar="FILE", help="modules and settings, as in Floodlight's properties files")
    made.add_argument("--openflow-port", metavar="N", help="where switches connect to (6653; 0: any free port)")
    made.add_argument("--http-port", metavar="N", help="REST interface (8080; 0: any free port)")
    made.add_argument("--bind", metavar="ADDR", help="address of both (127.0.0.1)")
    made.add_argument("--data", metavar="DIR", help="where it keeps its catalog ($MALOB_DATA, or data/ of the checkout)")
    return made


def _test() -> argparse.ArgumentParser:
    made = Parser(prog="malob test", description="All tests; those on Open vSwitch need root.")
    made.add_argument("--unit", action="store_true", help="only those that need neither root nor switches")
    return made


def _bench() -> argparse.ArgumentParser:
    from bench import endhost_command, open_vswitch_command
    made = Parser(prog="malob bench", description="Measurements. 'bench NAME --help' lists the options of those in Java.")
    names = made.add_subparsers(metavar="NAME", required=True)
    names.add_parser("list", help="what there is")
    for name, parser in (("open-vswitch", open_vswitch_command.parser()), ("endhost", endhost_command.parser())):
        names.add_parser(name, parents=[parser], add_help=False, help=(parser.description or "").partition(",")[0].partition(".")[0],
                         description=parser.description)
    for name in JAVA_BENCHMARKS:
        names.add_parser(name, help="in Java")
    return made


ALL: Sequence[Command] = (
    Command("run", "the controller with its load balancer", _run),
    Command("demo", "a network of five switches, watched at work", _of("demo.__main__")),
    Command("status", "what a running controller knows of switches, links and servers", _of("status.__main__")),
    Command("top", "members, links and pools, live, the busiest first", _of("top.__main__")),
    Command("vip", "virtual addresses, what clients connect to", _of_kind("vip")),
    Command("pool", "pools, the servers behind a virtual address", _of_kind("pool")),
    Command("member", "members, the servers of pools", _of_kind("member")),
    Command("service", "services, which algorithm places the connections of a port", _of_kind("service")),
    Command("apply", "make all of these what a file says", _of("apply.__main__", "apply_parser")),
    Command("config", "print all of these as one file", _of("apply.__main__", "config_parser")),
    Command("explain", "which server and paths a new connection would get, and why", _of("explain.__main__")),
    Command("connections", "the connections that the load balancer knows", _of("connections.__main__")),
    Command("endhost", "this host's own flows over several uplinks", _of("endhost.__main__", "_parser")),
    Command("mptcp", "MPTCP sub-flows over many paths", _of("mptcp.__main__")),
    Command("agent", "who may report the state of servers and links", _of("agents.__main__")),
    Command("lab", "emulated networks, and the experiments of the papers", _of("lab.__main__")),
    Command("bench", "measurements", _bench),
    Command("test", "all tests", _test),
    Command("doctor", "what this machine has of what MALOB needs", _of("doctor.__main__")),
    Command("completion", "completion of command lines for shells", _of("completion.__main__")),
)


def find(name: str) -> "Command | None":
    return next((command for command in ALL if command.name == name), None)
