"""Random connections to virtual addresses, short and long ones; run as a program on an emulated host.

`client.py SEED RATE SECONDS LONGEST ADDRESS:PORT...` opens RATE connections per second, at random times, for SECONDS, and
prints a line of JSON as each ends; times are those of the monotonic clock, which all hosts share. LONGEST is the duration of
long connections in seconds.
Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import struct
import sys
import time

#: TCP retransmits a SYN after 1, 3, 7, 15 and 31 s, and data at increasing intervals: successive faults may hit several of
#: these.
_PATIENCE_S = 60.0
_AT_ONCE = 500
_LARGEST = 1_000_000


class _WrongError(Exception):
    """A wrong response: "mixed" servers within a connection, or "corrupt"."""


class _Connection:
    """One connection and its report."""

    def __init__(self, host: tuple[str, int], chance: random.Random, longest_s: float) -> None:
        """longest_s: the max time between the first and the last request of a long connection."""
        kind = chance.choices(("short", "some", "long", "reset"), (60, 20, 15, 5))[0]
        requests, lasts_s = {"some": (chance.randint(2, 6), 0.3), "long": (chance.randint(2, 8), longest_s)}.get(kind, (1, 0.0))
        self._host, self._resets = host, kind == "reset"
        self._moments_s = [0.0, *sorted(chance.uniform(0, lasts_s) for _ in range(requests - 1))]
        self._sizes = [min(_LARGEST, int(chance.lognormvariate(8, 2))) for _ in range(requests)]
        self._requests = self._bytes = 0
        self._server: str | None = None
        self._told: dict[str, object] = {"vip": f"{host[0]}:{host[1]}", "kind": kind}

    async def run(self) -> None:
        self._note("began", "progress")
        try:
            reader, writer = await asyncio.wait_for(asyncio.open_connection(*self._host), _PATIENCE_S)
        except (OSError, asyncio.TimeoutError) as error:
            self._tell(_name(error))
            return
        self._told["port"] = writer.get_extra_info("sockname")[1]
        self._note("accepted", "progress")
        try:
            await self._converse(reader, writer)
            self._tell("ok")
        except (OSError, EOFError, ValueError, asyncio.TimeoutError, _WrongError) as error:
            self._tell(_name(error))
        finally:
            if self._resets and not writer.is_closing():
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begin = time.monotonic()
        for size, moment_s in zip(self._sizes, self._moments_s):
            await asyncio.sleep(max(0.0, begin + moment_s - time.monotonic()))
            self._note("asked")
            writer.write(f"GET /{size} HTTP/1.1\r\nHost: {self._host[0]}\r\n\r\n".encode())
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _PATIENCE_S)
            body = await asyncio.wait_for(reader.readexactly(size), _PATIENCE_S)
            self._check(head.partition(b"Server: ")[2].partition(b"\r")[0].decode(), body)
            self._note("progress")

    def _check(self, server: str, body: bytes) -> None:
        if self._server not in (None, server):
            raise _WrongError("mixed")
        if body != (f"{server} ".encode() * (len(body) // 2 + 1))[: len(body)]:
            raise _WrongError("corrupt")
        self._server = server
        self._requests += 1
        self._bytes += len(body)

    def _note(self, *moments: str) -> None:
        self._told.update(dict.fromkeys(moments, round(time.monotonic(), 3)))

    def _tell(self, outcome: str) -> None:
        self._note("ended")
        print(json.dumps({**self._told, "server": self._server, "requests": self._requests, "bytes": self._bytes, "outcome": outcome}), flush=True)


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
        return str(error)
    return f"{type(error).__name__}: {error}"


async def _main(seed: str, rate: float, seconds: float, longest_s: float, hosts: list[tuple[str, int]]) -> None:
    chance = random.Random(seed)
    running: set[asyncio.Task[None]] = set()
    begin, at_s = time.monotonic(), 0.0
    while True:
        at_s += chance.expovariate(rate)
        if at_s >= seconds:
            break
        connection = _Connection(chance.choice(hosts), chance, longest_s)
        await asyncio.sleep(max(0.0, begin + at_s - time.monotonic()))
        if len(running) < _AT_ONCE:
            task = asyncio.create_task(connection.run())
            running.add(task)
            task.add_done_callback(running.discard)
    await asyncio.gather(*running)


if __name__ == "__main__":
    addresses = [(word.rpartition(":")[0], int(word.rpartition(":")[2])) for word in sys.argv[5:]]
    rate, seconds, longest_s = map(float, sys.argv[2:5])
    asyncio.run(_main(sys.argv[1], rate, seconds, longest_s, addresses))
