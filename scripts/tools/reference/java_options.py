"""Writes scripts/malob/cli/java.tsv, the options of the programs in Java, or without --write prints it:
python3 scripts/command.py tools.reference.java_options [--write]. They must be built first: './malob bench list', './malob
lab simulate list' and the tests do that.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Callable

from malob.cli import java
from malob.errors import ScriptError
from malob.system.place import ROOT

_PROGRAMS = {
    "run": "io.malob.controller.Main",
    "bench": "io.malob.bench.Main",
    "lab simulate": "io.malob.simulation.Main",
    "test --fuzz": "io.malob.fuzz.FuzzCommand",
}

_CLASSES = [
    ROOT / part / "target" / folder for part, folder in ((".", "classes"), (".", "test-classes"), ("bench", "classes"), ("simulations", "classes"))
]
_LIBRARIES = [ROOT / part / "target" / "lib" for part in ("bench", ".")]


def are_built() -> bool:
    """Whether the programs are built."""
    return all(path.is_dir() for path in (*_CLASSES, *_LIBRARIES))


def text() -> str:
    """The options that the programs report."""
    path = [*_CLASSES, *(f"{folder}/*" for folder in _LIBRARIES)]
    return output("JavaOptions.java", path, *(f"{command}={name}" for command, name in _PROGRAMS.items()))


def output(source: str, path: Iterable[object], *words: str) -> str:
    """What a Java program of this folder prints of the built code. path: of classes. Raises ScriptError if it fails."""
    program = ROOT / "scripts" / "tools" / "reference" / source
    command = ["java", "-Dslf4j.provider=org.slf4j.nop.NOPServiceProvider", "-cp", ":".join(map(str, path)), str(program), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise ScriptError(f"{source} failed: {done.stderr.strip()}")
    return done.stdout


def main(prog: str, description: str | None, files: Callable[[], Mapping[Path, str]]) -> None:
    """Writes generated files, or prints the first. files: their texts."""
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument("--write", action="store_true", help="write the files instead of printing the first")
    write = parser.parse_args().write
    made = files()
    if not write:
        print(next(iter(made.values())), end="")
        return
    for file, content in made.items():
        file.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main("java_options", __doc__, lambda: {java.FILE: text()})
