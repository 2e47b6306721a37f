"""Relays the connections between switches and their controller, with a delay.

    relay.py HOST PORT DELAY_MS…     one listener on loopback for each delay, which is one way

Prints the listeners' ports as a JSON array, and begins when it reads a line. If its input ends before, it ends, too: its
parent ended before it recorded the process id. An accepted connection is connected to the controller after the delay; if the
controller does not listen, it is closed, and the switch retries. Needs only Python's standard library. Blocking threads, two
for each direction of a connection, are more punctual than asyncio and cost less.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import sys
import threading
import time
from typing import Any, Callable

#: In total, max 4 MiB are in transit in one direction. A sender of more has to wait.
CHUNK_BYTES = 4096
CHUNKS = 1024


def main() -> None:
    _go_first()
    host, port, *delays = sys.argv[1:]
    listeners = [socket.create_server(("127.0.0.1", 0), backlog=1024) for _ in delays]
    print(json.dumps([listener.getsockname()[1] for listener in listeners]), flush=True)
    if sys.stdin.readline():
        for listener, delay in zip(listeners, delays):
            _thread(_accept, listener, (host, int(port)), float(delay) / 1000)
        threading.Event().wait()


def _go_first() -> None:
    """Real-time priority, since a wire does not wait for a processor; needs root."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -15)


def _thread(role: Callable[..., None], *arguments: Any) -> None:
    threading.Thread(target=role, args=arguments, daemon=True).start()


def _accept(listener: socket.socket, controller: tuple[str, int], delay_s: float) -> None:
    while True:
        switch, _ = listener.accept()
        _thread(_connect, switch, controller, delay_s)


def _connect(switch: socket.socket, controller: tuple[str, int], delay_s: float) -> None:
    # a connection is there for its client after one round trip
    time.sleep(2 * delay_s)
    try:
        other = socket.create_connection(controller, timeout=10)
    except OSError:
        switch.close()
        return
    other.settimeout(None)
    for end in (switch, other):
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    _thread(_carry, switch, other, delay_s)
    _thread(_carry, other, switch, delay_s)


def _carry(source: socket.socket, target: socket.socket, delay_s: float) -> None:
    """Carries one direction until its source closes or its target accepts no more; then both are closed."""
    # read data and its departure time; no bytes mean the end
    on_its_way: queue.Queue[tuple[float, bytes]] = queue.Queue(CHUNKS)
    _thread(_read, source, on_its_way, delay_s)
    taken = True
    while True:
        due, data = on_its_way.get()
        wait_s = due - time.monotonic()
        if wait_s > 0 and taken:
            time.sleep(wait_s)
        if not data:
            break
        # once it accepts no more, the rest is discarded, so that the reader reaches the end
        taken = taken and _sent(target, data)
        if not taken:
            _shut(source)
    _shut(target)
    _shut(source)


def _read(source: socket.socket, on_its_way: queue.Queue[tuple[float, bytes]], delay_s: float) -> None:
    data = b"-"
    while data:
        try:
            data = source.recv(CHUNK_BYTES)
        except OSError:
            data = b""
        on_its_way.put((time.monotonic() + delay_s, data))


def _sent(target: socket.socket, data: bytes) -> bool:
    try:
        target.sendall(data)
        return True
    except OSError:
        return False


def _shut(end: socket.socket) -> None:
    """Shuts a connection down, which ends the waits of threads. The last thread to release it closes it."""
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
