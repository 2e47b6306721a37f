"""Command line of the completion; `malob complete` is what the shells call."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from malob.cli.arguments import Parser
from malob.cli.completion import engine, shells
from malob.errors import run_main


def parser() -> argparse.ArgumentParser:
    made = Parser(
        prog="malob completion",
        description="Prints the completion script of a shell; it completes ids from the running controller. bash:"
        " 'source <(./malob completion bash)' in ~/.bashrc; zsh: the same in ~/.zshrc; fish: './malob completion fish | source'.",
    )
    made.add_argument("shell", choices=tuple(shells.SCRIPTS))
    return made


def main() -> int:
    words = sys.argv[1:]
    if words[:2] == ["complete", "--"]:
        return _complete(words[2:])
    print(shells.SCRIPTS[parser().parse_args(words).shell], end="")
    return 0


def _complete(words: Sequence[str]) -> int:
    from malob.cli.completion.sources import SOURCES

    for line in shells.answer(engine.complete(words, SOURCES)):
        print(line)
    return 0


if __name__ == "__main__":
    run_main(main, "malob completion")
