"""A controller that does nothing but claim its switch, as Floodlight does: ROLE_MASTER with generation id 0."""

from __future__ import annotations

import socket
import struct
from types import TracebackType

_VERSION = 4  # OpenFlow 1.3
_HELLO, _ERROR, _ECHO_REQUEST, _ECHO_REPLY, _ROLE_REQUEST, _ROLE_REPLY = 0, 1, 2, 3, 24, 25
_ROLES = ("nochange", "equal", "master", "slave")
_HEADER = struct.Struct("!BBHI")
_ROLE = struct.Struct("!I4xQ")
PATIENCE_S = 15


class OtherController:
    """Listens on a port of its own, for one switch."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(PATIENCE_S)
        self._switch: socket.socket | None = None

    @property
    def endpoint(self) -> str:
        """Where the switch finds it, as HOST:PORT."""
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> OtherController:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.leave()
        self._listener.close()

    def accept(self) -> None:
        """Waits for the switch, and says hello."""
        self._switch, _ = self._listener.accept()
        self._switch.settimeout(PATIENCE_S)
        self._send(_HELLO, b"")

    def leave(self) -> None:
        """Closes the connection with the switch."""
        if self._switch is not None:
            self._switch.close()
            self._switch = None

    def role(self, wanted: str, generation: int = 0) -> str:
        """Asks for a role; returns the one that the switch answers with, or "refused"."""
        self._send(_ROLE_REQUEST, _ROLE.pack(_ROLES.index(wanted), generation))
        while True:
            kind, body = self._next()
            if kind == _ROLE_REPLY:
                return _ROLES[_ROLE.unpack(body)[0]]
            if kind == _ERROR:
                return "refused"

    def _send(self, kind: int, body: bytes, xid: int = 7) -> None:
        assert self._switch is not None
        self._switch.sendall(_HEADER.pack(_VERSION, kind, _HEADER.size + len(body), xid) + body)

    def _next(self) -> tuple[int, bytes]:
        """The next message that is no echo request: those are answered."""
        while True:
            _, kind, length, xid = _HEADER.unpack(self._read(_HEADER.size))
            body = self._read(length - _HEADER.size)
            if kind != _ECHO_REQUEST:
                return kind, body
            self._send(_ECHO_REPLY, body, xid)

    def _read(self, count: int) -> bytes:
        assert self._switch is not None
        parts = b""
        while len(parts) < count:
            part = self._switch.recv(count - len(parts))
            if not part:
                raise ConnectionError("the switch has closed the connection")
            parts += part
        return parts
