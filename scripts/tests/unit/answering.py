"""A controller that is a function."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Callable, Iterator


@contextmanager
def answering(answer: Callable[[str], tuple[int, Any]]) -> Iterator[int]:
    """Answers GET with status and JSON, by path with query; gives the port on loopback, as long as the block lasts."""
    with answering_all(lambda method, path, body: answer(path)) as port:
        yield port


@contextmanager
def answering_all(answer: Callable[[str, str, Any], tuple[int, Any]]) -> Iterator[int]:
    """The same for GET, POST and DELETE, by method, path with query, and what the request's JSON says or None."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, body = answer(self.command, self.path, json.loads(sent) if sent else None)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        do_POST = do_DELETE = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
