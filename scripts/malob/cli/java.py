"""The commands that are programs in Java, and their options: java.tsv, which `python3 scripts/command.py
tools.reference.java_options --write` generates from the programs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Callable, NamedTuple, NoReturn

from malob.cli.arguments import Commands, Parser
from malob.system.place import ROOT

FILE = Path(__file__).with_name("java.tsv")


class Row(NamedTuple):
    """An option; an argument, without names; or a command itself, without a label either.

    names: with spaces in between
    label: of its value; '...' behind it if it may be repeated
    """

    command: str
    names: str
    label: str
    text: str


@cache
def _rows() -> list[Row]:
    return [Row(*line.split("\t")) for line in FILE.read_text(encoding="utf-8").splitlines()]


def programs(group: str) -> dict[str, str]:
    """The commands below one, as "bench": their names, and half a sentence about each."""
    return {
        row.command.rpartition(" ")[2]: row.text
        for row in _rows()
        if row.command.rpartition(" ")[0] == group and not row.names and not row.label and not row.command.endswith(" list")
    }


def add_options(parser: Parser, command: str) -> None:
    """The options of a program, which parses them itself."""
    for row in _rows():
        if row.command == command and row.names:
            value = {"metavar": row.label.removesuffix("...")} if row.label else {}
            action = "store_true" if not row.label else "append" if row.label.endswith("...") else "store"
            parser.add_argument(*row.names.split(), action=action, help=row.text.replace("%", "%%"), **value)


def add_programs(commands: Commands, group: str) -> None:
    """Parsers of all programs of a command."""
    commands.add_parser("list", help="list the names")
    for name, purpose in programs(group).items():
        made = commands.add_parser(name, help=purpose)
        add_options(made, f"{group} {name}")
        for row in _rows():
            if row.command == f"{group} {name}" and row.label and not row.names:
                made.add_argument(row.label.lower(), metavar=row.label, nargs="*", help=row.text)


def parser(_name: str) -> Parser:
    """That of './malob run'."""
    made = Parser(
        prog="malob run",
        description="The controller with its load balancer, in the foreground, until SIGTERM or SIGINT; needs no root."
        " Its process is the launcher's.",
    )
    add_options(made, "run")
    return made


def main() -> int:
    become("run", sys.argv[2:], lambda: parser("run"))


def become(program: str, words: Sequence[str], parser: Callable[[], Parser]) -> NoReturn:
    """Has the launcher build and become a program: "run", "bench", "simulate", "fuzz" or "test". parser: for --help."""
    if "--help" in words or "-h" in words:
        parser().parse_args([*words[:1], "--help"])
    sys.stdout.flush()
    os.execv(ROOT / "malob", [str(ROOT / "malob"), "launch", program, *words])
