"""`./malob run`: the controller, which is Java."""

from __future__ import annotations

import sys

from malob.cli import java
from malob.cli.arguments import Parser


def parser() -> Parser:
    made = Parser(
        prog="malob run",
        description="The controller with its load balancer, in the foreground, until SIGTERM or SIGINT; needs no root."
        " Its process is the launcher's.",
    )
    java.add_options(made, "run")
    return made


def main() -> int:
    java.become("run", sys.argv[1:], parser)
