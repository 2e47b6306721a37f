"""Programs in the background."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from malob.system.processes import bound_to_us


def start(command: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """A program that ends with this process. Its output is appended to the log."""
    with open(log, "ab") as out:
        return subprocess.Popen(bound_to_us(command), stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
