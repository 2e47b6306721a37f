"""Writes scripts/malob/cli/java.tsv, the options of the programs in Java, or without --write prints it:
python3 scripts/command.py tools.reference.java_options [--write]. They must be built first: './malob bench list', './malob
lab simulate list' and the tests do that.
"""

from __future__ import annotations

import argparse
import subprocess

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
    path = ":".join([*map(str, _CLASSES), *(f"{folder}/*" for folder in _LIBRARIES)])
    words = [f"{command}={name}" for command, name in _PROGRAMS.items()]
    program = ROOT / "scripts" / "tools" / "reference" / "JavaOptions.java"
    done = subprocess.run(
        ["java", "-Dslf4j.provider=org.slf4j.nop.NOPServiceProvider", "-cp", path, str(program), *words], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise ScriptError(f"the programs did not print their options: {done.stderr.strip()}")
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(prog="java_options", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the file instead of printing it")
    if parser.parse_args().write:
        java.FILE.write_text(text(), encoding="utf-8")
    else:
        print(text(), end="")


if __name__ == "__main__":
    main()
