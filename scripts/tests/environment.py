"""Python programs that only tests need, each set in an environment of its own below build/."""

from __future__ import annotations

import sys
from pathlib import Path

from malob.errors import MissingError, ScriptError
from malob.system.place import ROOT
from malob.system.processes import run
from malob.system.waiting import say

_INSTALL_TIMEOUT_S = 240


def programs(name: str, *packages: str, with_system_packages: bool = False) -> Path:
    """The folder of the programs of these packages, which are installed first if they are not there.

    name: of the environment, one for each set of versions. packages: with their versions, as pip takes them.
    with_system_packages: those of this Python can be imported there, too.
    Raises MissingError if they cannot be installed.
    """
    place = ROOT / "build" / name
    complete = place / "complete"
    if not complete.exists():
        shared = ["--system-site-packages"] if with_system_packages else []
        say(f"installing {' '.join(packages)} into {place.relative_to(ROOT)}")
        try:
            run([sys.executable, "-m", "venv", "--clear", *shared, str(place)], timeout_s=_INSTALL_TIMEOUT_S)
            run([str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", *packages], timeout_s=_INSTALL_TIMEOUT_S)
        except ScriptError as error:
            raise MissingError(f"{' '.join(packages)} could not be installed: {error}") from error
        complete.touch()
    return place / "bin"
