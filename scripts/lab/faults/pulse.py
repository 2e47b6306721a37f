"""A connection with one request at a time, which measures the duration of each answer; run on an emulated host.

`pulse.py serve PORT` answers each line with the number of segments that its end has retransmitted;
`pulse.py ask ADDRESS PORT EVERY_S` sends requests over one connection. For each line on its standard input, and when the
connection fails, it prints as JSON since the last time: the number of answers, the longest duration, and the segments that
each end has retransmitted. Standard library only.
"""

from __future__ import annotations

import json
import select
import socket
import socketserver
import struct
import sys
import time

#: the offset of tcpi_total_retrans in struct tcp_info of the kernel's API
_RETRANSMITTED = 100


def _retransmitted(connection: socket.socket) -> int:
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RETRANSMITTED + 4)
    return int(struct.unpack_from("I", info, _RETRANSMITTED)[0])


class _Answer(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        try:
            for _ in self.rfile:
                self.request.sendall(b"%d\n" % _retransmitted(self.request))
        except OSError:
            # the client reports it
            pass


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def serve(port: int) -> None:
    with _Server(("0.0.0.0", port), _Answer) as server:
        print("listens at", server.server_address[1], flush=True)
        server.serve_forever()


class _Beats:
    """The values since the last report."""

    def __init__(self) -> None:
        self._before = self.now = (0, 0)
        self.answers, self.longest_s = 0, 0.0

    def report(self, error: str | None) -> None:
        here, there = (now - before for now, before in zip(self.now, self._before))
        print(
            json.dumps(
                {
                    "answers": self.answers,
                    "longest_ms": round(1000 * self.longest_s, 1),
                    "error": error,
                    "retransmitted": here,
                    "retransmitted_back": there,
                }
            ),
            flush=True,
        )
        self._before, self.answers, self.longest_s = self.now, 0, 0.0


def ask(address: str, port: int, every_s: float) -> None:
    beats = _Beats()
    try:
        with socket.create_connection((address, port), 10) as connection, connection.makefile("rb") as lines:
            connection.settimeout(60)
            while True:
                began = time.monotonic()
                connection.sendall(b"?\n")
                answer = lines.readline()
                if not answer:
                    raise ConnectionError("closed")
                beats.now = _retransmitted(connection), int(answer)
                beats.answers += 1
                beats.longest_s = max(beats.longest_s, time.monotonic() - began)
                if select.select([sys.stdin], [], [], every_s)[0]:
                    if not sys.stdin.buffer.raw.readline():  # type: ignore[union-attr]
                        return
                    beats.report(None)
    except OSError as problem:
        beats.report(str(problem))


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    else:
        ask(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
