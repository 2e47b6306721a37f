"""Lets the host fetch files in a loop, by programs/file_loop.py."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from base.errors import ScriptError
from lab.controller import bound_to_us
from lab.experiments.endhost_policies import MPTCP, Policy
from lab.experiments.endhost_site import MPTCP_PORT, TCP_PORT, EndhostSite
from lab.multihomed import SERVER

PROGRAM = Path(__file__).parent / "programs" / "file_loop.py"


@dataclass(frozen=True)
class Fetched:
    """Whole files that came, bytes of contents in all (of parts of files as well), and how fetches failed, how many of each."""

    files: int
    size: int
    errors: "dict[str, int]"


class FetchLoop:
    """Started early, so that it begins on time."""

    def __init__(self, site: EndhostSite, policy: Policy, file_bytes: int, at_a_time: int, patience_s: float) -> None:
        self._process = subprocess.Popen(
            bound_to_us(site.network.on_host([sys.executable, "-I", str(PROGRAM)])), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, start_new_session=True)
        orders: "dict[str, Any]" = {
            "address": SERVER, "port": MPTCP_PORT if policy.protocol == MPTCP else TCP_PORT, "path": f"/{file_bytes}",
            "bytes": file_bytes, "at_a_time": at_a_time, "patience_s": patience_s, "protocol": policy.protocol}
        self._say(orders)
        self._line()

    def start(self, begin: float, end: float) -> None:
        """By the monotonic clock."""
        self._say({"begin": begin, "end": end})

    def result(self) -> Fetched:
        """Returns after the end."""
        found = json.loads(self._line())
        return Fetched(found["files"], sum(found["received"]), found["errors"])

    def close(self) -> None:
        """Ends the program, if it has not ended."""
        self._process.kill()
        self._process.communicate()

    def _say(self, words: "dict[str, Any]") -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ScriptError("the host's loop of fetches ended by itself")
        return line
