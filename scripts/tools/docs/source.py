"""The source of the documentation site: copies of all pages, including generated ones, with the menu as Sphinx directives.

The pages of a checkout are also read on code hosts, so they contain no Sphinx directives. These are added to the copies here.
"""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from malob.cli.completion import reference
from malob.system.place import ROOT
from tools.docs import links, menu
from tools.docs.menu import DOCS, Entry
from tools.reference import page as rest_reference

#: Pages that are generated for the site and are not files of the checkout.
GENERATORS: Mapping[str, Callable[[], str]] = {
    "docs/reference/cli.md": reference.page,
    "docs/reference/rest-reference.md": lambda: rest_reference.text(rest_reference.document()),
}

FOLDER = ROOT / "target" / "site-source"


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
    return links.changed(path, text, lambda target: _in_site(path, target))


def _in_site(path: str, target: str) -> str | None:
    if (ROOT / target).is_dir():
        target = posixpath.join(target, "README.md")
    page = target == menu.HOME or any(entry.page == target for entry in menu.everything())
    if not page and not (target.startswith("docs/") and (ROOT / target).exists()):
        # not part of the site: its readers have no checkout
        return None
    return _relative(place(target), path)


if __name__ == "__main__":
    write()
