"""Lets the host load pages, by programs/page_loader.py, and watches the film's flow in MALOB's statistics."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from malob.errors import ScriptError
from research.experiments.endhost.product import EndhostProduct
from research.experiments.endhost.program import HostProgram
from research.experiments.endhost.site import EndhostSite, origin

PROGRAM = Path(__file__).parents[1] / "programs" / "page_loader.py"

#: As browsers do.
PER_ORIGIN = 6

#: A film of 1 Mbit/s: parts of four seconds.
VIDEO_PORT, VIDEO_BYTES, VIDEO_EVERY_S = 82, 500_000, 4.0
VIDEO_MBPS = VIDEO_BYTES * 8e-6 / VIDEO_EVERY_S


@dataclass(frozen=True)
class Load:
    """One loaded page. failed: objects that were not received."""

    page: int
    began_s: float
    seconds: float
    failed: int


class Browsing(HostProgram):
    """Loads pages one after the other between the given begin and end."""

    def __init__(
        self, site: EndhostSite, pages: Sequence[Sequence[tuple[int, int]]], transport: str, port: int, patience_s: float, again: bool, video: bool
    ) -> None:
        film = {"address": origin(0), "port": VIDEO_PORT, "path": f"/{VIDEO_BYTES}", "bytes": VIDEO_BYTES, "every_s": VIDEO_EVERY_S}
        super().__init__(
            site,
            PROGRAM,
            "the host's browser",
            {
                "pages": [[[origin(number), size] for number, size in page] for page in pages],
                "transport": transport,
                "port": port,
                "per_origin": PER_ORIGIN,
                "patience_s": patience_s,
                "again": again,
                "video": film if video else None,
            },
        )

    def results(self) -> tuple[list[Load], float | None]:
        """Returns at the end: all loaded pages, and the film's Mbit/s as the host sees it (None without one)."""
        loads = []
        while "page" in (found := self.answer()):
            loads.append(Load(found["page"], found["began"], found["seconds"], found["failed"]))
        seconds = found["video_seconds"]
        return loads, found["video_bytes"] * 8e-6 / seconds if seconds else None


class VideoWatch:
    """Polls the film's flow once a second, in its own thread."""

    def __init__(self, product: EndhostProduct) -> None:
        self._product = product
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._first: tuple[float, int] | None = None
        self._last: tuple[float, int] | None = None
        self._thread.start()

    def mbps(self) -> float | None:
        """Ends it.

        Returns the bytes of the flow between the first and the last answer, in IP packets; None if there was no such flow.
        """
        self._ended.set()
        self._thread.join()
        if self._first is None or self._last is None or self._first == self._last:
            return None
        return (self._last[1] - self._first[1]) * 8e-6 / (self._last[0] - self._first[0])

    def _run(self) -> None:
        while not self._ended.wait(1.0):
            try:
                size = self._product.received_bytes_from(VIDEO_PORT)
            except ScriptError:
                # one answer is missing
                continue
            if size is not None:
                self._last = (time.monotonic(), size)
                self._first = self._first or self._last
