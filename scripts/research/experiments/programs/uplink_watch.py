"""Polls MALOB for the state of its uplinks; run as a program on its host, by its path. Standard library only.

Reads a line of JSON: "port" (of its REST interface) and "pause_s"; says "ready"; reads a second line: "begin" and "end" by the
monotonic clock. In between it polls, also if there is no answer, and then prints one line: a list of readings, each [when,
{uplink: [alive, capacity in bit/s or null]}]. An assumed capacity counts as null.
"""

from __future__ import annotations

import glob
import http.client
import json
import sys
import time
from typing import Any

_PATH = "/wm/malob/endhost"
#: The token, while MALOB is set up on this host.
_TOKENS = "/run/malob/endhost/*/token"


def headers() -> dict[str, str]:
    for file in glob.glob(_TOKENS):
        with open(file, encoding="ascii") as token:
            return {"Authorization": f"Bearer {token.read().strip()}"}
    return {}


def ask(connection: http.client.HTTPConnection) -> dict[str, list[Any]]:
    """Uplinks by name; none while MALOB does not run or is not configured."""
    try:
        connection.request("GET", _PATH, headers=headers())
        status = json.loads(connection.getresponse().read())
    except (OSError, ValueError, http.client.HTTPException):
        connection.close()
        return {}
    return {
        each["name"]: [each["alive"], None if each["capacity_source"] == "assumed" else each["capacity_bps"]] for each in status.get("uplinks", [])
    }


def main() -> None:
    orders = json.loads(sys.stdin.readline())
    print(json.dumps("ready"), flush=True)
    times = json.loads(sys.stdin.readline())
    connection = http.client.HTTPConnection("127.0.0.1", orders["port"], timeout=2)
    readings = []
    due = times["begin"]
    while due < times["end"]:
        time.sleep(max(0.0, due - time.monotonic()))
        found = ask(connection)
        if found:
            readings.append([time.monotonic(), found])
        due = max(due + orders["pause_s"], time.monotonic())
    print(json.dumps(readings), flush=True)


if __name__ == "__main__":
    main()
