"""The container's health check: whether the controller answers on its REST port, over HTTP or HTTPS.

usage: healthcheck.py [PORT]

It asks itself, so it checks no certificate. A controller that wants clients' certificates refuses this one with an alert of TLS, or
closes the connection after the handshake: that is an answer of a running controller, too.
"""

from __future__ import annotations

import http.client
import ssl
import sys

_PATH = "/wm/core/health/json"
_PATIENCE_S = 2.0
_HOST = "127.0.0.1"


def healthy(port: int) -> bool:
    try:
        return _answers(http.client.HTTPConnection(_HOST, port, timeout=_PATIENCE_S))
    except (ConnectionResetError, http.client.HTTPException):
        pass  # as a port with TLS answers plain text
    except OSError:
        return False
    try:
        return _over_tls(port)
    except (OSError, http.client.HTTPException):
        return False


def _over_tls(port: int) -> bool:
    unchecked = ssl.create_default_context()
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    connection = http.client.HTTPSConnection(_HOST, port, timeout=_PATIENCE_S, context=unchecked)
    try:
        connection.connect()
    except ssl.SSLError as error:
        return "ALERT" in str(error.reason)
    try:
        return _answers(connection)
    except (ssl.SSLError, ConnectionError):
        return True


def _answers(connection: http.client.HTTPConnection) -> bool:
    try:
        connection.request("GET", _PATH)
        return connection.getresponse().status == 200
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(0 if healthy(int(sys.argv[1]) if len(sys.argv) > 1 else 8080) else 1)
