"""The response time of a service, measured on the server itself."""

from __future__ import annotations

import http.client
import socket
import time
from dataclasses import dataclass
from typing import Any

from reporting.configuration import AgentError, number

#: The service runs but cannot serve. Not 501: a server without HEAD is healthy.
_BROKEN = (500, 502, 503, 504)


@dataclass(frozen=True)
class ResponseProbe:
    """Connects to a port; with a path it also sends an HTTP HEAD and waits for a status other than one of _BROKEN."""

    host: str
    port: int
    path: str
    timeout_s: float

    @staticmethod
    def of(fields: Any, address: str) -> ResponseProbe | None:
        """The probe that the field "response" describes; None without one. Raises AgentError if it is wrong."""
        if fields is None:
            return None
        if not isinstance(fields, dict) or set(fields) - {"port", "path", "timeout_s"}:
            raise AgentError("response: expected an object with port, optionally path and timeout_s")
        path = fields.get("path", "")
        if not isinstance(path, str) or (path and (not path.startswith("/") or not path.isprintable() or " " in path)):
            raise AgentError(f"response: path: expected a path that begins with /, not {path!r}")
        return ResponseProbe(address or "127.0.0.1", int(number(fields, "port", 0, 1, 65535)), path, number(fields, "timeout_s", 1, 0.01, 10))

    def measure_ms(self) -> float | None:
        """Milliseconds to the answer; None if there was none in time, or the service reported that it cannot serve."""
        began = time.perf_counter()
        try:
            if self.path:
                self._head()
            else:
                socket.create_connection((self.host, self.port), self.timeout_s).close()
        except (OSError, http.client.HTTPException):
            return None
        return (time.perf_counter() - began) * 1000

    def _head(self) -> None:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=self.timeout_s)
        try:
            connection.request("HEAD", self.path)
            status = connection.getresponse().status
            if status in _BROKEN:
                raise http.client.HTTPException(f"status {status}")
        finally:
            connection.close()
