"""One MPTCP connection that goes on as long as it is wanted; run as a program on an emulated host.

`mptcp_stream.py receive ADDRESS PORT` prints "listens", takes one connection until its end, and prints what it got.
`mptcp_stream.py send FROM ADDRESS PORT RATE` sends RATE bytes a second until its standard input ends, and prints what it
sent. Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import hashlib
import json
import random
import select
import socket
import sys
import time

_MPTCP = 262
_BLOCK = 32 * 1024


def _report(digest: hashlib._Hash, count: int, error: str | None = None) -> None:
    print(json.dumps({"sha256": digest.hexdigest(), "bytes": count, "error": error}), flush=True)


def _socket(address: str) -> socket.socket:
    return socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, _MPTCP)


def _receive(address: str, port: int) -> None:
    digest, count, error = hashlib.sha256(), 0, None
    # it listens until the end: the kernel accepts further sub-flows of a connection only while a socket listens
    with _socket(address) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address, port))
        listening.listen()
        print("listens", flush=True)
        with listening.accept()[0] as connection:
            connection.settimeout(30)
            try:
                while block := connection.recv(_BLOCK):
                    digest.update(block)
                    count += len(block)
            except OSError as problem:
                error = str(problem)
    _report(digest, count, error)


def _send(source: str, address: str, port: int, rate: int) -> None:
    chance, digest, count, error = random.Random(7), hashlib.sha256(), 0, None
    with _socket(address) as connection:
        connection.settimeout(30)
        connection.bind((source, 0))
        try:
            connection.connect((address, port))
            started = time.monotonic()
            while not select.select([sys.stdin], [], [], 0)[0]:
                block = chance.randbytes(_BLOCK)
                connection.sendall(block)
                digest.update(block)
                count += len(block)
                time.sleep(max(0.0, started + count / rate - time.monotonic()))
            connection.shutdown(socket.SHUT_WR)
            # until the other end has all of it
            connection.recv(1)
        except OSError as problem:
            error = str(problem)
    _report(digest, count, error)


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        _receive(sys.argv[2], int(sys.argv[3]))
    else:
        _send(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
