"""Opens connections at given rates until stdin closes; run as a program on an emulated host.

`arrivals.py ADDRESS PORT RATE[@SOURCE] ...`: each argument is a client that opens that many connections per second, from its
own source address if it has one. At the end, prints one JSON line for each: when it ended, and which server has answered, or
the error.
Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import sys
import time

_TIMEOUT_S = 5
#: From Linux: the port is chosen when the connection is made.
_IP_BIND_ADDRESS_NO_PORT = 24


async def _ask(address: str, port: int, source: str) -> str:
    """The name in the answer of a responder."""
    with socket.socket() as connection:
        connection.setblocking(False)
        if source:
            connection.setsockopt(socket.IPPROTO_IP, _IP_BIND_ADDRESS_NO_PORT, 1)
            connection.bind((source, 0))
        loop = asyncio.get_running_loop()
        await loop.sock_connect(connection, (address, port))
        await loop.sock_sendall(connection, b"GET / HTTP/1.0\r\n\r\n")
        answer = b""
        while more := await loop.sock_recv(connection, 4096):
            answer += more
    return answer.split(b"\r\n\r\n", 1)[1].decode().strip()


async def _once(address: str, port: int, source: str) -> dict[str, object]:
    try:
        result = {"server": await asyncio.wait_for(_ask(address, port, source), _TIMEOUT_S)}
    except (OSError, IndexError, asyncio.TimeoutError) as error:
        result = {"error": type(error).__name__}
    return {"at": time.monotonic(), "source": source, **result}


async def _client(address: str, port: int, rate: float, source: str, results: list[dict[str, object]]) -> None:
    running: set[asyncio.Task[dict[str, object]]] = set()

    def ended(task: asyncio.Task[dict[str, object]]) -> None:
        running.discard(task)
        if not task.cancelled():
            results.append(task.result())

    due = time.monotonic() + random.random() / rate
    while True:
        await asyncio.sleep(max(0, due - time.monotonic()))
        task = asyncio.create_task(_once(address, port, source))
        running.add(task)
        task.add_done_callback(ended)
        due += 1 / rate


async def _run(address: str, port: int, clients: list[str]) -> None:
    tasks = []
    results: list[dict[str, object]] = []
    for client in clients:
        rate, _, source = client.partition("@")
        tasks.append(asyncio.create_task(_client(address, port, float(rate), source, results)))
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for task in tasks:
        task.cancel()
    for result in results:
        print(json.dumps(result))


if __name__ == "__main__":
    asyncio.run(_run(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
