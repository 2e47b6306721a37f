"""Has the launcher install and build what a program needs."""

from __future__ import annotations

import os
import subprocess
import sys

from malob.errors import MissingError, ScriptError
from malob.system.place import ROOT


def prepare(part: str) -> None:
    """Installs and builds what a part ("lab" or "controller") needs; the launcher says what it does.

    On a terminal it asks before it installs packages. Raises MissingError or ScriptError if that did not work.
    """
    terminal = sys.stdin is not None and sys.stdin.isatty()
    done = subprocess.run([str(ROOT / "malob"), "prepare", part], stdin=None if terminal else subprocess.DEVNULL)
    if done.returncode == MissingError.exit_code:
        raise MissingError(f"what the {part} needs is missing (see above)")
    if done.returncode != 0:
        raise ScriptError(f"preparing the {part} failed (see above)")


def need_root(command: str) -> None:
    """Raises MissingError unless this is root. command: what to type, after './malob'."""
    if os.geteuid() != 0:
        raise MissingError(f"this needs root, for network namespaces and Open vSwitch: use 'sudo ./malob {command}'")
