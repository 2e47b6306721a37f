"""Makes one request after the other; run as a program on an emulated host.

`client.py http|ftp|compute|work ADDRESS [--source A] [--count N] …` says "ready", waits for a line, and then prints one JSON
object per request: "began" and "seconds" by the monotonic clock, "bytes", "server" (its name) and "error" (empty). It
continues until it is ended, or has made N requests. With --rate, requests begin at random times (Poisson) instead, whether
earlier ones have ended or not, and "began" is the time when one was due. Standard library only, and nothing else of MALOB: it is started by
its path.
"""

from __future__ import annotations

import argparse
import ftplib
import http.client
import json
import random
import socket
import sys
import threading
import time
from typing import Callable

#: the pause after a failure, so that an unavailable server does not get thousands of requests
_PAUSE_S = 0.5


def http_request(options: argparse.Namespace) -> tuple[str, int]:
    """Gets some pages, over one connection or each over its own; returns the last server's name and the number of bytes."""
    connection = http.client.HTTPConnection(options.address, options.port, timeout=options.patience, source_address=_source(options))
    size, server = 0, ""
    try:
        for _ in range(options.pages):
            connection.request("GET", f"/{options.file}")
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise ValueError(f"status {answer.status}")
            size += len(body)
            server = answer.headers.get("X-Server", "")
            if options.connection_per_page:
                # the next request opens a new one
                connection.close()
    finally:
        connection.close()
    return server, _expected(size, options.bytes * options.pages)


class _Passive(ftplib.FTP):
    """An FTP client that also uses EPSV, which contains no address, over IPv4."""

    def makepasv(self) -> tuple[str, int]:
        assert self.sock is not None
        return ftplib.parse229(self.sendcmd("EPSV"), self.sock.getpeername())


def ftp_request(options: argparse.Namespace) -> tuple[str, int]:
    """Gets one file, over a separate session."""
    size = 0
    block = bytearray(256 * 1024)
    with _Passive(timeout=options.patience) as session:
        greeting = session.connect(options.address, options.port, source_address=_source(options))
        session.login()
        session.voidcmd("TYPE I")
        with session.transfercmd(f"RETR {options.file}") as data:
            while count := data.recv_into(block):
                size += count
        session.voidresp()
    return greeting.split()[-1], _expected(size, options.bytes)


def compute_request(options: argparse.Namespace) -> tuple[str, int]:
    """Sends a sequence, and waits for the computed answer."""
    with socket.create_connection((options.address, options.port), options.patience, source_address=_source(options)) as connection:
        connection.sendall(b"ACGT" * (options.bytes // 4) + b"\n")
        with connection.makefile("rb") as answers:
            line = answers.readline()
    if not line.endswith(b"\n"):
        raise ValueError("the server closed the connection before it had an answer")
    return str(json.loads(line)["server"]), options.bytes


def work_request(options: argparse.Namespace) -> tuple[str, int]:
    """Asks for processor time and an answer of some bytes, both drawn from exponential distributions."""
    chance = random.Random(f"{options.seed}/{options.number}")
    cpu_s, size = chance.expovariate(1 / options.cpu), round(chance.expovariate(1 / options.bytes))
    received = 0
    with socket.create_connection((options.address, options.port), options.patience, source_address=_source(options)) as connection:
        connection.sendall(f"{cpu_s:.6f} {size}\n".encode())
        with connection.makefile("rb") as answer:
            server = answer.readline()
            while block := answer.read(65536):
                received += len(block)
    return server.decode().strip(), _expected(received, size)


KINDS: dict[str, Callable[[argparse.Namespace], tuple[str, int]]] = {
    "http": http_request,
    "ftp": ftp_request,
    "compute": compute_request,
    "work": work_request,
}


def _source(options: argparse.Namespace) -> tuple[str, int] | None:
    return (options.source, 0) if options.source else None


def _expected(size: int, expected: int) -> int:
    if size != expected:
        raise ValueError(f"{size} bytes came instead of {expected}")
    return size


def timed(request: Callable[[argparse.Namespace], tuple[str, int]], options: argparse.Namespace, due: float | None = None) -> dict[str, object]:
    """Makes one request and returns the result. due: when it should have begun; now if None."""
    server, size, error = "", 0, ""
    began = time.monotonic() if due is None else due
    try:
        server, size = request(options)
    except (OSError, EOFError, ValueError, ftplib.Error, http.client.HTTPException) as trouble:
        error = str(trouble) or type(trouble).__name__
    return {"began": began, "seconds": time.monotonic() - began, "bytes": size, "server": server, "error": error}


def at_random_times(options: argparse.Namespace) -> None:
    """Begins requests until the program is ended, or has begun as many as it should; each has a thread."""
    chance = random.Random(options.seed)
    printing = threading.Lock()
    number, due = 0, time.monotonic()

    def one(number: int, due: float) -> None:
        result = timed(KINDS[options.kind], argparse.Namespace(**vars(options), number=number), due)
        with printing:
            print(json.dumps(result), flush=True)

    while number < options.count or not options.count:
        due += chance.expovariate(options.rate)
        time.sleep(max(0.0, due - time.monotonic()))
        threading.Thread(target=one, args=(number, due)).start()
        number += 1


def main() -> None:
    parser = argparse.ArgumentParser(description="Sends requests one after the other.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("address")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--source", help="the address that connections come from")
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--patience", type=float, default=30, help="seconds of silence after which a request has failed")
    parser.add_argument("--pause", type=float, default=0, help="seconds between two requests")
    parser.add_argument("--file", default="")
    parser.add_argument("--pages", type=int, default=1)
    parser.add_argument("--connection-per-page", action="store_true")
    parser.add_argument("--bytes", type=int, required=True, help="of each page, of the file, of the sequence, or of the mean answer")
    parser.add_argument("--cpu", type=float, default=0, help="mean processor time of a request, in seconds")
    parser.add_argument("--rate", type=float, default=0, help="mean number of requests per second, at random times")
    parser.add_argument("--seed", default="", help="of random times and requests")
    options = parser.parse_args()
    print("ready", flush=True)
    sys.stdin.readline()
    if options.rate:
        at_random_times(options)
        return
    made = 0
    while made < options.count or not options.count:
        result = timed(KINDS[options.kind], options)
        print(json.dumps(result), flush=True)
        made += 1
        time.sleep(max(options.pause, _PAUSE_S if result["error"] else 0))


if __name__ == "__main__":
    main()
