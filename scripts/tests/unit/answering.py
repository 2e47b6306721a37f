"""A controller that is a function."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Callable


@dataclass(frozen=True)
class Request:
    """What was sent. headers: by name in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text) if self.text else None


#: Status, body (JSON, or a string unchanged), headers.
Reply = tuple[int, Any, Mapping[str, str]]


@contextmanager
def answering(answer: Callable[[str], tuple[int, Any]]) -> Iterator[int]:
    """Answers GET with status and JSON, by path with query; gives the port on loopback, as long as the block lasts."""
    with answering_all(lambda method, path, body: answer(path)) as port:
        yield port


@contextmanager
def answering_all(answer: Callable[[str, str, Any], tuple[int, Any]]) -> Iterator[int]:
    """The same for all methods, by method, path with query, and what the request's JSON says or None."""
    with serving(lambda request: (*answer(request.method, request.path, request.json), {})) as port:
        yield port


@contextmanager
def serving(answer: Callable[[Request], Reply]) -> Iterator[int]:
    """The same by all that was sent, with headers to the answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, body, more = answer(Request(self.command, self.path, headers, sent))
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write((body if isinstance(body, str) else json.dumps(body)).encode())

        do_POST = do_PUT = do_DELETE = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
