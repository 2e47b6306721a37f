"""The files of an archive or a package by path, with their contents, before they are written."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
