"""Writes the diagrams of the documentation as SVG: python3 scripts/command.py tools.docs.diagrams --write.

Each docs/architecture/*.dot is drawn by Graphviz as WebAssembly (@viz-js/viz), one of the development dependencies that
'./malob prepare page' installs for Node in src/test/web. Its version is fixed there, so the same text gives the same
bytes on every machine. Without --write, prints which diagrams are not current.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
from pathlib import Path

from malob.system.place import ROOT
from tools.docs.menu import DOCS

_WEB = ROOT / "src/test/web"
_DRAW = """
import { instance } from "@viz-js/viz";
import { readFileSync } from "node:fs";
process.stdout.write((await instance()).renderString(readFileSync(0, "utf8"), { format: "svg" }));
"""


def sources() -> list[Path]:
    """The texts of all diagrams."""
    return sorted((DOCS / "architecture").glob("*.dot"))


def mark(source: Path) -> str:
    """The line in an SVG that identifies the text it was made from."""
    return f"<!-- {source.name} {hashlib.sha256(source.read_bytes()).hexdigest()} -->\n"


def can_draw() -> bool:
    """Whether Node and Graphviz are installed."""
    return shutil.which("node") is not None and (_WEB / "node_modules/@viz-js/viz").is_dir()


def drawn(source: Path) -> str:
    """A diagram as SVG."""
    done = subprocess.run(
        ["node", "--input-type=module", "-e", _DRAW],
        cwd=_WEB,
        input=source.read_text(encoding="utf-8"),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout.rstrip("\n") + "\n" + mark(source)


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools.docs.diagrams", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the SVG files")
    arguments = parser.parse_args()
    if not can_draw():
        parser.exit(3, "diagrams: Node or @viz-js/viz is missing: ./malob prepare page\n")
    for source in sources():
        svg, target = drawn(source), source.with_suffix(".svg")
        if arguments.write:
            target.write_text(svg, encoding="utf-8")
        elif not target.exists() or target.read_text(encoding="utf-8") != svg:
            print(target.relative_to(ROOT))


if __name__ == "__main__":
    main()
