"""A connection of a client's program on a host, and its report. Standard library only.

The server is soak/programs/server.py: each byte of a response depends on the server's name.
"""

from __future__ import annotations

import asyncio
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Iterable
from typing import Any, Callable

#: When to begin, in seconds, and what.
Run = tuple[float, Callable[[], Awaitable[None]]]


class WrongError(Exception):
    """A wrong response: "corrupt", as if some bytes came from another server, or "mixed" servers within a connection."""


class Connection(ABC):
    """One connection. fields: its report so far; times by the monotonic clock, which all hosts share."""

    def __init__(self, kind: str, patience_s: float) -> None:
        self.fields: dict[str, object] = {"kind": kind}
        self.server: str | None = None
        self._patience_s = patience_s

    @abstractmethod
    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Raises OSError or TimeoutError."""

    @abstractmethod
    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """All requests and their answers."""

    @abstractmethod
    def report(self, outcome: str) -> None:
        """Reports its end; outcome: "ok" or what has failed."""

    async def run(self) -> None:
        self.note("began", "progress")
        try:
            reader, writer = await self.connect()
        except (OSError, asyncio.TimeoutError) as error:
            self._end(_name(error))
            return
        self.fields["port"] = writer.get_extra_info("sockname")[1]
        self.note("accepted", "progress")
        try:
            await self.converse(reader, writer)
            self._end("ok")
        except (OSError, EOFError, ValueError, asyncio.TimeoutError, WrongError) as error:
            self._end(_name(error))
        finally:
            self.close(writer)

    def close(self, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async def patiently(self, answer: Awaitable[bytes]) -> bytes:
        """Raises TimeoutError if it takes too long."""
        return await asyncio.wait_for(answer, self._patience_s)

    async def ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int) -> str:
        """Requests a number of bytes, and reads the head of the answer; the server's name."""
        self.note("asked")
        writer.write(f"GET /{size} HTTP/1.1\r\n\r\n".encode())
        head = await self.patiently(reader.readuntil(b"\r\n\r\n"))
        return head.partition(b"Server: ")[2].partition(b"\r")[0].decode()

    def note(self, *moments: str) -> None:
        self.fields.update(dict.fromkeys(moments, round(time.monotonic(), 3)))

    def _end(self, outcome: str) -> None:
        self.note("ended")
        self.report(outcome)


def _name(error: Exception) -> str:
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)):
        return "timeout"
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    if isinstance(error, (ConnectionResetError, BrokenPipeError)):
        return "reset"
    if isinstance(error, asyncio.IncompleteReadError):
        return "closed"
    if isinstance(error, WrongError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def check(server: str, block: bytes, offset: int = 0) -> None:
    """Compares a part of a server's answer. Raises WrongError."""
    pattern = f"{server} ".encode()
    start = offset % len(pattern)
    if block != (pattern * (len(block) // len(pattern) + 2))[start : start + len(block)]:
        raise WrongError("corrupt")


async def at_times(runs: Iterable[Run], at_once: int | None = None) -> None:
    """Begins each at its time, in seconds from now, whether earlier ones have ended or not; returns once all have ended.

    at_once: the max number that runs; further ones are omitted.
    """
    running: set[asyncio.Future[None]] = set()
    begin = time.monotonic()
    for at_s, run in runs:
        await asyncio.sleep(max(0.0, begin + at_s - time.monotonic()))
        if at_once is None or len(running) < at_once:
            task = asyncio.ensure_future(run())
            running.add(task)
            task.add_done_callback(running.discard)
    await asyncio.gather(*running)


def print_json(words: Any) -> None:
    """Prints a line of JSON."""
    print(json.dumps(words), flush=True)
