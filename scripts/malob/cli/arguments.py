"""Command lines: their parser, values of options, and completion."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any, Callable, NoReturn

from malob.errors import UsageError


@dataclass(frozen=True)
class Argument:
    """An argument of a parser. completes: the kind of its values ("vip", "topology", ...); files are recognized by the metavar FILE or DIR."""

    action: argparse.Action
    again: bool
    completes: str

    @property
    def is_public(self) -> bool:
        return self.action.help != argparse.SUPPRESS

    @property
    def form(self) -> str:
        """Its form on the command line: --port N, or NAME..."""
        names = ", ".join(self.action.option_strings)
        if self.action.nargs == 0:
            return names
        forms = {"?": "[{}]"} if names else {"?": "[{}]", "*": "[{}...]", "+": "{}...", argparse.REMAINDER: "{}..."}
        value = forms.get(str(self.action.nargs), "{}").format(self._value)
        return f"{names} {value}" if names else value

    @property
    def _value(self) -> str:
        if isinstance(self.action.metavar, str):
            return self.action.metavar
        if self.action.choices is not None:
            return "|".join(map(str, self.action.choices))
        return self.action.dest.upper()


class Commands:
    """The sub-commands of a parser, by name."""

    def __init__(self, parser: Parser, metavar: str, **more: Any) -> None:
        self.metavar = metavar
        self.parsers: dict[str, Parser] = {}
        self.purposes: dict[str, str] = {}
        self._made = parser.add_subparsers(metavar=metavar, required=True, **more)

    def add_parser(self, name: str, help: str, **more: Any) -> Parser:  # argparse calls it help
        """help: half a sentence."""
        made: Parser = self._made.add_parser(name, help=help, **more)
        self.parsers[name], self.purposes[name] = made, help
        return made

    def list_parser(self, name: str, help: str, made: Parser) -> None:
        """Adds a command that reads its command line itself; its help is that of the parser made."""
        self._made.add_parser(name, help=help)
        self.parsers[name], self.purposes[name] = made, help


class Parser(argparse.ArgumentParser):
    """As argparse's, also for sub-commands; errors in a command line are printed in one line.

    Knows its arguments and sub-commands, for completion and the page of all commands.
    """

    def __init__(self, **more: Any) -> None:
        # argparse adds --help while it is made
        self.arguments: list[Argument] = []
        self.commands: Commands | None = None
        super().__init__(**more)

    def add_argument(self, *names: Any, completes: str = "", **more: Any) -> argparse.Action:
        return self._known(super().add_argument(*names, **more), completes, more)

    def help_of(self, action: argparse.Action) -> str:
        """The help with its default and choices filled in."""
        values = {name: value for name, value in vars(action).items() if value is not argparse.SUPPRESS}
        if action.choices is not None:
            values["choices"] = ", ".join(map(str, action.choices))
        return " ".join(((action.help or "") % {**values, "prog": self.prog}).split())

    def add_mutually_exclusive_group(self, **more: Any) -> Any:
        return _Group(self, super().add_mutually_exclusive_group(**more))

    def add_commands(self, metavar: str, **more: Any) -> Commands:
        """One of them is required; replaces argparse's add_subparsers()."""
        self.commands = Commands(self, metavar, **more)
        return self.commands

    def error(self, message: str) -> NoReturn:
        self.exit(UsageError.exit_code, f"{self.prog}: {message}; see '{self.prog} --help'\n")

    def _known(self, action: argparse.Action, completes: str, options: dict[str, Any]) -> argparse.Action:
        self.arguments.append(Argument(action, options.get("action") == "append", completes))
        return action


class _Group:
    """Mutually exclusive arguments."""

    def __init__(self, parser: Parser, group: Any) -> None:
        self._parser, self._group = parser, group

    def add_argument(self, *names: Any, completes: str = "", **more: Any) -> argparse.Action:
        return self._parser._known(self._group.add_argument(*names, **more), completes, more)


def endpoint(text: str) -> tuple[str, int]:
    """Splits HOST:PORT; argparse reports the error."""
    host, colon, port = text.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise argparse.ArgumentTypeError(f"expected HOST:PORT, not '{text}'")
    return host.strip("[]"), int(port)


def whole(expected: str, low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number from low to high; argparse reports the error, with what was expected."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"expected {expected}, not '{text}'")
        return int(text)

    return read


port = whole("a port, 1 to 65535", 1, 65535)
positive = whole("a whole number from 1", 1, 10**9 - 1)


def seconds(text: str) -> float:
    """A plausible number of seconds; argparse reports the error."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0.1 <= value <= 86_400:
        raise argparse.ArgumentTypeError(f"expected seconds from 0.1 to 86400, not '{text}'")
    return value
