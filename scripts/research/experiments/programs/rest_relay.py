"""Forwards requests to a REST interface that is only reachable on the host on which this runs.

usage: rest_relay.py PORT

Reads a line of JSON for each request: "method", "path", "body" (an object, or null) and "headers"; answers each with a line: "status"
(0 if there was no answer) and "text". Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import http.client
import json
import sys

_PATIENCE_S = 10


def exchange(port: int, method: str, path: str, body: object, headers: dict[str, str]) -> dict[str, object]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
    try:
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        return {"status": answer.status, "text": answer.read().decode("utf-8", "replace")}
    except (OSError, http.client.HTTPException) as error:
        return {"status": 0, "text": str(error)}
    finally:
        connection.close()


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(exchange(int(sys.argv[1]), asked["method"], asked["path"], asked["body"], asked["headers"])), flush=True)


if __name__ == "__main__":
    main()
