"""Chooses the shaper of a lab: netem if the kernel has it, otherwise our emulator."""

from __future__ import annotations

from pathlib import Path

from lab.shaping.emulator import Emulator, handover_ns
from lab.shaping.netem import Netem
from lab.shaping.shaper import Shaper
from malob.errors import UsageError
from malob.system import namespaces

KINDS = ("emulator", "netem")


def choose(wanted: str | None) -> str:
    """The requested kind, or the one for this machine. Raises UsageError if it is not possible."""
    if wanted == "netem" and not namespaces.netem():
        raise UsageError("this kernel has no netem; omit --shaper, or use '--shaper emulator'")
    return wanted or ("netem" if namespaces.netem() else "emulator")


def shaper(kind: str, directory: Path, switches: int) -> Shaper:
    """The shaper of the lab with that directory and number of switches."""
    return Netem(directory) if kind == "netem" else Emulator(directory, handover_ns(switches))
