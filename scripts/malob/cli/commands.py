"""All commands of ./malob: the source of its help, of completion and of the page of all commands.

A command's module is imported only when needed. It has parser(), and main(), which reads sys.argv.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from malob.errors import MissingError, ScriptError
from malob.system.place import ROOT

if TYPE_CHECKING:
    from malob.cli.arguments import Parser


class Command(NamedTuple):
    """One command.

    name: of two words, if the module has a part of a command only
    purpose: half a sentence; none for a part, and for what users do not type
    module: below scripts/; a release lacks some
    shared: the module has several commands; parser() and main() get the name
    folder: what it works on, of a checkout; a release lacks it
    built: it builds from sources
    whole: the parser of this part is that of all of the command
    """

    name: str
    purpose: str
    module: str
    shared: bool = False
    folder: str = ""
    built: bool = False
    whole: bool = False

    @property
    def is_here(self) -> bool:
        return not self._missing()

    def parser(self) -> Parser:
        whole = next((part for part in _ALL if part.whole and part.name.startswith(f"{self.name} ") and part.is_here), self)
        module = importlib.import_module(whole.module)
        made: Parser = module.parser(self.name) if self.shared else module.parser()
        return made

    def check(self) -> None:
        """Raises ScriptError if this is a release, and the command is for checkouts."""
        if self.built and not (ROOT / "pom.xml").is_file():
            raise ScriptError(f"{self.name}: a release has no sources and no tests; use a checkout")
        if not self.is_here:
            raise MissingError(f"'{self.name}' needs {self._missing()}, which releases and packages do not contain: use a checkout")

    def run(self) -> int:
        """Runs the command of sys.argv: the words after the command's first one, or with it if the module is shared."""
        code: int = importlib.import_module(self.module).main()
        return code

    def _missing(self) -> str:
        top = f"scripts/{self.module.partition('.')[0]}"
        return next((folder for folder in (self.folder, top) if not (ROOT / folder).is_dir()), "")


def here() -> Sequence[Command]:
    """The commands of this checkout or release."""
    return [command for command in _ALL if command.is_here and command.purpose]


def find(words: Sequence[str]) -> Command | None:
    """The command that a command line, without ./malob, begins with."""
    names = (" ".join(words[:2]), "".join(words[:1]))
    return next((command for name in names for command in _ALL if command.name == name), None)


def _catalog(name: str, purpose: str) -> Command:
    return Command(name, purpose, "malob.cli.catalog", shared=True)


_ALL = (
    Command("run", "the controller with its load balancer, in the foreground; needs no root", "malob.cli.java", shared=True),
    Command("cluster", "three etcd servers for a trial of several controllers; needs no root", "malob.cli.cluster"),
    Command("demo", "a network of five switches with clients and servers, balanced by MALOB; needs root", "lab.demo.__main__"),
    Command("status", "the state of switches, links and servers; needs no root", "malob.cli.status"),
    Command("top", "members, links and pools, live, the busiest first", "malob.cli.top.__main__"),
    _catalog("load-balancer", "load balancers, addresses with all of their VIPs"),
    _catalog("vip", "virtual addresses that clients connect to"),
    _catalog("pool", "pools, the servers behind a virtual address"),
    _catalog("member", "members, the servers of pools"),
    _catalog("service", "services, which algorithm places the connections of a port"),
    _catalog("monitor", "health monitors, how the members of a pool are checked"),
    Command("apply", "apply a configuration of all of these from a file (YAML or JSON)", "malob.cli.apply", shared=True),
    Command("config", "print the configuration as such a file", "malob.cli.apply", shared=True),
    Command("explain", "which server and paths a new connection would get now, and why; changes nothing", "malob.cli.explain"),
    Command("connections", "the load balancer's connections, with their paths", "malob.cli.connections"),
    Command("endhost", "distributes this host's own flows over several uplinks; needs root", "malob.cli.endhost.__main__"),
    Command("mptcp", "routes MPTCP sub-flows over many paths", "malob.cli.mptcp.__main__"),
    Command("agent", "the agents that may report the state of servers and links", "malob.cli.agents"),
    Command("token", "access to the REST interface", "malob.cli.tokens"),
    Command("lab", "emulated networks, and the experiments of the papers; needs root", "lab.__main__"),
    Command("lab run", "", "research.experiments.__main__", whole=True),
    Command("lab simulate", "", "lab.simulations", built=True),
    Command("testbed", "slices of GENI, CloudLab and FABRIC", "research.testbed.__main__"),
    Command("bench", "benchmarks", "research.bench.__main__", folder="bench"),
    Command("test", "all tests", "malob.cli.test", folder="scripts/tests", built=True),
    Command("test --fuzz", "", "malob.cli.test", folder="scripts/tests", built=True),
    Command("docs", "builds the documentation's site, in target/site", "tools.docs.__main__"),
    Command("release", "builds all files of a release, in target/release", "tools.release.__main__", built=True),
    Command("doctor", "checks this machine for the programs that MALOB needs", "malob.cli.doctor"),
    Command("completion", "prints shell completions", "malob.cli.completion.__main__"),
    Command("complete", "", "malob.cli.completion.__main__", shared=True),
)
