"""The container's health check: whether the controller answers on its REST port, over HTTP or HTTPS.

usage: healthcheck.py [PORT]

It asks itself, so it checks no certificate. A controller that wants clients' certificates refuses this one during the handshake,
or right after it: that is an answer of a running controller, too.
"""

from __future__ import annotations

import http.client
import ssl
import sys

_PATH = "/wm/core/health/json"
_PATIENCE_S = 2.0
#: OpenSSL's names of a refusal for want of a certificate, in TLS 1.3 and 1.2.
_REFUSALS = ("CERTIFICATE_REQUIRED", "BAD_CERTIFICATE", "HANDSHAKE_FAILURE")


def healthy(port: int) -> bool:
    unchecked = ssl.create_default_context()
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    try:
        return _answers(http.client.HTTPSConnection("127.0.0.1", port, timeout=_PATIENCE_S, context=unchecked))
    except ssl.SSLError as error:
        if any(refusal in str(error.reason) for refusal in _REFUSALS):
            return True
    except (OSError, http.client.HTTPException):
        pass
    try:
        return _answers(http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S))
    except (OSError, http.client.HTTPException):
        return False


def _answers(connection: http.client.HTTPConnection) -> bool:
    try:
        connection.request("GET", _PATH)
        return connection.getresponse().status == 200
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(0 if healthy(int(sys.argv[1]) if len(sys.argv) > 1 else 8080) else 1)
