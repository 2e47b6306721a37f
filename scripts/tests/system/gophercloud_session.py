"""A program with gophercloud (gophercloud/main.go), which Go builds."""

from __future__ import annotations

from pathlib import Path

from malob.errors import MissingError, ScriptError
from malob.system.environment import install, run_as_owner
from malob.system.place import ROOT
from malob.system.processes import find_program

_SOURCE = Path(__file__).parent / "gophercloud"
PROGRAM = ROOT / "build" / "gophercloud" / "session"
#: where Go's own archive is unpacked; nothing puts it on root's PATH
_UNPACKED = Path("/usr/local/go/bin/go")


def build() -> Path:
    """The program, of the newest source. Raises MissingError if Go or the module cannot be had."""
    go = find_program("go") or (str(_UNPACKED) if _UNPACKED.exists() else None)
    if go is None:
        raise MissingError("Go is missing (https://go.dev/dl)")
    try:
        run_as_owner(go, "-C", str(_SOURCE), "build", "-mod=readonly", "-o", str(PROGRAM), ".")
    except ScriptError as error:
        raise MissingError(f"gophercloud cannot be had: {error}") from error
    return PROGRAM


if __name__ == "__main__":
    install(build)
