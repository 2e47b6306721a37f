"""The files of an archive or a package by path, with their contents, before they are written."""

from __future__ import annotations

import gzip
import io
import os
import posixpath
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tools.docs import links
from tools.release.sources import listed

#: The fastest compression: nearly all files are jars, which are already compressed.
LEVEL = 1


@dataclass(frozen=True)
class File:
    """link: the target of a symbolic link, which has no content."""

    content: bytes = b""
    executable: bool = False
    link: str = ""

    @staticmethod
    def of(path: Path) -> File:
        return File(path.read_bytes(), os.access(path, os.X_OK))

    @property
    def mode(self) -> int:
        return 0o755 if self.executable else 0o644


Files = Mapping[str, File]


def below(prefix: str, files: Files) -> dict[str, File]:
    """The same in a folder."""
    return {f"{prefix}/{path}": file for path, file in files.items()}


def tar_gz(files: Files, epoch: int) -> bytes:
    """The bytes of an archive that depend only on the files and the time: sorted, owned by root."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=out, mtime=epoch) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in sorted(files):
                _add(archive, path, files[path], epoch)
    return out.getvalue()


def _add(archive: tarfile.TarFile, path: str, file: File, epoch: int) -> None:
    entry = tarfile.TarInfo(path)
    entry.mtime, entry.mode = epoch, file.mode
    entry.uname = entry.gname = "root"
    if file.link:
        entry.type, entry.linkname = tarfile.SYMTYPE, file.link
        archive.addfile(entry)
    else:
        entry.size = len(file.content)
        archive.addfile(entry, io.BytesIO(file.content))


def write(files: Files, directory: Path, epoch: int) -> None:
    """Writes them to a new directory, with the same modes and times regardless of the umask."""
    for path, file in files.items():
        place = directory / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.link:
            place.symlink_to(file.link)
            os.utime(place, (epoch, epoch), follow_symlinks=False)
        else:
            place.write_bytes(file.content)
            place.chmod(file.mode)
            os.utime(place, (epoch, epoch))
    for folder in sorted({directory, *(path for path in directory.rglob("*") if path.is_dir() and not path.is_symlink())}, reverse=True):
        folder.chmod(0o755)
        os.utime(folder, (epoch, epoch))


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
