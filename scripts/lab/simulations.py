"""`./malob lab simulate`: experiments without a network, which are Java and started by the launcher (simulations/)."""

from __future__ import annotations

from malob.cli.arguments import Subparsers

#: By name: half a sentence.
SIMULATIONS = {
    "fluid": "how long files take where links are shared max-min fairly, by the thesis's combinations of rules",
    "herding": "rules with and without counting what was placed since the last measurement",
    "mix": "pages, files and computations, each kind alone and all at once",
    "mptcp-fluid": "what the sessions of 'lab run mptcp' get where their sub-flows share links max-min fairly",
    "hamiltonian": "the share of Hamiltonian paths that are found, and how fast, by kind of network",
}


def add_parser(commands: Subparsers) -> None:
    simulate = commands.add_parser(
        "simulate",
        help="an experiment without a network: clients and servers are simulated around the real algorithms",
        description="Simulates networks, clients and servers around the controller's own algorithms; needs no root."
        " 'lab simulate NAME --help' lists the options.",
    )
    names = simulate.add_subparsers(metavar="NAME", required=True)
    names.add_parser("list", help="what there is")
    for name, purpose in SIMULATIONS.items():
        names.add_parser(name, help=purpose)
