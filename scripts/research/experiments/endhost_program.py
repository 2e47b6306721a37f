"""A program on the host that receives orders and returns results as lines of JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from malob.errors import ScriptError
from malob.system.processes import bound_to_us
from research.experiments.endhost_site import EndhostSite


class HostProgram:
    """Started early, so that it begins on time: after construction it has its orders and waits."""

    def __init__(self, site: EndhostSite, program: Path, what: str, orders: dict[str, Any]) -> None:
        """what: its name in the error if it ends too early."""
        self._what = what
        self._process = subprocess.Popen(
            bound_to_us(site.network.on_host([sys.executable, "-I", str(program)])),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._say(orders)
        self._line()

    def start(self, begin: float, end: float) -> None:
        """Times by the monotonic clock."""
        self._say({"begin": begin, "end": end})

    def answer(self) -> Any:
        """Waits for the next line of the program. Raises ScriptError if it has ended."""
        return json.loads(self._line())

    def close(self) -> None:
        """Ends the program, if it has not ended."""
        self._process.kill()
        self._process.communicate()

    def _say(self, words: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ScriptError(f"{self._what} ended by itself")
        return line
