"""The contents of a release: the program without sources and tests."""

from __future__ import annotations

from pathlib import Path

from tools.release.files import File
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
    return files


def _data(path: Path) -> File:
    return File(path.read_bytes())
