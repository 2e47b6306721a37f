"""Sphinx, which builds the documentation's site, in an environment of its own (docs/adr/0037)."""

from __future__ import annotations

from pathlib import Path

from malob.system.environment import install, programs

SPHINX, MYST, FURO, AUTOBUILD = "8.1.3", "4.0.1", "2025.12.19", "2024.10.3"


def folder() -> Path:
    """The folder of Sphinx's programs, installed first if they are not there. Raises MissingError if that cannot be done."""
    packages = (f"sphinx=={SPHINX}", f"myst-parser=={MYST}", f"furo=={FURO}", f"sphinx-autobuild=={AUTOBUILD}")
    return programs(f"sphinx-{SPHINX}-{MYST}-{FURO}-{AUTOBUILD}", *packages)


if __name__ == "__main__":
    install(folder)
