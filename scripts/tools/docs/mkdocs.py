"""MkDocs, which makes the documentation's site, in an environment of its own."""

from __future__ import annotations

from pathlib import Path

from malob.system.environment import install, programs

MKDOCS, MATERIAL = "1.6.1", "9"


def program() -> Path:
    """MkDocs, installed first if it is not there. Raises MissingError if that cannot be done."""
    return programs(f"mkdocs-{MKDOCS}-{MATERIAL}", f"mkdocs=={MKDOCS}", f"mkdocs-material>=9.6,=={MATERIAL}.*") / "mkdocs"


if __name__ == "__main__":
    install(program)
