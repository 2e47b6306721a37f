"""What `./malob` understands, asked of itself: so that no page names an option that is not there."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache

from malob.system.place import ROOT

#: Programs in Java have to be built; their options are looked up in these sources.
_JAVA = (
    (["bench"], ("bench/src", "simulations/src", "src/test/java/io/malob/fuzz", "scripts/research/bench")),
    (["lab", "simulate"], ("simulations/src",)),
    (["test", "--fuzz"], ("malob", "src/test/java/io/malob/fuzz")),
)

_CALL = re.compile(r"(?:^ *(?:\$ )?|`|sudo |&& |; |\()\./malob (?P<words>[^`|;&#<>()\n]+)", re.MULTILINE)
_OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")


def calls(text: str) -> Iterator[list[str]]:
    """The words after ./malob of each call in a text, without what belongs to other programs."""
    for call in _CALL.finditer(text.replace("\\\n", " ")):
        words = call["words"].split()
        if words[:2] == ["lab", "exec"]:
            words = words[:3]
        yield words


def unknown(words: list[str]) -> list[str]:
    """What of a call the launcher would not understand: its command, or options."""
    if words[0] == "--yes":
        words = words[1:]
    command = words[0]
    if command == "help":
        return []
    if command not in commands():
        return [command]
    options = [word.split("=")[0] for word in words[1:] if _OPTION.fullmatch(word.split("=")[0])]
    return [option for option in options if not _knows(words, option)]


def _knows(words: list[str], option: str) -> bool:
    for command, sources in _JAVA:
        if words[: len(command)] == command:
            return option in _of_sources(sources)
    return option in _options("help") or any(option in _options(*path, "--help") for path in _paths(words))


@cache
def commands() -> frozenset[str]:
    """The launcher's commands: what it tells apart."""
    apart = (ROOT / "malob").read_text(encoding="utf-8").partition("\nmain() {")[2].partition("\n}\n")[0]
    labels = re.findall(r"^    ([a-z][a-z |-]*)\) ", apart, re.MULTILINE)
    return frozenset(name for label in labels for name in label.split(" | "))


def _paths(words: list[str]) -> Iterator[tuple[str, ...]]:
    """The command, with its own command, with what that is about: whichever of them has options of its own."""
    for length, word in enumerate(words[:3], start=1):
        if not re.fullmatch(r"[a-z][\w-]*", word):
            return
        yield tuple(words[:length])


@cache
def _options(*words: str) -> frozenset[str]:
    return frozenset(_OPTION.findall(_output(words)))


@cache
def _of_sources(paths: tuple[str, ...]) -> frozenset[str]:
    files = [file for path in paths for file in [ROOT / path, *(ROOT / path).rglob("*.*")] if file.is_file()]
    texts = [file.read_text(encoding="utf-8") for file in files if file.suffix in ("", ".java", ".py")]
    return frozenset(option for text in texts for option in _OPTION.findall(text))


@cache
def _output(words: tuple[str, ...]) -> str:
    done = subprocess.run(
        [str(ROOT / "malob"), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    return done.stdout
