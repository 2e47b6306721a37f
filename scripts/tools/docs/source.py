"""The source of the documentation site: copies of all pages, including generated ones, with the menu as Sphinx directives.

The pages of a checkout are also read on code hosts, so they contain no Sphinx directives. These are added to the copies here.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from malob.cli.completion import reference
from malob.system.place import ROOT
from tools.docs import menu
from tools.docs.menu import Entry
from tools.docs.pages import DOCS
from tools.reference import page as rest_reference

#: The pages of tools.docs.pages.GENERATED.
GENERATORS: Mapping[str, Callable[[], str]] = {
    "docs/reference/cli.md": reference.page,
    "docs/reference/rest-reference.md": lambda: rest_reference.text(rest_reference.document()),
}

FOLDER = ROOT / "target" / "site-source"

#: A link, or code, in which nothing is a link.
_LINK = re.compile(r"`[^`]*`|(?P<bang>!?)\[(?P<words>(?:[^\]\[]|\[[^\]]*\])*)\]\((?P<target>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")
_FENCE = re.compile(r" *(`{3,}|~{3,})")


def write() -> Path:
    """Rewrites the source and returns its folder."""
    if FOLDER.exists():
        shutil.rmtree(FOLDER)
    shutil.copytree(DOCS, FOLDER, ignore=shutil.ignore_patterns("*.md"))
    titles = {entry.page: entry for entry in menu.everything()}
    for path in [menu.HOME, *titles]:
        target = FOLDER / place(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_page(path, titles.get(path)), encoding="utf-8")
    return FOLDER


def place(path: str) -> str:
    """The location in the site of a page of the checkout."""
    return path.removeprefix("docs/") if path.startswith("docs/") else "project/" + path.replace("/", "-")


def _page(path: str, entry: Entry | None) -> str:
    lines = list(followed(path, _text(path)))
    if path == menu.HOME:
        for caption, entries in menu.SECTIONS.items():
            lines += _toctree(path, entries, caption)
    elif entry is not None and entry.below:
        lines += _toctree(path, entry.below)
    return "\n".join(lines) + "\n"


def _text(path: str) -> str:
    generate = GENERATORS.get(path)
    return generate() if generate else (ROOT / path).read_text(encoding="utf-8")


def _toctree(path: str, entries: tuple[Entry, ...], caption: str = "") -> Iterator[str]:
    yield from ["", "```{toctree}", ":hidden:"]
    if caption:
        yield f":caption: {caption}"
    yield ""
    for entry in entries:
        link = _relative(place(entry.page), path)
        yield f"{entry.title} <{link}>" if entry.title else link
    yield "```"


def _relative(target: str, path: str) -> str:
    return posixpath.relpath(target, posixpath.dirname(place(path)) or ".")


def followed(path: str, text: str) -> Iterator[str]:
    """The lines of a page, with links changed to the locations of the copies."""
    fence = ""
    paragraph: list[str] = []
    for line in text.splitlines():
        opening = _FENCE.match(line)
        if not fence and opening is None and line.strip():
            paragraph.append(line)
            continue
        yield from _linked(path, paragraph)
        paragraph = []
        if opening is not None and (not fence or line.strip() == fence):
            fence = "" if fence else opening[1]
        yield line
    yield from _linked(path, paragraph)


def _linked(path: str, paragraph: list[str]) -> list[str]:
    """A whole paragraph: the text of a link may begin on one line and end on the next."""
    return _LINK.sub(lambda link: _link(path, link), "\n".join(paragraph)).splitlines()


def _link(path: str, link: re.Match[str]) -> str:
    target = link["target"]
    if not target or ":" in target:
        return link[0]
    followed = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if (ROOT / followed).is_dir():
        followed = posixpath.join(followed, "README.md")
    page = followed == menu.HOME or any(entry.page == followed for entry in menu.everything())
    if not page and not (followed.startswith("docs/") and (ROOT / followed).exists()):
        # not part of the site: its readers have no checkout
        return link["words"]
    return f"{link['bang']}[{link['words']}]({_relative(place(followed), path)}{link['anchor'] or ''})"


if __name__ == "__main__":
    write()
