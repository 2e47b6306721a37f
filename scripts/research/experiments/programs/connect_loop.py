"""Opens TCP connections at equal intervals and closes them at once; run as a program on a host.

Reads a line of JSON: "address", "port", "per_second" and "patience_s" (for one connection); says "ready"; reads a second line:
"begin" and "end" by the monotonic clock. Afterwards it prints one line: for each connection, in the order of their beginnings,
the second of its beginning by that clock, the seconds that connect() took, and the error or an empty string. A connection begins
on time, whether earlier ones are open or not. Standard library only, and nothing else of MALOB: it is started by its path.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import time
from collections.abc import Mapping
from typing import Any


async def run(orders: Mapping[str, Any], begin: float, end: float) -> list[tuple[float, float, str]]:
    """One for each connection: its beginning, seconds and error."""
    tasks = []
    for number in range(round((end - begin) * orders["per_second"])):
        await asyncio.sleep(max(0.0, begin + number / orders["per_second"] - time.monotonic()))
        tasks.append(asyncio.ensure_future(_connect(orders)))
    return list(await asyncio.gather(*tasks))


async def _connect(orders: Mapping[str, Any]) -> tuple[float, float, str]:
    error = ""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection:
        connection.setblocking(False)
        began = time.monotonic()
        connecting = asyncio.get_running_loop().sock_connect(connection, (orders["address"], orders["port"]))
        try:
            await asyncio.wait_for(connecting, orders["patience_s"])
        except (OSError, asyncio.TimeoutError) as trouble:
            error = str(trouble) or type(trouble).__name__
        return began, time.monotonic() - began, error


def main() -> None:
    orders = json.loads(sys.stdin.readline())
    print("ready", flush=True)
    times = json.loads(sys.stdin.readline())
    print(json.dumps(asyncio.run(run(orders, times["begin"], times["end"]))), flush=True)


if __name__ == "__main__":
    main()
