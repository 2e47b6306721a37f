"""`./malob lab simulate`: experiments without a network, which are Java (simulations/)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

from malob.cli import java
from malob.cli.arguments import Commands, Parser
from malob.errors import UsageError

#: Descriptions by name.
SIMULATIONS = java.programs("lab simulate")

_DESCRIPTION = "Simulates networks, clients and servers around the controller's own algorithms; needs no root."


def add_parser(commands: Commands) -> None:
    _add_programs(
        commands.add_parser(
            "simulate",
            help="simulate networks, clients and servers around the controller's own algorithms",
            description=_DESCRIPTION,
        )
    )


def _add_programs(parser: Parser) -> Parser:
    java.add_programs(parser.add_commands("NAME"), "lab simulate")
    return parser


def main() -> NoReturn:
    become(sys.argv[2:])


def become(words: Sequence[str]) -> NoReturn:
    """Replaces this process by a simulation. words: its name and options."""
    if not words:
        raise UsageError("the name of a simulation is missing; './malob lab simulate list' lists them")
    java.become("simulate", words, lambda: _add_programs(Parser(prog="malob lab simulate", description=_DESCRIPTION)))
