"""Lets the host fetch files in a loop, by programs/file_loop.py."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.multihomed import SERVER
from research.experiments.endhost_policies import MPTCP, Policy
from research.experiments.endhost_program import HostProgram
from research.experiments.endhost_site import MPTCP_PORT, TCP_PORT, EndhostSite

PROGRAM = Path(__file__).parent / "programs" / "file_loop.py"


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
            {
                "address": SERVER,
                "port": MPTCP_PORT if policy.protocol == MPTCP else TCP_PORT,
                "path": f"/{file_bytes}",
                "bytes": file_bytes,
                "at_a_time": at_a_time,
                "patience_s": patience_s,
                "protocol": policy.protocol,
            },
        )

    def result(self) -> Fetched:
        """Returns after the end."""
        found = self.answer()
        return Fetched(found["files"], sum(found["received"]), found["errors"])
