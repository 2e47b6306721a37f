"""The commands in a Markdown page, with their marks.

Commands are in fenced blocks of the language `sh` (commands alone) or `console` (a prompt, the command, and its output below
it). An HTML comment on the line before the block, which readers do not see, says how the block is tested:

    <!-- run -->                                      by the test that runs the page's commands in order
    <!-- run in the second terminal -->               the same, in a second terminal
    <!-- run in the first terminal; goes on -->       the command does not return; the test waits for its output
    <!-- run; figures vary -->                        numbers and column widths are not compared
    <!-- run; asked until it is so -->                the command is repeated until it prints the expected output
    <!-- run by SomeTest -->                          by the test of this name
    <!-- not run: it takes two hours -->              the reason; its options are checked nevertheless

In a command's output, `…` stands for any text within a line; a line with only `…` stands for any number of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

#: The languages of command blocks.
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
    """A comment that begins like a mark but is not valid."""


@dataclass(frozen=True)
class Command:
    """One command as typed, possibly over several lines, and the lines that it should print."""

    text: str
    output: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """A block of commands. line: that of its fence, from 1. reason: why it is not run. test: the name of its test."""

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
    """The command blocks of a page, in order. Raises BadMark."""
    return [
        _block(start + 1, lines[start - 1] if start else "", language, body)
        for lines in [page.splitlines()]
        for start, language, body in _fenced(lines)
        if language in LANGUAGES
    ]


def indented_commands(page: str) -> list[int]:
    """The lines of commands in blocks that are only indented: these blocks cannot have a mark."""
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
        raise BadMark(f"line {line - 1}: '{mark['words']}' is not a mark; scripts/tests/blocks.py lists them")
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
