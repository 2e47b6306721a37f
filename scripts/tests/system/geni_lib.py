"""geni-lib, which CloudLab's profile is made for, in an environment of its own."""

from __future__ import annotations

import re
from pathlib import Path

from malob.system.environment import install, programs

VERSION = "0.9.9.4"


def python() -> Path:
    """A Python that has it, installed first if it is not there. Raises MissingError if that cannot be done."""
    # with what of its needs a profile has use for
    found = programs(f"geni-lib-{VERSION}", f"geni-lib=={VERSION}", "lxml", "six", with_needs=False) / "python"
    _repair(next(found.parents[1].glob("lib/python3*/site-packages/geni")))
    return found


def _repair(package: Path) -> None:
    """Its last release has a few lines that only Python 2 understands; the one that CloudLab runs has not."""
    for name, pattern, replacement in (
        ("portal.py", r"(?m)^( *)print ([^(\n].*)$", r"\1print(\2)"),
        ("rspec/pg.py", r"buf = self\.toXMLString\(True\)", "buf = self.toXMLString(True, True)"),
    ):
        file = package / name
        text = file.read_text(encoding="utf-8")
        repaired = re.sub(pattern, replacement, text)
        if repaired != text:
            file.write_text(repaired, encoding="utf-8")


if __name__ == "__main__":
    install(python)
