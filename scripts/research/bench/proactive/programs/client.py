"""Short connections at a rate, and long downloads, through one address; run as a program on an emulated host.

`client.py ADDRESS PORT RATE DOWNLOADS DOWNLOAD_S SILENT` opens RATE connections per second with one small response each, and keeps
DOWNLOADS downloads going, each for DOWNLOAD_S, until its standard input ends. SILENT connections ask once at their beginning and once at
that end, and say nothing in between. It prints a line of JSON for each connection that
failed, for each connect() that took long, and one with totals at the end; times are those of the monotonic clock, which all
hosts share. The server is that of soak/programs/server.py: each byte of a response depends on the server's name and is compared.
Standard library only, besides what is imported below: it is started by its path.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import sys
import time
from collections.abc import Iterator

sys.path.insert(0, os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

from research.bench.connection import Connection, Run, WrongError, at_times, check, print_json

#: TCP retransmits for longer, but a path that fails is replaced within a second.
_PATIENCE_S = 20.0
_PAUSE_S = 0.2
#: A connect() that takes this long is reported.
_SLOW_S = 0.1
_SHORT_BYTES = 400
#: A download: more bytes than it ever reads, at a pace. A small receive buffer keeps the server at that pace.
_ENDLESS_BYTES = 10**12
_CHUNK, _BUFFER, _BYTES_PER_S = 16 * 1024, 64 * 1024, 100_000


class _Client:
    """All connections of the program. Its totals grow as they end well."""

    def __init__(self, address: str, port: int, download_s: float) -> None:
        self._address, self._port, self._download_s = address, port, download_s
        self.ended = asyncio.Event()
        self.short = self.downloads = self.silent = self.bytes = 0
        self.connect_max_s = 0.0

    async def open_at(self, rate: float) -> None:
        """Opens short connections until the end, and returns once they have ended. rate: 0 for none."""
        if rate:
            await at_times(self._runs(rate))

    def _runs(self, rate: float) -> Iterator[Run]:
        for count in itertools.count(1):
            if self.ended.is_set():
                return
            yield count / rate, _ClientConnection(self, "short").run

    async def keep_silent(self) -> None:
        await _ClientConnection(self, "silent").run()

    async def download(self) -> None:
        """One download after the other until the end."""
        while not self.ended.is_set():
            await _ClientConnection(self, "download").run()
            # if they fail at once
            await asyncio.sleep(_PAUSE_S)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        begin = time.monotonic()
        connection = socket.socket()
        try:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
            connection.setblocking(False)
            await asyncio.wait_for(asyncio.get_running_loop().sock_connect(connection, (self._address, self._port)), _PATIENCE_S)
        except BaseException:
            connection.close()
            raise
        took_s = time.monotonic() - begin
        self.connect_max_s = max(self.connect_max_s, took_s)
        if took_s >= _SLOW_S:
            print_json({"slow_ms": round(1000 * took_s, 1), "began": round(begin, 3)})
        return await asyncio.open_connection(sock=connection, limit=_BUFFER)

    def goes_on(self, begin: float) -> bool:
        return not self.ended.is_set() and time.monotonic() < begin + self._download_s

    def totals(self) -> dict[str, object]:
        return {
            "short": self.short,
            "downloads": self.downloads,
            "silent": self.silent,
            "bytes": self.bytes,
            "connect_max_ms": round(1000 * self.connect_max_s, 1),
        }


class _ClientConnection(Connection):
    """One connection and its report, if it fails. kind: "short", "download" or "silent"."""

    def __init__(self, client: _Client, kind: str) -> None:
        super().__init__(kind, _PATIENCE_S)
        self._client = client

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await self._client.connect()

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.fields["kind"] == "short":
            await self._get(reader, writer)
            self._client.short += 1
        elif self.fields["kind"] == "silent":
            await self._get(reader, writer)
            first = self.server
            await self._client.ended.wait()
            await self._get(reader, writer)
            if self.server != first:
                raise WrongError("mixed")
            self._client.silent += 1
        else:
            await self._download(reader, writer)
            self._client.downloads += 1

    async def _get(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._ask(reader, writer, _SHORT_BYTES)
        self._count(await self.patiently(reader.readexactly(_SHORT_BYTES)), 0)

    async def _download(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begin, received = time.monotonic(), 0
        await self._ask(reader, writer, _ENDLESS_BYTES)
        while self._client.goes_on(begin):
            block = await self.patiently(reader.read(_CHUNK))
            if not block:
                raise asyncio.IncompleteReadError(b"", None)
            self._count(block, received)
            received += len(block)
            await asyncio.sleep(max(0.0, begin + received / _BYTES_PER_S - time.monotonic()))

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int) -> None:
        self.server = await self.ask(reader, writer, size)
        self.note("progress")

    def _count(self, block: bytes, offset: int) -> None:
        assert self.server is not None
        check(self.server, block, offset)
        self._client.bytes += len(block)
        self.note("progress")

    def report(self, outcome: str) -> None:
        if outcome != "ok":
            print_json({**self.fields, "server": self.server, "outcome": outcome})


async def _main(address: str, port: int, rate: float, downloads: int, download_s: float, silent: int) -> None:
    client = _Client(address, port, download_s)
    loop = asyncio.get_running_loop()
    # its end, not its content: standard input is a pipe that the parent closes
    loop.add_reader(sys.stdin, client.ended.set)
    kept = [*(client.download() for _ in range(downloads)), *(client.keep_silent() for _ in range(silent))]
    # with none of them, the end of standard input is all that is waited for
    await asyncio.gather(client.ended.wait(), client.open_at(rate), *kept)
    loop.remove_reader(sys.stdin)
    print_json({"totals": client.totals()})


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])))
