"""The properties of a release from the pom: its version, and the modification time of all its files."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from malob.errors import ScriptError

_NAMESPACE = {"m": "http://maven.apache.org/POM/4.0.0"}


@dataclass(frozen=True)
class Project:
    """version: as in the pom. epoch: the time of all files of the release, in seconds since 1970."""

    version: str
    epoch: int

    @property
    def debian_version(self) -> str:
        """The version in Debian's syntax: 0.1.0~SNAPSHOT is before 0.1.0."""
        return self.version.replace("-", "~")


def read(root: Path) -> Project:
    """Reads the pom of a checkout. Raises ScriptError, which names a missing element."""
    pom = xml.parse(root / "pom.xml").getroot()
    values = []
    for path in ("m:properties/m:revision", "m:properties/m:project.build.outputTimestamp"):
        value = pom.findtext(path, namespaces=_NAMESPACE)
        if not value:
            raise ScriptError(f"pom.xml has no {path.rpartition(':')[2]}")
        values.append(value)
    version, timestamp = values
    try:
        return Project(version, round(datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp()))
    except ValueError:
        raise ScriptError(f"pom.xml: project.build.outputTimestamp: expected a time like 2026-11-22T00:00:00Z, not {timestamp}") from None
