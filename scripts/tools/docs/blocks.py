"""The commands in a Markdown page, with their marks.

Commands stand in fenced blocks of the language `sh` (commands alone) or `console` (a prompt, the command, and below it
what it prints). An HTML comment on the line before the block, which readers do not see, says what becomes of it:

    <!-- run -->                                      by the test that walks through the page, in its order
    <!-- run in the second terminal -->               the same, in another terminal than the first
    <!-- run in the first terminal; goes on -->       the command does not return; what it prints is waited for
    <!-- run; figures vary -->                        numbers are not compared, nor how wide columns are
    <!-- run; asked until it is so -->                the command is typed again until it prints what it should
    <!-- run by SomeTest -->                          by a test of this name
    <!-- not run: it takes two hours -->              why not; its options are checked all the same

In what a command prints, `…` stands for anything within a line, and a line of it alone for any lines, or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

#: What blocks of commands are written in.
LANGUAGES = ("sh", "console", "bash", "shell")

FIRST_TERMINAL = "first"

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(?P<language>[\w-]*)")
_MARK = re.compile(r"^ *<!-- *(?P<words>(?:not )?run\b.*?) *--> *$")
_WALKED = re.compile(r"run(?: in the (?P<terminal>\w+) terminal)?")
_TESTED = re.compile(r"run by (?P<test>\w+)")
_NOT_RUN = re.compile(r"not run: (?P<reason>\S.*)")
_PROMPT = re.compile(r"^(?:\$|mininet>) (?P<command>.*)$")
_INDENTED_COMMAND = re.compile(r"^(?: {4,}|\t)(?:\$ |mininet> |sudo |curl |git |\./malob |mvn |python3 |pip |apt-get |systemctl )")


class Fate(Enum):
    """How a block is tested."""

    WALKED = "run by the test that walks through the page"
    TESTED = "run by a test of its own"
    NOT_RUN = "not run, for a reason"
    UNMARKED = "without a mark"


class BadMark(Exception):
    """A comment that begins like a mark but is not one."""


@dataclass(frozen=True)
class Command:
    """One command as it is typed, over several lines if it is, and the lines that it should print."""

    text: str
    output: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """A block of commands. line: of its fence, from 1. reason: why it is not run. test: the name of its test."""

    line: int
    fate: Fate
    commands: tuple[Command, ...]
    terminal: str = FIRST_TERMINAL
    goes_on: bool = False
    figures_vary: bool = False
    asked_again: bool = False
    reason: str = ""
    test: str = ""


def blocks(page: str) -> list[Block]:
    """The blocks of commands of a page, in its order. Raises BadMark."""
    return [
        _block(start + 1, lines[start - 1] if start else "", language, body)
        for lines in [page.splitlines()]
        for start, language, body in _fenced(lines)
        if language in LANGUAGES
    ]


def indented_commands(page: str) -> list[int]:
    """The lines of commands that are set off by blanks alone, where nothing can be said about them."""
    lines = page.splitlines()
    inside = {number for start, _, body in _fenced(lines) for number in range(start, start + len(body) + 2)}
    return [number + 1 for number, line in enumerate(lines) if number not in inside and _INDENTED_COMMAND.match(line)]


def _fenced(lines: list[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Each fenced block: the index of its first line, its language, and its lines."""
    number = 0
    while number < len(lines):
        opening = _FENCE.match(lines[number])
        start, number = number, number + 1
        if opening is None:
            continue
        while number < len(lines) and lines[number].strip() != opening["fence"]:
            number += 1
        indent = len(opening["indent"])
        yield start, opening["language"], [line[indent:] if not line[:indent].strip() else line for line in lines[start + 1 : number]]
        number += 1


def _block(line: int, before: str, language: str, body: list[str]) -> Block:
    commands = tuple(_of_console(body) if language == "console" else _of_script(body))
    mark = _MARK.match(before)
    if mark is None:
        return Block(line, Fate.UNMARKED, commands)
    words, *more = [part.strip() for part in mark["words"].split(";")]
    not_run = _NOT_RUN.fullmatch(mark["words"])
    if not_run:
        return Block(line, Fate.NOT_RUN, commands, reason=not_run["reason"])
    tested = _TESTED.fullmatch(words)
    if tested and not more:
        return Block(line, Fate.TESTED, commands, test=tested["test"])
    walked = _WALKED.fullmatch(words)
    if not walked or set(more) - {"goes on", "figures vary", "asked until it is so"}:
        raise BadMark(f"line {line - 1}: '{mark['words']}' is not a mark; scripts/tools/docs/blocks.py lists them")
    return Block(
        line,
        Fate.WALKED,
        commands,
        walked["terminal"] or FIRST_TERMINAL,
        goes_on="goes on" in more,
        figures_vary="figures vary" in more,
        asked_again="asked until it is so" in more,
    )


def _of_script(body: list[str]) -> Iterator[Command]:
    command: list[str] = []
    for line in body:
        if not command and (not line.strip() or line.lstrip().startswith("#")):
            continue
        command.append(line)
        if not line.endswith("\\"):
            yield Command("\n".join(command))
            command = []
    if command:
        yield Command("\n".join(command))


def _of_console(body: list[str]) -> Iterator[Command]:
    text = ""
    output: list[str] = []
    for line in body:
        prompt = _PROMPT.match(line)
        if prompt:
            if text:
                yield Command(text, tuple(output))
            text, output = prompt["command"], []
        elif text.endswith("\\") and not output:
            text += "\n" + line
        else:
            output.append(line)
    if text:
        yield Command(text, tuple(output))
