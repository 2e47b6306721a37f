"""A transfer that lasts as long as it is wanted; run as a program on an emulated host.

`transfer.py serve PORT RATE` sends one client RATE bytes a second until it says that it is enough, and prints
what it sent; `transfer.py fetch ADDRESS PORT PROGRESS` receives until its standard input ends, writes the number
of bytes so far to the file PROGRESS, and prints what it got. Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import select
import socket
import sys
import time

_BLOCK = 32 * 1024


def _report(digest: hashlib._Hash, count: int, error: str | None = None) -> None:
    print(json.dumps({"sha256": digest.hexdigest(), "bytes": count, "error": error}), flush=True)


def serve(port: int, rate: int) -> None:
    with socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True) as listening:
        print("listens", flush=True)
        client, _ = listening.accept()
    chance, digest, count = random.Random(7), hashlib.sha256(), 0
    error = None
    started = time.monotonic()
    try:
        with client:
            while not select.select([client], [], [], 0)[0]:
                block = chance.randbytes(_BLOCK)
                client.sendall(block)
                digest.update(block)
                count += len(block)
                time.sleep(max(0.0, started + count / rate - time.monotonic()))
    except OSError as problem:
        error = str(problem)
    _report(digest, count, error)


def fetch(address: str, port: int, progress: str) -> None:
    digest, count, error = hashlib.sha256(), 0, None
    try:
        with socket.create_connection((address, port), 10) as server:
            waiting = [server, sys.stdin]
            server.settimeout(30)
            while server in waiting:
                ready = select.select(waiting, [], [], 30)[0]
                if not ready:
                    raise TimeoutError("nothing came for 30 s")
                if sys.stdin in ready:
                    waiting.remove(sys.stdin)
                    server.shutdown(socket.SHUT_WR)
                if server in ready:
                    block = server.recv(_BLOCK)
                    digest.update(block)
                    count += len(block)
                    _tell(progress, count)
                    if not block:
                        waiting.remove(server)
    except OSError as problem:
        error = str(problem)
    _report(digest, count, error)


def _tell(progress: str, count: int) -> None:
    """In one step: whoever reads the file meanwhile finds a number in it."""
    with open(f"{progress}.new", "w", encoding="ascii") as file:
        file.write(str(count))
    os.replace(f"{progress}.new", progress)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]), int(sys.argv[3]))
    else:
        fetch(sys.argv[2], int(sys.argv[3]), sys.argv[4])
