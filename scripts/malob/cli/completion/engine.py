"""Possible next words of a command line, from the parsers. No I/O except in the sources."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Callable

from malob.cli import commands
from malob.cli.arguments import Argument, Parser

#: Returns the values of a kind ("vip", "topology", ...); gets the words so far, which may select the controller.
Source = Callable[[Sequence[str]], Sequence[str]]

_FILES = ("FILE", "DIR")


@dataclass(frozen=True)
class Candidate:
    """A possible next word. help: half a sentence, or nothing."""

    word: str
    help: str = ""


@dataclass(frozen=True)
class Completion:
    """files: names of files are possible, too."""

    candidates: Sequence[Candidate] = ()
    files: bool = False


def complete(words: Sequence[str], sources: Mapping[str, Source]) -> Completion:
    """words: those after the program's name; the last one, which may be empty, is completed."""
    *before, current = words or [""]
    if not before:
        known = [Candidate(command.name, command.purpose) for command in commands.here()]
        return _starting(Completion([*known, Candidate("help", "all commands"), Candidate("version", "the version")]), current)
    command = commands.find(before[:1])
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
    """A position on a command line: the sub-command, option and argument."""

    def __init__(self, parser: Parser) -> None:
        self._enter(parser)

    def _enter(self, parser: Parser) -> None:
        self._parser = parser
        self._positionals = [each for each in parser.arguments if not each.action.option_strings]
        self._option: Argument | None = None
        self._given: set[str] = set()
        self._foreign = False

    def pass_over(self, word: str) -> None:
        """A word is complete."""
        if self._option is not None and not (_may_be_absent(self._option) and word.startswith("-")):
            self._option = None
        elif word.startswith("-") and not self._foreign:
            name, equals, _value = word.partition("=")
            self._given.add(name)
            option = self._known(name)
            self._option = option if option is not None and option.action.nargs != 0 and not equals else None
        else:
            self._option = None
            self._pass_positional(word)

    def _known(self, name: str) -> Argument | None:
        return next((each for each in self._parser.arguments if name in each.action.option_strings), None)

    def _pass_positional(self, word: str) -> None:
        if self._positionals:
            nargs = self._positionals[0].action.nargs
            if nargs == argparse.REMAINDER:
                self._foreign = True
            elif nargs not in ("+", "*"):
                self._positionals.pop(0)
        elif self._parser.commands is not None and word in self._parser.commands.parsers:
            self._enter(self._parser.commands.parsers[word])

    def candidates(self, current: str, values: Callable[[str], Sequence[str]]) -> Completion:
        """The possible words here."""
        if self._foreign:
            return Completion(files=True)
        if self._option is not None and not (_may_be_absent(self._option) and current.startswith("-")):
            return _values(self._option, values)
        name, equals, _value = current.partition("=")
        if current.startswith("--") and equals:
            option = self._known(name)
            found = Completion() if option is None else _values(option, values)
            return Completion([Candidate(f"{name}={each.word}", each.help) for each in found.candidates], found.files)
        if current.startswith("-"):
            return Completion(list(self._options()))
        if self._positionals:
            return _values(self._positionals[0], values)
        if self._parser.commands is not None:
            return Completion([Candidate(name, purpose) for name, purpose in self._parser.commands.purposes.items()])
        return Completion(list(self._options()) if not current else ())

    def _options(self) -> Iterator[Candidate]:
        for each in self._parser.arguments:
            names = each.action.option_strings
            if names and each.is_public and (each.again or not self._given.intersection(names)):
                yield Candidate(names[-1], self._parser.help_of(each.action))


def _values(argument: Argument, values: Callable[[str], Sequence[str]]) -> Completion:
    action = argument.action
    if action.choices is not None:
        return Completion([Candidate(str(choice)) for choice in action.choices])
    if argument.completes:
        return Completion([Candidate(value) for value in values(argument.completes)], files=argument.completes == "topology")
    return Completion(files=action.metavar in _FILES)


def _may_be_absent(option: Argument) -> bool:
    return option.action.nargs in ("?", "*")
