"""Finds the command, and checks that it is available: `python3 scripts/command.py malob.cli WORD...` does what `./malob WORD...` does."""

from __future__ import annotations

import sys

from malob.cli import commands
from malob.errors import UsageError, run_main

_HELP = ("help", "--help", "-h")
_VERSION = ("version", "--version", "-V")


def main() -> int:
    words = sys.argv[1:] or ["help"]
    if words[0] in _HELP:
        from malob.cli import usage

        print(usage.text())
        return 0
    if words[0] in _VERSION:
        from malob.cli import version

        print(version.text())
        return 0
    command = _command(words)
    sys.argv = [sys.argv[0], *(words if command.shared else words[1:])]
    run_main(command.run, f"malob {words[0] if command.whole else command.name}")
    return 0


def _command(words: list[str]) -> commands.Command:
    command = commands.find(words)
    if command is None:
        raise UsageError(f"no command '{words[0]}'; './malob help' lists them")
    command.check()
    return command


if __name__ == "__main__":
    run_main(main, "malob")
