"""Access to a REST interface that is only reachable in a network namespace."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Callable

from malob.rest.client import Answer
from malob.rest.local import RestClient, RestError
from malob.system.processes import bound_to_us

PROGRAM = Path(__file__).parent / "programs" / "rest_relay.py"


class RelayedRestClient(RestClient):
    """Like RestClient; a program in the namespace makes the requests, one at a time. Must be closed."""

    def __init__(self, inside: Callable[[Sequence[str]], list[str]], port: int, token: str | None = None) -> None:
        """inside: converts a command to run on the host."""
        super().__init__("127.0.0.1", port, token=token)
        self._turn = threading.Lock()
        self._relay = subprocess.Popen(
            bound_to_us(inside([sys.executable, "-I", str(PROGRAM), str(port)])),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _exchange(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> Answer:
        assert self._relay.stdin is not None and self._relay.stdout is not None
        with self._turn:
            try:
                self._relay.stdin.write(
                    json.dumps({"method": method, "path": path, "body": body and json.loads(body), "headers": dict(headers)}) + "\n"
                )
                self._relay.stdin.flush()
                answer = json.loads(self._relay.stdout.readline())
            except (OSError, ValueError) as error:
                raise RestError(f"{method} {path}: the relay has ended ({error})", 0) from None
        if answer["status"] == 0:
            raise RestError(f"{method} {path}: no answer from the controller ({answer['text']})", 0)
        return Answer(answer["status"], {}, answer["text"])

    def close(self) -> None:
        """Ends the program."""
        self._relay.kill()
        self._relay.communicate()
