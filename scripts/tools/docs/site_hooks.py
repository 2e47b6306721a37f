"""Hooks of MkDocs: the site includes pages outside docs/, and links to them are adjusted.

MkDocs loads this file by itself, with no package around it.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mkdocs.structure.files import File

from tools.docs.pages import ELSEWHERE, ROOT

_LINK = re.compile(r"(?P<bang>!?)\[(?P<words>(?:[^\]\[]|\[[^\]]*\])*)\]\((?P<target>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    config.nav = _present(config.nav)
    return config


def on_files(files: Any, config: Any) -> Any:
    for path in ELSEWHERE:
        if (ROOT / path).exists():
            files.append(File.generated(config, _place(path), content=(ROOT / path).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    here = _repository_path(page.file.src_uri)

    def follow(link: re.Match[str]) -> str:
        target = link["target"]
        if not target or ":" in target:
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        if (ROOT / path).is_dir():
            path = posixpath.join(path, "README.md")
        place = _place(path)
        if files.get_file_from_path(place) is None:
            # not a page: a reader of the site has no checkout beside it
            return link["words"]
        relative = posixpath.relpath(place, posixpath.dirname(page.file.src_uri) or ".")
        return f"{link['bang']}[{link['words']}]({relative}{link['anchor'] or ''})"

    lines, fence = [], ""
    for line in markdown.splitlines():
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            fence = "" if fence else stripped[:3]
        lines.append(line if fence else _LINK.sub(follow, line))
    return "\n".join(lines) + "\n"


def _place(path: str) -> str:
    """Where in the site a file of the checkout is."""
    return path[len("docs/") :] if path.startswith("docs/") else "project/" + path.replace("/", "-")


def _repository_path(place: str) -> str:
    for path in ELSEWHERE:
        if place == _place(path):
            return path
    return f"docs/{place}"


def _present(nav: Any) -> Any:
    """The menu without pages that this checkout does not have; `adr/*` is all pages of a folder."""
    if isinstance(nav, list):
        kept: list[Any] = []
        for entry in nav:
            if isinstance(entry, str) and entry.endswith("/*"):
                folder = entry[:-1]
                kept += sorted(f"{folder}{page.name}" for page in (ROOT / "docs" / folder).glob("[0-9]*.md"))
            elif isinstance(entry, dict):
                entries = {title: _present(what) for title, what in entry.items()}
                kept += [{title: what} for title, what in entries.items() if what]
            else:
                kept += [entry] if _present(entry) else []
        return kept
    elsewhere = {_place(path): path for path in ELSEWHERE}
    return nav if (ROOT / elsewhere.get(nav, f"docs/{nav}")).exists() else None
