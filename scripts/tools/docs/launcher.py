"""The commands and options of `./malob`, from its own parser, to check that pages name no unknown option."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache

from malob.cli import commands
from malob.system.place import ROOT

#: Commands that programs use to query the launcher.
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
    command = words[0]
    if command in ("help", "version"):
        return []
    if commands.find([command]) is None and command not in _INTERNAL:
        return [command]
    options = [word.split("=")[0] for word in words[1:] if _OPTION.fullmatch(word.split("=")[0])]
    return [option for option in options if not _knows(words, option)]


def _knows(words: list[str], option: str) -> bool:
    return option in _options("help") or any(option in _options(*path, "--help") for path in _paths(words))


def _paths(words: list[str]) -> Iterator[tuple[str, ...]]:
    """The words before options: the command, its subcommand and their object, if these have options."""
    names = [word for word in words if re.fullmatch(r"[a-z][\w-]*", word)]
    for length in range(1, min(3, len(names)) + 1):
        yield tuple(names[:length])


@cache
def _options(*words: str) -> frozenset[str]:
    return frozenset(_OPTION.findall(_output(words)))


@cache
def _output(words: tuple[str, ...]) -> str:
    done = subprocess.run(
        [str(ROOT / "malob"), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    return done.stdout
