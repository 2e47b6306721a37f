"""Checks the files that a package installs: do the links of its pages lead somewhere, and do the files exist that it names?"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from tests import pages

_LINK = re.compile(r"\]\(([^)\s]+)")
#: Where MALOB's own files are; those that others own do not count.
_PATH = re.compile(r"(?<![\w/.@}])/(?:usr/(?:share|bin|lib/systemd/system)/[\w.\-/]*malob[\w.\-/]*|(?:etc|var/cache|var/lib)/malob[\w.\-/]*)")
_NAMED_IN = (".service", ".md", ".1.gz", ".properties", ".py", ".sh", ".xml")
#: What operators write, and what MALOB itself writes while it runs.
_WRITTEN_LATER = re.compile(r"/etc/malob/[\w-]+\.(?:conf|json|key|pem)|/var/(lib|cache)/malob/.+")


def dead_links(root: Path) -> list[str]:
    """The relative links of installed pages that lead nowhere, as PAGE: LINK. root: the root directory of the system."""
    found = []
    for page in _files(root, (".md",)):
        # the text of a link may begin on the line before
        for link in (link for line in pages.prose(page.read_text(encoding="utf-8")) for link in _LINK.findall(re.sub(r"`[^`]*`", "", line))):
            target, _, anchor = link.partition("#")
            if ":" in target:
                continue
            file = page.parent / target if target else page
            if not file.exists() or (anchor and file.suffix == ".md" and anchor not in pages.anchors(file.read_text(encoding="utf-8"))):
                found.append(f"{page.relative_to(root)}: {link}")
    return found


def missing_files(root: Path) -> list[str]:
    """The files of MALOB's that installed files name and that are not there, as FILE: PATH. root: the root directory of the system."""
    found = []
    for file in _files(root, _NAMED_IN):
        content = file.read_bytes()
        text = (gzip.decompress(content) if file.suffix == ".gz" else content).decode("utf-8")
        # a roff page escapes hyphens
        for path in sorted({named.rstrip(".") for named in _PATH.findall(text.replace("\\-", "-"))}):
            if not _WRITTEN_LATER.fullmatch(path) and not (root / path[1:]).exists():
                found.append(f"{file.relative_to(root)}: {path}")
    return found


def _files(root: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Those of MALOB's packages whose names end so."""
    for folder in ("etc/malob", "usr/share/malob", "usr/share/doc/malob", "usr/share/doc/malob-agents"):
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.name.endswith(suffixes):
                yield path
    for path in (*sorted((root / "usr/lib/systemd/system").glob("malob-*")), root / "usr/share/man/man1/malob.1.gz"):
        if path.is_file() and path.name.endswith(suffixes):
            yield path
