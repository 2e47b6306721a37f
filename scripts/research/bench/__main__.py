"""`./malob bench NAME`: runs a measurement, from here or from bench/, which is in Java."""

from __future__ import annotations

import sys

from lab import simulations
from malob.cli import java, test
from malob.cli.arguments import Parser
from malob.errors import UsageError, run_main
from malob.system.waiting import say
from research.bench.bench_command import BenchCommand
from research.bench.compare.comparison import CompareCommand
from research.bench.endhost import EndhostCommand
from research.bench.failover.run import FailoverCommand
from research.bench.faults import FaultsCommand
from research.bench.open_vswitch.run import OpenVSwitchCommand
from research.bench.proactive.run import ProactiveCommand
from research.bench.real_networks.run import RealNetworksCommand
from research.bench.soak.run import SoakCommand
from research.bench.tracked.run import TrackedCommand

#: Former benchmarks, and their new commands.
MOVED_BENCHMARKS = {**{name: f"lab simulate {name}" for name in simulations.SIMULATIONS}, "fuzz": "test --fuzz"}

#: The measurements on Open vSwitch, by name.
_OWN: dict[str, BenchCommand] = {
    command.name: command
    for command in (
        OpenVSwitchCommand(),
        SoakCommand(),
        FaultsCommand(),
        ProactiveCommand(),
        TrackedCommand(),
        FailoverCommand(),
        CompareCommand(),
        EndhostCommand(),
        RealNetworksCommand(),
    )
}


def parser() -> Parser:
    made = Parser(prog="malob bench", description="Benchmarks.")
    names = made.add_commands("NAME")
    for name, command in _OWN.items():
        names.list_parser(name, command.purpose, command.parser())
    java.add_programs(names, "bench")
    for name, now in MOVED_BENCHMARKS.items():
        names.add_parser(name, help=f"deprecated: use './malob {now}'")
    return made


def main() -> int:
    words = sys.argv[1:]
    if not words:
        raise UsageError("the name of a benchmark is missing; './malob bench list' lists them")
    name, more = words[0], words[1:]
    if name in _OWN:
        return _OWN[name].main(more)
    if name in MOVED_BENCHMARKS:
        say(f"malob: 'bench {name}' is deprecated: use '{MOVED_BENCHMARKS[name]}'")
        if name == "fuzz":
            java.become("fuzz", more, test.parser)
        simulations.become(words)
    if name == "list":
        for own, command in _OWN.items():
            print(f"{own:<14}{command.purpose}")
    return java.become("bench", words, parser)


if __name__ == "__main__":
    run_main(main, "malob bench")
