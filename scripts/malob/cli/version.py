"""`./malob version`: from the pom of a checkout, or the jar of a release."""

from __future__ import annotations

import re
import zipfile

from malob.errors import ScriptError
from malob.system.place import ROOT


def text() -> str:
    """Raises ScriptError if a file has no version."""
    pom, jar = ROOT / "pom.xml", ROOT / "target" / "malob.jar"
    if pom.is_file():
        found = re.search("<revision>(.+)</revision>", pom.read_text(encoding="utf-8"))
    else:
        with zipfile.ZipFile(jar) as archive:
            found = re.search(r"^Implementation-Version: (\S+)", archive.read("META-INF/MANIFEST.MF").decode(), re.MULTILINE)
    if not found:
        raise ScriptError(f"{pom if pom.is_file() else jar} has no version")
    return f"MALOB {found[1]}"
