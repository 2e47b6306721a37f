"""Sends HTTP requests at a constant rate, each on its own connection; run as a program on an emulated host.

`requester.py ADDRESS PORT --rate R --seconds N` prints one JSON object per request as it ends:
{"ms": time from connect to the last byte, "server": name of the server} or {"ms": ..., "error": reason}.
A request that is not answered in --patience seconds has failed. Up to --at-once requests run at the same time. Uses only the
standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time


async def _request(address: str, port: int) -> str:
    """The name of the server that answered one request. Raises OSError without an answer, ValueError for an invalid one."""
    reader, writer = await asyncio.open_connection(address, port)
    host = f"[{address}]" if ":" in address else address
    try:
        writer.write(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = await reader.read()
    finally:
        writer.close()
    head, separator, body = answer.partition(b"\r\n\r\n")
    if not separator or b" 200 " not in head.split(b"\r\n")[0] + b" ":
        raise ValueError(f"not an HTTP response: {answer[:40]!r}")
    return body.decode("ascii", "replace").strip()


async def _timed_request(address: str, port: int, patience_s: float) -> None:
    start = time.perf_counter()
    result: dict[str, object] = {}
    try:
        result["server"] = await asyncio.wait_for(_request(address, port), patience_s)
    except asyncio.TimeoutError:
        result["error"] = f"no answer in {patience_s:g} s"
    except (OSError, ValueError) as error:
        result["error"] = str(error) or type(error).__name__
    result["ms"] = round((time.perf_counter() - start) * 1000, 3)
    print(json.dumps(result), flush=True)


async def _pace(options: argparse.Namespace) -> None:
    slots = asyncio.Semaphore(options.at_once)
    running: set[asyncio.Task[None]] = set()
    start = time.perf_counter()
    count = max(1, int(options.rate * options.seconds))
    for number in range(count):
        await asyncio.sleep(max(0.0, start + number / options.rate - time.perf_counter()))
        await slots.acquire()
        task = asyncio.create_task(_timed_request(options.address, options.port, options.patience))
        running.add(task)
        task.add_done_callback(running.discard)
        task.add_done_callback(lambda _: slots.release())
    await asyncio.gather(*running)


def main() -> None:
    parser = argparse.ArgumentParser(description="Sends HTTP requests at an even pace.")
    parser.add_argument("address")
    parser.add_argument("port", type=int)
    parser.add_argument("--rate", type=float, default=25, help="requests per second")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--patience", type=float, default=5, help="seconds before a request has failed")
    parser.add_argument("--at-once", type=int, default=100)
    asyncio.run(_pace(parser.parse_args()))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
