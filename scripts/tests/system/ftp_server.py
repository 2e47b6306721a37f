"""A small FTP server; run as a program on an emulated host.

`ftp_server.py NAME --announce ADDRESS` greets with its name, by IPv4 and IPv6, and serves files that clients have stored
before; it keeps them in memory. All of passive and active mode: EPSV, PASV (which names ADDRESS), PORT and EPRT (from port 20).
Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import argparse
import socket
import socketserver
from typing import Callable

_CONTROL_PORT = 21
_DATA_PORT = 20
_PATIENCE_S = 20

files: dict[str, bytes] = {}


class _Session(socketserver.StreamRequestHandler):
    server: _Server

    def setup(self) -> None:
        super().setup()
        #: opens the next data connection
        self._open: Callable[[], socket.socket] | None = None
        self._listener: socket.socket | None = None

    def handle(self) -> None:
        self._say(220, self.server.name)
        for line in self.rfile:
            command, _, argument = line.decode("ascii").strip().partition(" ")
            method = getattr(self, f"_on_{command.lower()}", None)
            if method is None:
                self._say(502, "not known here")
            else:
                method(argument)
            if command.upper() == "QUIT":
                return

    def finish(self) -> None:
        if self._listener is not None:
            self._listener.close()
        super().finish()

    def _say(self, code: int, text: str) -> None:
        self.wfile.write(f"{code} {text}\r\n".encode("ascii"))

    def _on_user(self, _: str) -> None:
        self._say(331, "any password will do")

    def _on_pass(self, _: str) -> None:
        self._say(230, "welcome")

    def _on_type(self, _: str) -> None:
        self._say(200, "as you like")

    def _on_noop(self, _: str) -> None:
        self._say(200, "nothing done")

    def _on_quit(self, _: str) -> None:
        self._say(221, "goodbye")

    def _on_epsv(self, _: str) -> None:
        self._say(229, f"(|||{self._listen()}|)")

    def _on_pasv(self, _: str) -> None:
        port = self._listen()
        numbers = [*self.server.announce.split("."), str(port >> 8), str(port & 0xFF)]
        self._say(227, f"({','.join(numbers)})")

    def _listen(self) -> int:
        if self._listener is not None:
            self._listener.close()
        listener = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        listener.settimeout(_PATIENCE_S)
        self._listener = listener
        self._open = lambda: listener.accept()[0]
        return int(listener.getsockname()[1])

    def _on_port(self, argument: str) -> None:
        numbers = argument.split(",")
        self._will_connect(".".join(numbers[:4]), int(numbers[4]) << 8 | int(numbers[5]))

    def _on_eprt(self, argument: str) -> None:
        _, _, address, port, _ = argument.split(argument[0])
        self._will_connect(address, int(port))

    def _will_connect(self, address: str, port: int) -> None:
        def connect() -> socket.socket:
            data = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
            data.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            data.bind(("", _DATA_PORT))
            data.settimeout(_PATIENCE_S)
            data.connect((address, port))
            return data

        self._open = connect
        self._say(200, "I shall call you")

    def _on_stor(self, name: str) -> None:
        data = self._data()
        if data is not None:
            with data, data.makefile("rb") as source:
                files[name] = source.read()
            self._say(226, "stored")

    def _on_retr(self, name: str) -> None:
        data = self._data()
        if data is not None:
            with data:
                data.sendall(files[name])
            self._say(226, "sent")

    def _data(self) -> socket.socket | None:
        self._say(150, "opening a data connection")
        try:
            assert self._open is not None
            return self._open()
        except OSError as error:
            self._say(425, f"no data connection: {error}")
            return None


class _Server(socketserver.ThreadingTCPServer):
    address_family = socket.AF_INET6
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, name: str, announce: str) -> None:
        super().__init__(("::", _CONTROL_PORT), _Session)
        self.name = name
        self.announce = announce

    def server_bind(self) -> None:
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serves FTP.")
    parser.add_argument("name")
    parser.add_argument("--announce", required=True, metavar="ADDRESS")
    arguments = parser.parse_args()
    _Server(arguments.name, arguments.announce).serve_forever()


if __name__ == "__main__":
    main()
