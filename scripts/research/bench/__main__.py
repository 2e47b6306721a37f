"""`./malob bench NAME` for what is measured on Open vSwitch: which of them is meant."""

from __future__ import annotations

import argparse
import sys

from lab.simulations import SIMULATIONS
from malob.cli.arguments import Parser
from malob.errors import UsageError, run_main
from research.bench import endhost_command, faults_command, open_vswitch_command
from research.bench.soak import command as soak_command

#: Of bench/, which is Java.
JAVA_BENCHMARKS = ("packet-in", "reports", "storm", "heap", "footprint", "codec", "jmh", "switches", "slow-clients", "latency", "health")

#: What was a benchmark, and what it is now.
MOVED_BENCHMARKS = {**{name: f"lab simulate {name}" for name in SIMULATIONS}, "fuzz": "test --fuzz"}

_COMMANDS = {"open-vswitch": open_vswitch_command, "endhost": endhost_command, "faults": faults_command, "soak": soak_command}


def parser() -> argparse.ArgumentParser:
    """All of `./malob bench`, those that the launcher gives to others too: for completion and docs/cli.md."""
    made = Parser(prog="malob bench", description="Measurements. 'bench NAME --help' lists the options of those in Java.")
    names = made.add_subparsers(metavar="NAME", required=True)
    names.add_parser("list", help="what there is")
    for name, own in ((name, module.parser()) for name, module in _COMMANDS.items()):
        names.add_parser(
            name, parents=[own], add_help=False, help=(own.description or "").partition(",")[0].partition(".")[0], description=own.description
        )
    for name in JAVA_BENCHMARKS:
        names.add_parser(name, help="in Java")
    for name, now in MOVED_BENCHMARKS.items():
        names.add_parser(name, help=f"deprecated: './malob {now}' does it")
    return made


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in _COMMANDS:
        raise UsageError(f"expected {' or '.join(sorted(_COMMANDS))}, not '{name}'")
    return _COMMANDS[name].main(sys.argv[2:])


if __name__ == "__main__":
    run_main(main, "malob bench")
