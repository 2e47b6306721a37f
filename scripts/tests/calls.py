"""Calls of `./malob` in pages, and what its own parsers know of their commands and options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from malob.cli import commands
from malob.cli.arguments import Parser

#: Commands that programs use to query the launcher; they have no options.
_INTERNAL = ("prepare", "java", "launch")

_CALL = re.compile(r"(?:^ *(?:\$ )?|`|sudo |&& |; |\()\./malob (?P<words>[^`|;&#<>()\n]+)", re.MULTILINE)
_OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")


def calls(text: str) -> Iterator[list[str]]:
    """The words after ./malob of each call in a text, without those for other programs."""
    for call in _CALL.finditer(text.replace("\\\n", " ")):
        words = call["words"].split()
        if words[:2] == ["lab", "exec"]:
            words = words[:3]
        yield words


def unknown(words: list[str]) -> list[str]:
    """What the launcher would reject in a call: its command or options."""
    if words[0] == "--yes":
        words = words[1:]
    if words[0] in ("help", "version", *_INTERNAL):
        return []
    parser = _parser(words[0])
    if parser is None:
        return [words[0]]
    known: set[str] = set()
    unknown = []
    for word in ["", *words[1:]]:
        if parser.commands is not None and word in parser.commands.parsers:
            parser = parser.commands.parsers[word]
        known.update(name for each in parser.arguments for name in each.action.option_strings)
        option = word.split("=")[0]
        if _OPTION.fullmatch(option) and option not in known:
            unknown.append(option)
    return unknown


@cache
def _parser(command: str) -> Parser | None:
    found = commands.find([command])
    return None if found is None else found.parser()
