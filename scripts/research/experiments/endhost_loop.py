"""Lets the host fetch files for a time, or a number of files, by programs/file_loop.py."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.multihomed import SERVER
from research.experiments.endhost_policies import MPTCP, Policy
from research.experiments.endhost_program import HostProgram
from research.experiments.endhost_site import MPTCP_PORT, TCP_PORT, EndhostSite

PROGRAM = Path(__file__).parent / "programs" / "file_loop.py"

#: The program gets its time to begin before that.
_TO_BEGIN_S = 0.1


@dataclass(frozen=True)
class Fetched:
    """The number of complete files, the bytes of contents (including partial files), and the numbers of failed fetches by
    error."""

    files: int
    size: int
    errors: dict[str, int]


class FetchLoop(HostProgram):
    """Fetches files, several at a time, between the given begin and end."""

    def __init__(self, site: EndhostSite, policy: Policy, file_bytes: int, at_a_time: int, patience_s: float) -> None:
        super().__init__(
            site,
            PROGRAM,
            "the host's loop of fetches",
            {"port": MPTCP_PORT if policy.protocol == MPTCP else TCP_PORT, "protocol": policy.protocol, **_orders(file_bytes, at_a_time, patience_s)},
        )

    def result(self) -> Fetched:
        """Returns after the end."""
        found = self.answer()
        return Fetched(found["files"], sum(found["received"]), found["errors"])


class FetchBatch(HostProgram):
    """Fetches a number of files over TCP, several at a time."""

    def __init__(self, site: EndhostSite, file_bytes: int, files: int, at_a_time: int, patience_s: float) -> None:
        orders = {"port": TCP_PORT, "protocol": socket.IPPROTO_TCP, "fetches": files, **_orders(file_bytes, at_a_time, patience_s)}
        super().__init__(site, PROGRAM, "the host's fetches of files", orders)

    def run(self, limit_s: float) -> tuple[float, int]:
        """The seconds until the last file was complete, and the number of complete ones. It takes limit_s at the longest."""
        begin = time.monotonic() + _TO_BEGIN_S
        self.start(begin, begin + limit_s)
        found = self.answer()
        return found["seconds"], found["files"]


def _orders(file_bytes: int, at_a_time: int, patience_s: float) -> dict[str, Any]:
    return {"address": SERVER, "path": f"/{file_bytes}", "bytes": file_bytes, "at_a_time": at_a_time, "patience_s": patience_s}
