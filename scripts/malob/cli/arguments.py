"""Command lines: their parser, values of options, and what shells complete them with."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NoReturn

from malob.errors import UsageError


class Parser(argparse.ArgumentParser):
    """As argparse's, and its sub-commands' too; what is wrong with a command line is said in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(UsageError.exit_code, f"{self.prog}: {message}; '{self.prog} --help' tells more\n")


if TYPE_CHECKING:
    #: What add_subparsers() gives; argparse has no public name for it.
    Subparsers = argparse._SubParsersAction[Any]
else:
    Subparsers = Any


def endpoint(text: str) -> tuple[str, int]:
    """HOST:PORT in two; argparse reports the error."""
    host, colon, port = text.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise argparse.ArgumentTypeError(f"expected HOST:PORT, not '{text}'")
    return host.strip("[]"), int(port)


def port(text: str) -> int:
    """The number of a port; argparse reports the error."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError(f"expected a port, 1 to 65535, not '{text}'")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1; argparse reports the error."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 10**9):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, not '{text}'")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds that makes sense; argparse reports the error."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0.1 <= value <= 86_400:
        raise argparse.ArgumentTypeError(f"expected seconds from 0.1 to 86400, not '{text}'")
    return value


def completes(action: argparse.Action, what: str) -> None:
    """Says what the values of an argument are, for the shell's completion: "vip", "pool", "member", "service", "algorithm", "topology".

    Arguments called FILE or DIR need no telling.
    """
    action.completes = what  # type: ignore[attr-defined]
