"""Holds TCP connections and opens new ones all the time; run as a program on an emulated host.

`connections.py ADDRESS PORT --hold N --every S --timeout S --seconds S` prints "ready" once N connections are open, and in the end
one line of JSON: `ended`, when each of those that ended did so, and `tried`, for each new one when it began and whether it was accepted.
Times are of the monotonic clock, which all of a machine share. Uses only the standard library and no other MALOB module.
"""

from __future__ import annotations

import argparse
import json
import selectors
import socket
import threading
import time


def _try(address: tuple[str, int], timeout_s: float, tried: list[tuple[float, bool]]) -> None:
    began = time.monotonic()
    try:
        socket.create_connection(address, timeout_s).close()
        tried.append((began, True))
    except OSError:
        tried.append((began, False))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("port", type=int)
    parser.add_argument("--hold", type=int, default=0)
    parser.add_argument("--every", type=float, default=0.1)
    parser.add_argument("--timeout", type=float, default=0.5)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    address = (options.address, options.port)
    waiting = selectors.DefaultSelector()
    for _ in range(options.hold):
        waiting.register(socket.create_connection(address, 5), selectors.EVENT_READ)
    print("ready", flush=True)
    ended: list[float] = []
    tried: list[tuple[float, bool]] = []
    threads: list[threading.Thread] = []
    begin = time.monotonic()
    for number in range(int(options.seconds / options.every)):
        thread = threading.Thread(target=_try, args=(address, options.timeout, tried))
        thread.start()
        threads.append(thread)
        while (left := begin + (number + 1) * options.every - time.monotonic()) > 0:
            for key, _ in waiting.select(left):
                ended.append(time.monotonic())
                waiting.unregister(key.fileobj)
            if not waiting.get_map():
                time.sleep(max(0.0, begin + (number + 1) * options.every - time.monotonic()))
    for thread in threads:
        thread.join()
    print(json.dumps({"ended": ended, "tried": sorted(tried)}))


if __name__ == "__main__":
    main()
