"""Fetches one file repeatedly, several at a time, each over its own connection; run as a program on a host.

Reads a line of JSON: "address", "port", "path", "bytes" (of the file), "at_a_time", "patience_s" (of silence, after which a
connection is given up) and "protocol" (6 for TCP, 262 for MPTCP); says "ready"; reads a second line: "begin" and "end" by the
monotonic clock. In between it fetches, and afterwards prints one line: "files" (whole ones), "received" (bytes of contents, in each
second), "seconds" (from the begin to the last whole file) and "errors" (the number of each). A failed fetch is followed by the next
one; `ab` would stop instead. With "fetches", it opens that many connections and ends with the last one; `ab` opens more than it
counts, because it does not count those that are being opened. Standard library only, and nothing else of MALOB: it is started by
its path.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from typing import Any

_BLOCK = 256 * 1024

#: The pause after a fetch that failed immediately, so that an uplink that is down does not cause thousands of attempts.
_PAUSE_S = 0.1


class FileLoop:
    """The common state of all fetches."""

    def __init__(self, orders: Mapping[str, Any], begin: float, end: float) -> None:
        self._orders = orders
        self._begin, self._end = begin, end
        self.request = f"GET {orders['path']} HTTP/1.0\r\nHost: {orders['address']}\r\n\r\n".encode()
        self._fetches_left = orders.get("fetches", -1)
        self.files = 0
        self.seconds = 0.0
        self.received = [0] * (int(end - begin) + 1)
        self.errors: dict[str, int] = {}

    async def run(self) -> None:
        await asyncio.sleep(max(0.0, self._begin - time.monotonic()))
        fetchers = [asyncio.ensure_future(self._fetch_on()) for _ in range(self._orders["at_a_time"])]
        _, left = await asyncio.wait(fetchers, timeout=max(0.0, self._end - time.monotonic()))
        while left:
            for fetcher in left:
                fetcher.cancel()
            # before Python 3.12, wait_for() loses a cancellation that arrives just as the awaited task ends
            _, left = await asyncio.wait(left, timeout=0.1)

    async def _fetch_on(self) -> None:
        while self._fetches_left != 0:
            self._fetches_left -= 1
            began = time.monotonic()
            try:
                await self._fetch()
                # on a machine that is late, some end after the time is over: these do not count, like their bytes
                if (now := time.monotonic()) < self._end:
                    self.files += 1
                    self.seconds = now - self._begin
            except (OSError, ValueError, asyncio.TimeoutError) as trouble:
                words = str(trouble) or type(trouble).__name__
                self.errors[words] = self.errors.get(words, 0) + 1
                await asyncio.sleep(max(0.0, began + _PAUSE_S - time.monotonic()))

    async def _fetch(self) -> None:
        loop, patience_s = asyncio.get_running_loop(), self._orders["patience_s"]
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, self._orders["protocol"]) as connection:
            connection.setblocking(False)
            address = (self._orders["address"], self._orders["port"])
            await asyncio.wait_for(_connect(connection, address), patience_s)
            await loop.sock_sendall(connection, self.request)
            await self._receive(connection)

    async def _receive(self, connection: socket.socket) -> None:
        loop, patience_s = asyncio.get_running_loop(), self._orders["patience_s"]
        block = bytearray(_BLOCK)
        head = b""
        body = -1
        while size := await asyncio.wait_for(loop.sock_recv_into(connection, block), patience_s):
            if body < 0:
                head += block[:size]
                header, blank, rest = head.partition(b"\r\n\r\n")
                if not blank:
                    continue
                if b" 200 " not in header.split(b"\r\n")[0]:
                    raise ValueError(header.split(b"\r\n")[0].decode("ascii", "replace"))
                body, size = 0, len(rest)
            body += size
            self._count(size)
        if body != self._orders["bytes"]:
            raise ValueError(f"{max(0, body)} bytes came instead of {self._orders['bytes']}")

    def _count(self, size: int) -> None:
        now = time.monotonic()
        if self._begin <= now < self._end:
            self.received[int(now - self._begin)] += size


async def _connect(connection: socket.socket, address: tuple[str, int]) -> None:
    """Like the event loop's method, which does not support the protocol MPTCP."""
    error = connection.connect_ex(address)
    if error == errno.EINPROGRESS:
        loop, writable = asyncio.get_running_loop(), asyncio.Event()
        loop.add_writer(connection, writable.set)
        try:
            await writable.wait()
        finally:
            loop.remove_writer(connection)
        error = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if error:
        raise OSError(error, os.strerror(error))


def main() -> None:
    orders = json.loads(sys.stdin.readline())
    print("ready", flush=True)
    times = json.loads(sys.stdin.readline())
    fetching = FileLoop(orders, times["begin"], times["end"])
    asyncio.run(fetching.run())
    print(json.dumps({"files": fetching.files, "received": fetching.received, "seconds": fetching.seconds, "errors": fetching.errors}), flush=True)


if __name__ == "__main__":
    main()
