"""Talks over TCP for as long as it lasts, in lines, for the tests of end hosts.

talker.py serve NAME PORT [--datagrams ADDRESS]: each line that comes is answered by NAME; so is each datagram to that address.
talker.py hold ADDRESS PORT [--bind ADDRESS] [--every SECONDS]: sends lines over one connection and prints, as JSON, who
answered each, and at last how it ended. What comes in on stdin after "quit" ends it in order.
"""

import argparse
import errno
import json
import select
import socket
import socketserver
import sys
import threading
import time


class _Answer(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        try:
            for _ in self.rfile:
                self.wfile.write(self.server.answer)  # type: ignore[attr-defined]
        except OSError:
            # the client's end of it is what is tested
            pass


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Echo(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request[1].sendto(self.request[0], self.client_address)


def serve(name: str, port: int, datagrams: "str | None") -> None:
    if datagrams:
        threading.Thread(target=socketserver.UDPServer((datagrams, port), _Echo).serve_forever, daemon=True).start()
    with _Server6(("::", port), _Answer) as server:
        server.answer = name.encode() + b"\n"  # type: ignore[attr-defined]
        server.serve_forever()


def hold(address: str, port: int, bind: "str | None", every_s: float) -> None:
    try:
        connection = socket.create_connection((address, port), 20, (bind, 0) if bind else None)
        # on a slow machine, a broken uplink and the pauses of TCP's retransmissions take longer than that
        connection.settimeout(90)
        _tell(local=connection.getsockname()[0])
        lines = connection.makefile("rb")
        while not select.select([sys.stdin], [], [], every_s)[0]:
            connection.sendall(b"line\n")
            answer = lines.readline()
            if not answer:
                _tell(end="closed")
                return
            _tell(by=answer.decode().strip())
        _tell(end="quit")
    except OSError as error:
        _tell(end=errno.errorcode.get(error.errno or 0, str(error)))


def _tell(**event: str) -> None:
    print(json.dumps({"at": time.monotonic(), **event}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    server = commands.add_parser("serve")
    server.add_argument("name")
    server.add_argument("port", type=int)
    server.add_argument("--datagrams")
    server.set_defaults(run=lambda told: serve(told.name, told.port, told.datagrams))
    client = commands.add_parser("hold")
    client.add_argument("address")
    client.add_argument("port", type=int)
    client.add_argument("--bind")
    client.add_argument("--every", type=float, default=0.1)
    client.set_defaults(run=lambda told: hold(told.address, told.port, told.bind, told.every))
    told = parser.parse_args()
    told.run(told)


if __name__ == "__main__":
    main()
