"""Uses the processor time that a request asks for, then answers with its name and as many bytes; run as a program on an emulated host.

`work_server.py NAME PORT`: a request is a line, "CPU_SECONDS BYTES". Requests are threads: they share what their process
gets. Standard library only, and nothing else of MALOB: it is started by its path.
"""

from __future__ import annotations

import socketserver
import sys
import time


class _Request(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        words = self.rfile.readline().split()
        if len(words) == 2:
            _compute(float(words[0]))
            self.wfile.write(f"{self.server.name}\n".encode() + bytes(int(words[1])))  # type: ignore[attr-defined]


def _compute(cpu_s: float) -> None:
    until = time.thread_time() + cpu_s
    while time.thread_time() < until:
        sum(range(200))


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, name: str, port: int) -> None:
        super().__init__(("0.0.0.0", port), _Request)
        self.name = name


def main() -> None:
    with Server(sys.argv[1], int(sys.argv[2])) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
