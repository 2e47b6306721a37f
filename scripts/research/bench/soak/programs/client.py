"""Random connections to virtual addresses, short and long ones; run as a program on an emulated host.

`client.py SEED RATE SECONDS LONGEST ADDRESS:PORT...` opens RATE connections per second, at random times, for SECONDS, and
prints a line of JSON as each ends; times are those of the monotonic clock, which all hosts share. LONGEST is the duration of
long connections in seconds.
Standard library only, besides what is imported below: it is started by its path.
"""

from __future__ import annotations

import asyncio
import os
import random
import socket
import struct
import sys
import time
from collections.abc import Iterator

sys.path.insert(0, os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

from research.bench.connection import Connection, Run, WrongError, at_times, check, print_json

#: TCP retransmits a SYN after 1, 3, 7, 15 and 31 s, and data at increasing intervals: successive faults may hit several of
#: these.
_PATIENCE_S = 60.0
_AT_ONCE = 500
_LARGEST = 1_000_000


class _RandomConnection(Connection):
    def __init__(self, host: tuple[str, int], chance: random.Random, longest_s: float) -> None:
        """longest_s: the max time between the first and the last request of a long connection."""
        kind = chance.choices(("short", "some", "long", "reset"), (60, 20, 15, 5))[0]
        requests, lasts_s = {"some": (chance.randint(2, 6), 0.3), "long": (chance.randint(2, 8), longest_s)}.get(kind, (1, 0.0))
        super().__init__(kind, _PATIENCE_S)
        self._host, self._resets = host, kind == "reset"
        self._moments_s = [0.0, *sorted(chance.uniform(0, lasts_s) for _ in range(requests - 1))]
        self._sizes = [min(_LARGEST, int(chance.lognormvariate(8, 2))) for _ in range(requests)]
        self._requests = self._bytes = 0

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.wait_for(asyncio.open_connection(*self._host), _PATIENCE_S)

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begin = time.monotonic()
        for size, moment_s in zip(self._sizes, self._moments_s):
            await asyncio.sleep(max(0.0, begin + moment_s - time.monotonic()))
            server = await self.ask(reader, writer, size)
            body = await self.patiently(reader.readexactly(size))
            if self.server not in (None, server):
                raise WrongError("mixed")
            check(server, body)
            self.server = server
            self._requests += 1
            self._bytes += size
            self.note("progress")

    def close(self, writer: asyncio.StreamWriter) -> None:
        if self._resets and not writer.is_closing():
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.close()

    def report(self, outcome: str) -> None:
        vip = f"{self._host[0]}:{self._host[1]}"
        print_json({"vip": vip, **self.fields, "server": self.server, "requests": self._requests, "bytes": self._bytes, "outcome": outcome})


def _runs(seed: str, rate: float, seconds: float, longest_s: float, hosts: list[tuple[str, int]]) -> Iterator[Run]:
    chance = random.Random(seed)
    at_s = chance.expovariate(rate)
    while at_s < seconds:
        yield at_s, _RandomConnection(chance.choice(hosts), chance, longest_s).run
        at_s += chance.expovariate(rate)


if __name__ == "__main__":
    addresses = [(word.rpartition(":")[0], int(word.rpartition(":")[2])) for word in sys.argv[5:]]
    rate, seconds, longest_s = map(float, sys.argv[2:5])
    asyncio.run(at_times(_runs(sys.argv[1], rate, seconds, longest_s, addresses), _AT_ONCE))
