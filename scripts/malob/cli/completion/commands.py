"""All commands of the launcher with their parsers, which are loaded only when they are asked for: by the names of their packages,
as the launcher does.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Callable, NoReturn

from malob.cli.arguments import Parser
from malob.system.place import ROOT

#: What ./malob test --fuzz knows.
FUZZ_TARGETS = ("packets", "openflow", "probes", "reports", "catalog")


@dataclass(frozen=True)
class Command:
    """One command. purpose: half a sentence. package: below scripts/, with dots; a release lacks some."""

    name: str
    purpose: str
    package: str
    parser: Callable[[], argparse.ArgumentParser]

    @property
    def is_here(self) -> bool:
        return _is_here(self.package)


def _is_here(package: str) -> bool:
    return ROOT.joinpath("scripts", *package.split(".")).is_dir()


def _of(name: str, purpose: str, package: str = "", function: str = "parser") -> Command:
    """A command whose package has a function that makes the parser."""
    package = package or f"malob.cli.{name}"

    def load() -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = getattr(importlib.import_module(f"{package}.__main__"), function)()
        return made

    return Command(name, purpose, package, load)


class _Ready(Exception):
    """A program is about to read its command line."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__()
        self.parser = parser


def _of_main(name: str, purpose: str, package: str = "") -> Command:
    """A command that makes its parser on the way: it runs until it is about to use it."""
    package = package or f"malob.cli.{name}"

    def stop(parser: argparse.ArgumentParser, *_words: Any, **_more: Any) -> NoReturn:
        raise _Ready(parser)

    def load() -> argparse.ArgumentParser:
        main = importlib.import_module(f"{package}.__main__").main
        before = argparse.ArgumentParser.parse_args
        argparse.ArgumentParser.parse_args = stop  # type: ignore[method-assign,assignment]
        try:
            main()
        except _Ready as ready:
            return ready.parser
        finally:
            argparse.ArgumentParser.parse_args = before  # type: ignore[method-assign]
        raise AssertionError(f"{name} does not read its command line")

    return Command(name, purpose, package, load)


def _of_kind(name: str, purpose: str) -> Command:
    def load() -> argparse.ArgumentParser:
        from malob.cli.catalog.__main__ import parser
        from malob.cli.catalog.kinds import KINDS

        return parser(KINDS[name])

    return Command(name, purpose, "malob.cli.catalog", load)


def _run() -> argparse.ArgumentParser:
    made = Parser(
        prog="malob run",
        description="The controller with its load balancer, in the foreground, until SIGTERM or"
        " SIGINT; needs no root. Its process is the launcher's.",
    )
    made.add_argument("-cf", "--config-file", metavar="FILE", help="modules and settings, as in Floodlight's properties files")
    made.add_argument("--openflow-port", metavar="N", help="where switches connect to (6653; 0: any free port)")
    made.add_argument("--http-port", metavar="N", help="REST interface (8080; 0: any free port)")
    made.add_argument("--bind", metavar="ADDR", help="address of both (127.0.0.1)")
    made.add_argument("--insecure", action="store_true", help="serve REST to other machines although anyone there may change everything")
    made.add_argument("--data", metavar="DIR", help="where it keeps its catalog ($MALOB_DATA, or data/ of the checkout)")
    return made


def _test() -> argparse.ArgumentParser:
    made = Parser(prog="malob test", description="All tests; those on Open vSwitch need root.")
    which = made.add_mutually_exclusive_group()
    which.add_argument("--unit", action="store_true", help="only those that need neither root nor switches")
    which.add_argument(
        "--fuzz",
        metavar="TARGET",
        nargs="?",
        const=FUZZ_TARGETS[0],
        choices=FUZZ_TARGETS,
        help="spoiled input for a parser instead, guided by what it reaches: %(choices)s; --runs N, --heap SIZE, --out DIR, --json",
    )
    return made


_COMMANDS = (
    Command("run", "the controller with its load balancer", "", _run),
    _of("demo", "a network of five switches, watched at work", "lab.demo"),
    _of("status", "what a running controller knows of switches, links and servers"),
    _of("top", "members, links and pools, live, the busiest first"),
    _of_kind("vip", "virtual addresses, what clients connect to"),
    _of_kind("pool", "pools, the servers behind a virtual address"),
    _of_kind("member", "members, the servers of pools"),
    _of_kind("service", "services, which algorithm places the connections of a port"),
    _of_kind("monitor", "health monitors, how the members of a pool are checked"),
    _of("apply", "make all of these what a file says", "malob.cli.apply", "apply_parser"),
    _of("config", "print all of these as one file", "malob.cli.apply", "config_parser"),
    _of("explain", "which server and paths a new connection would get, and why"),
    _of("connections", "the connections that the load balancer knows"),
    _of_main("endhost", "this host's own flows over several uplinks"),
    _of("mptcp", "MPTCP sub-flows over many paths"),
    _of_main("agent", "who may report the state of servers and links", "malob.cli.agents"),
    _of_main("token", "who may use the REST interface", "malob.cli.tokens"),
    _of("lab", "emulated networks, and the experiments of the papers", "research.experiments" if _is_here("research.experiments") else "lab"),
    _of_main("testbed", "slices of GENI, CloudLab and FABRIC", "research.testbed"),
    _of("bench", "measurements", "research.bench"),
    Command("test", "all tests", "tests", _test),
    _of_main("docs", "the documentation's site", "tools.docs"),
    _of_main("release", "all files of a release", "tools.release"),
    _of("doctor", "what this machine has of what MALOB needs"),
    _of("completion", "completion of command lines for shells"),
)

ALL: Sequence[Command] = [command for command in _COMMANDS if command.is_here]


def find(name: str) -> Command | None:
    return next((command for command in ALL if command.name == name), None)
