"""The contents of a release: the program without sources and tests."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tools.docs import links
from tools.release.files import File, Files
from tools.release.sources import listed

#: The parts of scripts/ that only a checkout can use.
_OF_CHECKOUTS = ("scripts/research/", "scripts/tests/", "scripts/tools/")
_SINGLE = ("LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "malob")

SETTINGS = "conf/malob.properties"
LOGGING = "conf/logback.xml"


def program(build: Path) -> dict[str, File]:
    """The files of a built checkout that are in a release, by their paths below its folder."""
    paths = [path for path in listed(build) if path in _SINGLE or (path.startswith(("scripts/", "docs/")) and not path.startswith(_OF_CHECKOUTS))]
    files = {path: File.of(build / path) for path in paths}
    files["target/malob.jar"] = _data(build / "target" / "malob.jar")
    for library in (build / "target" / "lib").glob("*.jar"):
        files[f"target/lib/{library.name}"] = _data(library)
    files[SETTINGS] = _data(build / "src" / "main" / "resources" / "floodlightdefault.properties")
    files[LOGGING] = _data(build / "packaging" / "logback.xml")
    return {**files, **relinked(files, lambda _page, path: path if contains(files, path) else None)}


def relinked(files: Files, place_of: Callable[[str, str], str | None]) -> dict[str, File]:
    """The pages among the files of a checkout, with links to the new places of their targets.

    place_of: for a page and a path of the checkout, the place where the page's readers find that; None if they do not have it.
    """

    def target_of(page: str, path: str) -> str | None:
        new = place_of(page, path)
        return None if new is None else posixpath.relpath(new, posixpath.dirname(place_of(page, page) or page))

    return {
        page: File("".join(f"{line}\n" for line in links.changed(page, file.content.decode(), partial(target_of, page))).encode())
        for page, file in files.items()
        if page.endswith(".md")
    }


def contains(files: Files, path: str) -> bool:
    """Whether a file or a folder is among these."""
    return path in files or any(file.startswith(f"{path}/") for file in files)


def _data(path: Path) -> File:
    return File(path.read_bytes())
