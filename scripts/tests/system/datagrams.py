"""Datagrams of many flows, for the tests of tracked VIPs; run as a program on an emulated host.

datagrams.py ask ADDRESS PORT --flows N --count C --burst B --first F --size S --every SECONDS: each flow, a socket of its own, sends C
datagrams, B at once, and reads as many answers, as responder.py gives them, for a second at most. The first ones have F bytes, all others
S; without F, all have S. Prints a line of JSON: by flow, the number of answers of each server.
datagrams.py tell ADDRESS PORT, with the same options: the same without answers. Prints the local port of each flow.
datagrams.py hear PORT: prints "ready", and answers nothing. Once its standard input ends, it prints the number of datagrams by sender's
port.
Standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import socket
import sys
import threading
import time
from collections import Counter

_PATIENCE_S = 1.0


def _flows(options: argparse.Namespace) -> list[socket.socket]:
    family = socket.AF_INET6 if ":" in options.address else socket.AF_INET
    flows = [socket.socket(family, socket.SOCK_DGRAM) for _ in range(options.flows)]
    for flow in flows:
        flow.connect((options.address, options.port))
    return flows


def _send(flows: list[socket.socket], options: argparse.Namespace, data: bytes) -> None:
    for flow in flows:
        for _ in range(options.burst):
            flow.send(data)


def ask(options: argparse.Namespace) -> list[dict[str, int]]:
    flows = _flows(options)
    answers: list[Counter[str]] = [Counter() for _ in flows]
    with selectors.DefaultSelector() as selector:
        for flow, counts in zip(flows, answers):
            selector.register(flow, selectors.EVENT_READ, counts)
        for number in range(0, options.count, options.burst):
            data = os.urandom(options.size if number or not options.first else options.first)
            wanted = sum(sum(counts.values()) for counts in answers) + options.burst * len(flows)
            _send(flows, options, data)
            deadline = time.monotonic() + _PATIENCE_S
            while time.monotonic() < deadline and sum(sum(counts.values()) for counts in answers) < wanted:
                for key, _ in selector.select(0.1):
                    name, _, rest = key.fileobj.recv(65535).partition(b" ")  # type: ignore[union-attr]
                    key.data[name.decode() if rest == data else "wrong data"] += 1
            time.sleep(options.every)
    return [dict(counts) for counts in answers]


def tell(options: argparse.Namespace) -> list[int]:
    flows = _flows(options)
    for _ in range(0, options.count, options.burst):
        _send(flows, options, bytes(options.size))
        time.sleep(options.every)
    return [int(flow.getsockname()[1]) for flow in flows]


def hear(options: argparse.Namespace) -> dict[int, int]:
    heard: Counter[int] = Counter()

    def count(here: socket.socket) -> None:
        while True:
            heard[here.recvfrom(65535)[1][1]] += 1

    here = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    here.bind(("::", options.port))
    threading.Thread(target=count, args=(here,), daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()
    return dict(heard)


def main() -> None:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    for name, run in (("ask", ask), ("tell", tell)):
        command = commands.add_parser(name)
        command.add_argument("address")
        command.add_argument("port", type=int)
        command.add_argument("--flows", type=int, default=1)
        command.add_argument("--count", type=int, default=1)
        command.add_argument("--burst", type=int, default=1)
        command.add_argument("--first", type=int, default=0)
        command.add_argument("--size", type=int, default=64)
        command.add_argument("--every", type=float, default=0.0)
        command.set_defaults(run=run)
    listener = commands.add_parser("hear")
    listener.add_argument("port", type=int)
    listener.set_defaults(run=hear)
    options = parser.parse_args()
    print(json.dumps(options.run(options)))


if __name__ == "__main__":
    main()
