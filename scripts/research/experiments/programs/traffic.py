"""One host's part of a traffic pattern: connections that send as much as possible, and their receivers.

Reads a line of JSON: "protocol" (6 for TCP, 262 for MPTCP), "receive" (a list of id, port) and "send" (a list of id, from, to,
port); says "ready" once it listens; reads a second line: "begin", "count_from" and "count_to" by the monotonic clock,
which all hosts of an emulated network share. Then it connects, sends and receives until "count_to", and prints one
line: "received" (by id: bytes received between the two), "subflows" (by id of a sending connection: their number halfway) and
"errors" (by id). Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, Callable

_MPTCP = 262
_SOL_MPTCP, _MPTCP_INFO = 284, 1
_CONNECT_PATIENCE_S = 10.0
_BLOCK = 64 * 1024


class Traffic:
    """The sockets of one host; one thread for each connection."""

    def __init__(self, orders: Mapping[str, Any]) -> None:
        self._protocol = orders["protocol"]
        self._sends = orders["send"]
        self._listening = {order["id"]: self._listen(order["port"]) for order in orders["receive"]}
        self.result: dict[str, dict[str, Any]] = {"received": {}, "subflows": {}, "errors": {}}

    def run(self, begin: float, count_from: float, count_to: float) -> None:
        """Returns a little after count_to."""
        threads = [self._thread(name, self._receive, name, listening, count_from, count_to) for name, listening in self._listening.items()]
        time.sleep(max(0.0, begin - time.monotonic()))
        threads += [self._thread(order["id"], self._send, order, (count_from + count_to) / 2, count_to) for order in self._sends]
        for thread in threads:
            thread.join()

    def _thread(self, name: str, action: Callable[..., None], *arguments: Any) -> threading.Thread:
        def guarded() -> None:
            try:
                action(*arguments)
            except OSError as error:
                self.result["errors"][name] = str(error)

        thread = threading.Thread(target=guarded)
        thread.start()
        return thread

    def _socket(self) -> socket.socket:
        return socket.socket(socket.AF_INET, socket.SOCK_STREAM, self._protocol)

    def _listen(self, port: int) -> socket.socket:
        listening = self._socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("", port))
        listening.listen()
        return listening

    def _receive(self, name: str, listening: socket.socket, count_from: float, count_to: float) -> None:
        # it listens until the end: the kernel accepts further sub-flows of a connection only while a socket listens
        with listening:
            listening.settimeout(max(0.1, count_to - time.monotonic()))
            with listening.accept()[0] as connection:
                self._count(name, connection, count_from, count_to)

    def _count(self, name: str, connection: socket.socket, count_from: float, count_to: float) -> None:
        """Counts the bytes received between the two times, also those of a connection that fails in between."""
        block = bytearray(4 * _BLOCK)
        received = self.result["received"]
        received[name] = 0
        left_s = count_to - time.monotonic()
        while left_s > 0:
            connection.settimeout(left_s)
            try:
                size = connection.recv_into(block)
            except socket.timeout:
                break
            except ConnectionError:
                # the sender resets at the end, too, and may be the first
                if time.monotonic() < count_to:
                    raise
                break
            now = time.monotonic()
            if not size and now < count_to:
                raise OSError("the sender has ended the connection")
            if count_from <= now < count_to:
                received[name] += size
            left_s = count_to - now
        _reset_at_close(connection)

    def _send(self, order: Mapping[str, Any], halfway: float, count_to: float) -> None:
        block = bytes(_BLOCK)
        with self._socket() as connection:
            connection.settimeout(_CONNECT_PATIENCE_S)
            connection.bind((order["from"], 0))
            connection.connect((order["to"], order["port"]))
            looked = False
            left_s = count_to - time.monotonic()
            while left_s > 0:
                if not looked and time.monotonic() >= halfway:
                    looked = True
                    self.result["subflows"][order["id"]] = self._subflows(connection)
                connection.settimeout(min(left_s, 0.5))
                try:
                    connection.send(block)
                except socket.timeout:
                    pass
                except ConnectionError:
                    if count_to - time.monotonic() > 0.05:
                        raise
                left_s = count_to - time.monotonic()
            _reset_at_close(connection)

    def _subflows(self, connection: socket.socket) -> int:
        if self._protocol != _MPTCP:
            return 1
        try:
            # the first byte of struct mptcp_info: the number besides the first sub-flow
            return 1 + connection.getsockopt(_SOL_MPTCP, _MPTCP_INFO, 1)[0]
        except OSError:
            # the error of a connection that has fallen back to TCP
            return 1


def _reset_at_close(connection: socket.socket) -> None:
    """Discards data in transit, so that none is left for the next pattern."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def main() -> None:
    traffic = Traffic(json.loads(sys.stdin.readline()))
    print("ready", flush=True)
    times = json.loads(sys.stdin.readline())
    traffic.run(times["begin"], times["count_from"], times["count_to"])
    print(json.dumps(traffic.result), flush=True)


if __name__ == "__main__":
    main()
