"""What can come next on a command line, told from the parsers. No I/O but what the sources do."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Callable

from malob.cli.completion import commands

#: Gives the values of a kind ("vip", "topology", ...); gets the words so far, which may say which controller is meant.
Source = Callable[[Sequence[str]], Sequence[str]]

_FILES = ("FILE", "DIR")


@dataclass(frozen=True)
class Candidate:
    """A word that can come next. help: half a sentence, or nothing."""

    word: str
    help: str = ""


@dataclass(frozen=True)
class Completion:
    """files: names of files can come next, too."""

    candidates: Sequence[Candidate] = ()
    files: bool = False


def complete(words: Sequence[str], sources: Mapping[str, Source]) -> Completion:
    """words: those behind the program's name; the last one, which may be empty, is completed."""
    *before, current = words or [""]
    if not before:
        known = [Candidate(command.name, command.purpose) for command in commands.ALL]
        return _starting(Completion([*known, Candidate("help", "all commands")]), current)
    command = commands.find(before[0])
    if command is None:
        return Completion()
    place = _Place(command.parser())
    for word in before[1:]:
        place.pass_over(word)
    found = place.candidates(current, lambda kind: sources[kind](before) if kind in sources else ())
    return _starting(found, current)


def _starting(found: Completion, current: str) -> Completion:
    return Completion([each for each in found.candidates if each.word.startswith(current)], found.files)


class _Place:
    """A place on a command line: in which sub-command, behind which option, at which argument."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._enter(parser)

    def _enter(self, parser: argparse.ArgumentParser) -> None:
        self._parser = parser
        self._positionals = [action for action in parser._actions if not action.option_strings]
        self._option: argparse.Action | None = None
        self._given: set[str] = set()
        self._foreign = False

    def pass_over(self, word: str) -> None:
        """A word is complete."""
        if self._option is not None and not (_may_be_absent(self._option) and word.startswith("-")):
            self._option = None
        elif word.startswith("-") and not self._foreign:
            name, equals, _value = word.partition("=")
            self._given.add(name)
            action = self._parser._option_string_actions.get(name)
            self._option = action if action is not None and action.nargs != 0 and not equals else None
        else:
            self._option = None
            self._pass_positional(word)

    def _pass_positional(self, word: str) -> None:
        if not self._positionals:
            return
        action = self._positionals[0]
        if isinstance(action, argparse._SubParsersAction):
            if word in action.choices:
                self._enter(action.choices[word])
        elif action.nargs == argparse.REMAINDER:
            self._foreign = True
        elif action.nargs not in ("+", "*"):
            self._positionals.pop(0)

    def candidates(self, current: str, values: Callable[[str], Sequence[str]]) -> Completion:
        """What can stand here."""
        if self._foreign:
            return Completion(files=True)
        if self._option is not None and not (_may_be_absent(self._option) and current.startswith("-")):
            return _values(self._option, values)
        name, equals, _value = current.partition("=")
        if current.startswith("--") and equals:
            action = self._parser._option_string_actions.get(name)
            found = Completion() if action is None else _values(action, values)
            return Completion([Candidate(f"{name}={each.word}", each.help) for each in found.candidates], found.files)
        if current.startswith("-"):
            return Completion(list(self._options()))
        if not self._positionals:
            return Completion(list(self._options()) if not current else ())
        return _values(self._positionals[0], values)

    def _options(self) -> Iterator[Candidate]:
        for action in self._parser._actions:
            again = isinstance(action, argparse._AppendAction)
            if action.option_strings and action.help != argparse.SUPPRESS and (again or not self._given.intersection(action.option_strings)):
                yield Candidate(action.option_strings[-1], help_of(self._parser, action))


def _values(action: argparse.Action, values: Callable[[str], Sequence[str]]) -> Completion:
    if isinstance(action, argparse._SubParsersAction):
        return Completion([Candidate(each.dest, each.help or "") for each in action._choices_actions])
    if action.choices is not None:
        return Completion([Candidate(str(choice)) for choice in action.choices])
    kind = getattr(action, "completes", None)
    if kind is not None:
        return Completion([Candidate(value) for value in values(kind)], files=kind == "topology")
    return Completion(files=action.metavar in _FILES)


def _may_be_absent(option: argparse.Action) -> bool:
    return option.nargs in ("?", "*")


def help_of(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """An argument's help, with its default and the like put in."""
    if not action.help:
        return ""
    return " ".join(parser._get_formatter()._expand_help(action).split())
