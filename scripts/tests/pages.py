"""The pages of the documentation: their links, the anchors of their headings, and their lines outside of blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from malob.system.place import ROOT
from tools.docs.menu import DOCS

#: Pages outside docs/, next to the code that they describe, that the site includes.
ELSEWHERE = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "bench/README.md",
    "simulations/README.md",
    "scripts/agents/README.md",
    "geni/README.md",
)

_LINK = re.compile(r"(?<!`)\[(?:[^\]\[]|\[[^\]]*\])*\]\((?P<target>[^)\s]+)(?: \"[^\"]*\")?\)")
_HEADING = re.compile(r"^#{1,6} +(?P<words>.*?) *#* *$")
_FENCE = re.compile(r"^ *(`{3,}|~{3,})")


def pages() -> list[Path]:
    """All pages, including those outside docs/."""
    return [*sorted(DOCS.rglob("*.md")), *map(ROOT.joinpath, ELSEWHERE)]


def links(text: str) -> Iterator[str]:
    """The targets of a page's links, including images."""
    for line in prose(text):
        for link in _LINK.finditer(re.sub(r"`[^`]*`", "", line) if "](" in line else ""):
            yield link["target"]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub generates them."""
    found: set[str] = set()
    for line in prose(text):
        heading = _HEADING.match(line)
        if heading:
            anchor = _anchor(heading["words"])
            number = sum(1 for one in found if re.fullmatch(re.escape(anchor) + r"(-\d+)?", one))
            found.add(f"{anchor}-{number}" if number else anchor)
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def prose(text: str) -> Iterator[str]:
    """The lines of a page that are outside fenced blocks."""
    fence = ""
    for line in text.splitlines():
        opening = _FENCE.match(line)
        if fence:
            if line.strip() == fence:
                fence = ""
        elif opening:
            fence = opening[1]
        else:
            yield line


def _anchor(words: str) -> str:
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words)
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
