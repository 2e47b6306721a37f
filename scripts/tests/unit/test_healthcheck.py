from __future__ import annotations

import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from malob.system.place import ROOT

_PROGRAM = ROOT / "packaging" / "healthcheck.py"


class _Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/wm/core/health/json" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Failing(_Health):
    def do_GET(self) -> None:
        self.send_error(503)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A handshake that fails is no error here."""


class HealthCheckTest(unittest.TestCase):
    """The container's health check against servers of each kind."""

    def serve(self, handler: type[BaseHTTPRequestHandler] = _Health, tls: ssl.SSLContext | None = None) -> int:
        server = _Server(("127.0.0.1", 0), handler)
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_port

    def tls(self, *versions: ssl.TLSVersion, clients: bool = False) -> ssl.SSLContext:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        own, key = Path(directory.name, "own.pem"), Path(directory.name, "own.key")
        words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=controller -keyout"
        subprocess.run([*words.split(), str(key), "-out", str(own)], check=True, capture_output=True, timeout=30)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(own, key)
        for version in versions:
            context.minimum_version = context.maximum_version = version
        if clients:
            context.load_verify_locations(own)
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def check(self, port: int) -> int:
        return subprocess.run([sys.executable, "-I", str(_PROGRAM), str(port)], timeout=30).returncode

    def test_controller_over_http_is_healthy(self) -> None:
        self.assertEqual(0, self.check(self.serve()))

    def test_controller_over_https_is_healthy(self) -> None:
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            for clients in (False, True):
                with self.subTest(version=version, clients=clients):
                    self.assertEqual(0, self.check(self.serve(tls=self.tls(version, clients=clients))))

    def test_no_answer_or_an_error_is_not_healthy(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as gone:
            port = gone.getsockname()[1]
        self.assertEqual(1, self.check(port))
        self.assertEqual(1, self.check(self.serve(_Failing)))
        self.assertEqual(1, self.check(self.serve(_Failing, self.tls())))
        with socket.create_server(("127.0.0.1", 0)) as silent:
            self.assertEqual(1, self.check(silent.getsockname()[1]))


if __name__ == "__main__":
    unittest.main()
