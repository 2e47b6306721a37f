"""Loads web pages as a browser does, one after the other; run as a program on a host.

Reads a line of JSON: "pages" (a list; each a list of objects, which are [origin's address, bytes]), "transport" ("tcp": HTTP
over a connection per object; "quic": HTTP/3 by ngtcp2's client, a process and a connection per object), "port", "per_origin"
(connections at a time), "patience_s" (for one object), "again" (whether to restart after the last page) and "video" (null,
or "address", "port", "path", "bytes" and "every_s": parts of a film that are fetched over one connection). Says "ready"; reads
a second line: "begin" and "end" by the monotonic clock. Then it prints a line for each page that was complete before the end:
"page" (its place in the list), "began", "seconds" and "failed" (objects that were not received, each tried twice); and
finally "video_bytes" and "video_seconds". The first object of a page is loaded alone: it refers to the others. Without pages,
the film continues until the end.
Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

_QUIC_CLIENT = ("gtlsclient", "-q", "--no-quic-dump", "--no-http-dump", "--exit-on-all-streams-close")
_TRIES = 2


class Browser:
    def __init__(self, orders: Mapping[str, Any]) -> None:
        self._port, self._transport = orders["port"], orders["transport"]
        self._per_origin, self._patience_s = orders["per_origin"], orders["patience_s"]
        self._pages, self._again, self._video = orders["pages"], orders["again"], orders["video"]
        self.video_bytes, self.video_seconds = 0, 0.0

    async def run(self, begin: float, end: float) -> None:
        await asyncio.sleep(max(0.0, begin - time.monotonic()))
        video = asyncio.ensure_future(self._watch()) if self._video else None
        loading = asyncio.ensure_future(self._load_all() if self._pages else asyncio.sleep(end - time.monotonic()))
        await asyncio.wait([loading], timeout=max(0.0, end - time.monotonic()))
        for task in (loading, video):
            if task is not None:
                await _cancel(task)

    async def _load_all(self) -> None:
        while True:
            for number, page in enumerate(self._pages):
                began = time.monotonic()
                failed = await self._load(page)
                seconds = time.monotonic() - began
                print(json.dumps({"page": number, "began": began, "seconds": seconds, "failed": failed}), flush=True)
            if not self._again:
                return

    async def _load(self, page: Sequence[tuple[str, int]]) -> int:
        """The number of objects that were not received."""
        room = {origin: asyncio.Semaphore(self._per_origin) for origin, _ in page}
        first = await self._object(room, *page[0])
        others = await asyncio.gather(*(self._object(room, origin, size) for origin, size in page[1:]))
        return [first, *others].count(False)

    async def _object(self, room: dict[str, asyncio.Semaphore], origin: str, size: int) -> bool:
        fetch = self._by_quic if self._transport == "quic" else self._by_tcp
        async with room[origin]:
            for _ in range(_TRIES):
                try:
                    await asyncio.wait_for(fetch(origin, size), self._patience_s)
                    return True
                except (OSError, ValueError, asyncio.TimeoutError, asyncio.IncompleteReadError):
                    pass
        return False

    async def _by_tcp(self, origin: str, size: int) -> None:
        reader, writer = await asyncio.open_connection(origin, self._port)
        try:
            writer.write(f"GET /{size} HTTP/1.0\r\nHost: {origin}\r\n\r\n".encode())
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(size)
        finally:
            writer.close()

    async def _by_quic(self, origin: str, size: int) -> None:
        """The client prints nothing on success."""
        url = f"https://{origin}:{self._port}/{size}"
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        command = (*_QUIC_CLIENT, origin, str(self._port), url)
        process = await asyncio.create_subprocess_exec(*command, stdin=nothing, stdout=nothing, stderr=pipe)
        try:
            words = (await process.communicate())[1]
        finally:
            if process.returncode is None:
                process.kill()
        if words or process.returncode:
            raise ValueError(words.decode("utf-8", "replace").strip() or f"exit code {process.returncode}")

    async def _watch(self) -> None:
        """A film: the next part when it is due, or immediately if it is late."""
        began = time.monotonic()
        due = began
        while True:
            try:
                reader, writer = await asyncio.open_connection(self._video["address"], self._video["port"])
            except OSError:
                await asyncio.sleep(0.1)
                continue
            try:
                while True:
                    await asyncio.sleep(max(0.0, due - time.monotonic()))
                    writer.write(f"GET {self._video['path']} HTTP/1.1\r\nHost: {self._video['address']}\r\n\r\n".encode())
                    await reader.readuntil(b"\r\n\r\n")
                    await self._part(reader)
                    due = max(due + self._video["every_s"], time.monotonic())
            except (OSError, asyncio.IncompleteReadError):
                pass
            finally:
                writer.close()
                self.video_seconds = time.monotonic() - began

    async def _part(self, reader: asyncio.StreamReader) -> None:
        left = self._video["bytes"]
        while left:
            block = await reader.read(min(left, 65536))
            if not block:
                raise OSError("the server has ended the connection")
            self.video_bytes += len(block)
            left -= len(block)


async def _cancel(task: asyncio.Future[None]) -> None:
    """Before Python 3.12, wait_for() loses a cancellation that arrives just as the awaited task ends."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=0.1)


def main() -> None:
    browser = Browser(json.loads(sys.stdin.readline()))
    print("ready", flush=True)
    times = json.loads(sys.stdin.readline())
    asyncio.run(browser.run(times["begin"], times["end"]))
    print(json.dumps({"video_bytes": browser.video_bytes, "video_seconds": browser.video_seconds}), flush=True)


if __name__ == "__main__":
    main()
