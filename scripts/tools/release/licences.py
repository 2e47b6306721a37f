"""Checks that the licences of a release's libraries are allowed, and that NOTICE names each library."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from malob.errors import ScriptError

#: The licences allowed in a work under Apache-2.0. If a library has several licences, one of these is enough.
GOOD = frozenset({"Apache-2.0", "MIT", "MIT-0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD", "CC0-1.0", "Unlicense", "EPL-1.0", "EPL-2.0"})

_LINE = re.compile(r"^ {2}(\S+:\S+) +(\S+)$", re.MULTILINE)


def noted(notice: str) -> dict[str, str]:
    """The libraries that NOTICE lists, as group:name, with the licence under which each is used."""
    return dict(_LINE.findall(notice))


def of_sbom(document: Any) -> dict[str, set[str]]:
    """The licences of each library of a CycloneDX document, by group:name."""
    return {
        f"{component.get('group', '')}:{component['name']}": {
            choice.get("expression") or choice["license"].get("id") or choice["license"].get("name", "") for choice in component.get("licenses", [])
        }
        for component in document["components"]
    }


def check(document: Any, notice: str) -> None:
    """Raises ScriptError, which lists all violations."""
    found, told = of_sbom(document), noted(notice)
    wrong = []
    for library, licences in sorted(found.items()):
        if not licences & GOOD:
            wrong.append(f"{library}: {' or '.join(sorted(licences)) or 'no licence known'}: MALOB must not contain it")
        elif library not in told:
            wrong.append(f"{library} ({' or '.join(sorted(licences))}) is not in NOTICE")
        elif told[library] not in licences & GOOD:
            wrong.append(f"{library}: NOTICE says {told[library]}, it is {' or '.join(sorted(licences))}")
    if wrong:
        raise ScriptError("; ".join(wrong))


def missing(jars: Iterable[str], notice: str) -> list[str]:
    """The file names of libraries, as name-version.jar, that NOTICE does not list."""
    names = {library.partition(":")[2] for library in noted(notice)}
    return [jar for jar in jars if re.sub(r"-\d.*\.jar$", "", jar) not in names]
