"""`./malob lab run`: the command line of labs, with the experiments."""

from __future__ import annotations

import lab.__main__
from malob.cli.arguments import Parser
from malob.errors import run_main
from research.experiments import command


def main() -> int:
    options = parser().parse_args()
    return int(options.run(options))


def parser() -> Parser:
    return lab.__main__.parser(command.add_parser)


if __name__ == "__main__":
    run_main(main, "malob lab")
