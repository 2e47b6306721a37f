"""Programs on the host that receive orders and return results as lines of JSON."""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.multihomed import SERVER
from lab.program import Program
from research.experiments.endhost.policies import MPTCP
from research.experiments.endhost.site import MPTCP_PORT, TCP_PORT, EndhostSite

FILE_LOOP = Path(__file__).parents[1] / "programs" / "file_loop.py"


class HostProgram(Program):
    """It is started early so that it begins on time: after construction it has its orders and waits."""

    def __init__(self, site: EndhostSite, program: Path, what: str, orders: dict[str, Any]) -> None:
        """what: its name in the error if it ends too early."""
        super().__init__(site.network.on_host([sys.executable, "-I", str(program)]), f"{what} ended by itself")
        self.say(orders)
        self.line()

    def start(self, begin: float, end: float) -> None:
        """Times by the monotonic clock."""
        self.say({"begin": begin, "end": end})

    def close(self) -> None:
        """Ends the program, if it has not ended."""
        self.kill()


@dataclass(frozen=True)
class Fetched:
    """The number of complete files, the bytes of contents (including partial files), the seconds until the last file was complete, and
    the numbers of failed fetches by error."""

    files: int
    size: int
    seconds: float
    errors: dict[str, int]


class Fetching(HostProgram):
    """Fetches files, several at a time, between the given begin and end, or until a number of them has been fetched."""

    def __init__(
        self, site: EndhostSite, file_bytes: int, at_a_time: int, patience_s: float, protocol: int = socket.IPPROTO_TCP, fetches: int | None = None
    ) -> None:
        port = MPTCP_PORT if protocol == MPTCP else TCP_PORT
        orders = {"address": SERVER, "port": port, "path": f"/{file_bytes}", "bytes": file_bytes, "at_a_time": at_a_time, "patience_s": patience_s}
        more = {"protocol": protocol} if fetches is None else {"protocol": protocol, "fetches": fetches}
        super().__init__(site, FILE_LOOP, "the host's loop of fetches", {**orders, **more})

    def result(self) -> Fetched:
        """Returns after the end."""
        found = self.answer()
        return Fetched(found["files"], sum(found["received"]), found["seconds"], found["errors"])
