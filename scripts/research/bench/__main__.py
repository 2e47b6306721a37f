"""`./malob bench NAME`: runs a measurement, from here or from bench/, which is in Java."""

from __future__ import annotations

import sys

from lab import simulations
from malob.cli import java, test
from malob.cli.arguments import Parser
from malob.errors import UsageError, run_main
from malob.system.waiting import say
from research.bench import endhost_command, faults_command, open_vswitch_command
from research.bench.compare import command as compare_command
from research.bench.failover import command as failover_command
from research.bench.proactive import command as proactive_command
from research.bench.soak import command as soak_command

#: The measurements in bench/, which is in Java.

#: Former benchmarks, and their new commands.
MOVED_BENCHMARKS = {**{name: f"lab simulate {name}" for name in simulations.SIMULATIONS}, "fuzz": "test --fuzz"}

#: The measurements on Open vSwitch: a description, and the module of the command line.
_OWN = {
    "open-vswitch": ("new connections on real Open vSwitch, through reactive and proactive VIPs and without one; needs root", open_vswitch_command),
    "soak": ("a long run on real Open vSwitch with changing load, members, servers and links; needs root", soak_command),
    "faults": ("the effect of faults of links, switches and controller on an open connection; needs root", faults_command),
    "proactive": ("connections through a proactive VIP while its buckets move, or without a controller; needs root", proactive_command),
    "failover": ("connections while controllers of a cluster and etcd servers fail; needs root", failover_command),
    "compare": ("MALOB beside no balancer and proxies, under the same load on the same networks; needs root", compare_command),
    "endhost": ("the cost of MALOB on a host with several uplinks, compared with os-ken and no switch; needs root", endhost_command),
}


def parser() -> Parser:
    made = Parser(prog="malob bench", description="Benchmarks.")
    names = made.add_commands("NAME")
    for name, (purpose, module) in _OWN.items():
        names.list_parser(name, purpose, module.parser())
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
        return _OWN[name][1].main(more)
    if name in MOVED_BENCHMARKS:
        say(f"malob: 'bench {name}' is deprecated: use '{MOVED_BENCHMARKS[name]}'")
        if name == "fuzz":
            java.become("fuzz", more, test.parser)
        simulations.become(words)
    if name == "list":
        for own, (purpose, _module) in _OWN.items():
            print(f"{own:<13}{purpose}")
    return java.become("bench", words, parser)


if __name__ == "__main__":
    run_main(main, "malob bench")
