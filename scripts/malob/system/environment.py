"""Python programs from the Python package index, each set in an environment of its own below build/."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Callable

from malob.errors import MissingError, ScriptError, run_main
from malob.system.place import ROOT
from malob.system.processes import run, succeeds
from malob.system.waiting import say

_INSTALL_TIMEOUT_S = 240


def programs(name: str, *packages: str, with_system_packages: bool = False, with_needs: bool = True) -> Path:
    """The folder of the programs of these packages, which are installed first if they are not there.

    name: of the environment, one for each set of versions. packages: with their versions, as pip takes them.
    with_system_packages: those of this Python can be imported there, too. with_needs: what the packages need is installed with them.
    Raises MissingError if they cannot be installed.
    """
    place = ROOT / "build" / name
    complete = place / "complete"
    if not complete.exists():
        python = python_with("ensurepip", "python3-venv")
        shared = ["--system-site-packages"] if with_system_packages else []
        alone = [] if with_needs else ["--no-deps"]
        say(f"installing {' '.join(packages)} into {place.relative_to(ROOT)}")
        try:
            run_as_owner(python, "-m", "venv", "--clear", *shared, str(place))
            run_as_owner(str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *alone, *packages)
            # last of all, so that an environment that was interrupted is not taken for whole
            run_as_owner("touch", str(complete))
        except ScriptError as error:
            raise MissingError(f"{' '.join(packages)} cannot be installed from the Python package index: {error}") from error
    return place / "bin"


def install(program: Callable[[], Path]) -> None:
    """Ends this process, which has seen to it that a program is there: what ./malob prepare runs."""

    def main() -> int:
        program()
        return 0

    run_main(main, "malob prepare")


def python_with(modules: str, packages: str) -> str:
    """The path of an interpreter that can import modules ("a, b"). Raises MissingError, naming their packages."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        if succeeds([candidate, "-I", "-c", f"import {modules}"], timeout_s=60):
            return candidate
    raise MissingError(f"no Python on this machine has {modules} (Debian: {packages})")


def run_as_owner(*command: str) -> None:
    """Runs a program. Under sudo, files below the checkout belong to the user who called sudo, if the checkout does."""
    user = os.environ.get("SUDO_UID", "0")
    as_owner = ["sudo", "-u", f"#{user}", "-H", "--"] if os.geteuid() == 0 and user != "0" and str(ROOT.stat().st_uid) == user else []
    run([*as_owner, *command], timeout_s=_INSTALL_TIMEOUT_S)
