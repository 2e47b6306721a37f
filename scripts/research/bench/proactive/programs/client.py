"""Short connections at a rate, and long downloads, through one address; run as a program on an emulated host.

`client.py ADDRESS PORT RATE DOWNLOADS DOWNLOAD_S` opens RATE connections per second with one small response each, and keeps
DOWNLOADS downloads going, each for DOWNLOAD_S, until its standard input ends. It prints a line of JSON for each connection that
failed, for each connect() that took long, and one with totals at the end; times are those of the monotonic clock, which all
hosts share. The server is that of soak/programs/server.py: each byte of a response depends on the server's name and is compared.
Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import time

#: TCP retransmits for longer, but a path that fails is replaced within a second.
_PATIENCE_S = 20.0
_PAUSE_S = 0.2
#: A connect() that takes this long is reported.
_SLOW_S = 0.1
_SHORT_BYTES = 400
#: A download: more bytes than it ever reads, at a pace. A small receive buffer keeps the server at that pace.
_ENDLESS_BYTES = 10**12
_CHUNK, _BUFFER, _BYTES_PER_S = 16 * 1024, 64 * 1024, 100_000


class _WrongError(Exception):
    """A byte of a response is wrong, as if it came from another server."""


class _Client:
    """All connections of the program. Its totals grow as they end well."""

    def __init__(self, address: str, port: int, download_s: float) -> None:
        self._address, self._port, self._download_s = address, port, download_s
        self.ended = asyncio.Event()
        self.short = self.downloads = self.bytes = 0
        self.connect_max_s = 0.0

    async def open_at(self, rate: float) -> None:
        """Opens short connections until the end, and returns once they have ended."""
        running: set[asyncio.Task[None]] = set()
        begin, count = time.monotonic(), 0
        while not self.ended.is_set():
            count += 1
            await asyncio.sleep(max(0.0, begin + count / rate - time.monotonic()))
            task = asyncio.create_task(_Connection(self, "short").run())
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)

    async def download(self) -> None:
        """One download after the other until the end."""
        while not self.ended.is_set():
            await _Connection(self, "download").run()
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
            _print({"slow_ms": round(1000 * took_s, 1), "began": round(begin, 3)})
        return await asyncio.open_connection(sock=connection, limit=_BUFFER)

    def goes_on(self, begin: float) -> bool:
        return not self.ended.is_set() and time.monotonic() < begin + self._download_s

    def totals(self) -> dict[str, object]:
        return {"short": self.short, "downloads": self.downloads, "bytes": self.bytes, "connect_max_ms": round(1000 * self.connect_max_s, 1)}


class _Connection:
    """One connection and its report, if it fails. kind: "short" or "download"."""

    def __init__(self, client: _Client, kind: str) -> None:
        self._client = client
        self._server: str | None = None
        self._told: dict[str, object] = {"kind": kind}

    async def run(self) -> None:
        self._note("began", "progress")
        try:
            reader, writer = await self._client.connect()
        except (OSError, asyncio.TimeoutError) as error:
            self._tell(error)
            return
        self._told["port"] = writer.get_extra_info("sockname")[1]
        self._note("accepted", "progress")
        try:
            if self._told["kind"] == "short":
                await self._short(reader, writer)
            else:
                await self._download(reader, writer)
        except (OSError, EOFError, asyncio.TimeoutError, _WrongError) as error:
            self._tell(error)
        finally:
            writer.close()

    async def _short(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._ask(reader, writer, _SHORT_BYTES)
        self._check(await asyncio.wait_for(reader.readexactly(_SHORT_BYTES), _PATIENCE_S), 0)
        self._client.short += 1

    async def _download(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begin, received = time.monotonic(), 0
        await self._ask(reader, writer, _ENDLESS_BYTES)
        while self._client.goes_on(begin):
            block = await asyncio.wait_for(reader.read(_CHUNK), _PATIENCE_S)
            if not block:
                raise asyncio.IncompleteReadError(b"", None)
            self._check(block, received)
            received += len(block)
            await asyncio.sleep(max(0.0, begin + received / _BYTES_PER_S - time.monotonic()))
        self._client.downloads += 1

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int) -> None:
        self._note("asked")
        writer.write(f"GET /{size} HTTP/1.1\r\n\r\n".encode())
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _PATIENCE_S)
        self._server = head.partition(b"Server: ")[2].partition(b"\r")[0].decode()
        self._note("progress")

    def _check(self, block: bytes, offset: int) -> None:
        pattern = f"{self._server} ".encode()
        start = offset % len(pattern)
        if block != (pattern * (len(block) // len(pattern) + 2))[start : start + len(block)]:
            raise _WrongError
        self._client.bytes += len(block)
        self._note("progress")

    def _note(self, *moments: str) -> None:
        self._told.update(dict.fromkeys(moments, round(time.monotonic(), 3)))

    def _tell(self, error: Exception) -> None:
        self._note("ended")
        _print({**self._told, "server": self._server, "outcome": _name(error)})


def _name(error: Exception) -> str:
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)):
        return "timeout"
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    if isinstance(error, (ConnectionResetError, BrokenPipeError)):
        return "reset"
    if isinstance(error, asyncio.IncompleteReadError):
        return "closed"
    if isinstance(error, _WrongError):
        return "corrupt"
    return f"{type(error).__name__}: {error}"


def _print(told: dict[str, object]) -> None:
    print(json.dumps(told), flush=True)


async def _main(address: str, port: int, rate: float, downloads: int, download_s: float) -> None:
    client = _Client(address, port, download_s)
    loop = asyncio.get_running_loop()
    # its end, not its content: standard input is a pipe that the parent closes
    loop.add_reader(sys.stdin, client.ended.set)
    await asyncio.gather(client.open_at(rate), *(client.download() for _ in range(downloads)))
    loop.remove_reader(sys.stdin)
    _print({"totals": client.totals()})


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])))
