"""A client of the controller's REST interface."""

from __future__ import annotations

import http.client
import json
import shlex
from contextlib import contextmanager
from typing import Any, Iterator

from base.errors import MissingError, ScriptError, UsageError


class RestError(ScriptError):
    """The controller refused a request. status: 0 if there was no answer."""

    def __init__(self, text: str, status: int, body: Any = None) -> None:
        super().__init__(text)
        self.status = status
        self.body = body


@contextmanager
def asking(client: RestClient) -> Iterator[None]:
    """Around requests on a user's behalf: MissingError if no controller answers, UsageError if a value is none (400)."""
    try:
        yield
    except RestError as error:
        if error.status == 0:
            raise MissingError(f"no controller answers at {client.host}:{client.port}") from None
        if error.status == 400 and isinstance(error.body, dict):
            raise UsageError(str(error.body.get("error"))) from None
        raise


class RestClient:
    """Talks JSON to one controller. Connections are not kept, so it is safe for several threads."""

    def __init__(self, host: str, port: int, timeout_s: float = 10) -> None:
        self.host = host
        self.port = port
        self.timeout_s = timeout_s

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self.call("POST", path, body)

    def put(self, path: str, body: dict[str, Any]) -> Any:
        return self.call("PUT", path, body)

    def delete(self, path: str) -> Any:
        return self.call("DELETE", path)

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The answer's JSON, None if it is empty. Raises RestError unless the status is 2xx."""
        status, text = self._exchange(method, path, body)
        try:
            parsed = json.loads(text) if text.strip() else None
        except ValueError:
            raise RestError(f"{method} {path}: the answer is not JSON: {text[:80]!r}", status) from None
        if not 200 <= status < 300:
            reason = parsed.get("error") if isinstance(parsed, dict) else text.strip()[:120]
            raise RestError(f"{method} {path}: {status}: {reason}", status, parsed)
        return parsed

    def get_text(self, path: str) -> str:
        """The answer as it is, a picture for example. Raises RestError unless the status is 2xx."""
        status, text = self._exchange("GET", path, None)
        if not 200 <= status < 300:
            raise RestError(f"GET {path}: {status}: {text.strip()[:120]}", status)
        return text

    def _exchange(self, method: str, path: str, body: "dict[str, Any] | None") -> "tuple[int, str]":
        data = None if body is None else json.dumps(body)
        headers = {} if data is None else {"Content-Type": "application/json"}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=self.timeout_s)
        try:
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise RestError(f"{method} {path}: no answer from the controller ({error})", 0) from None
        finally:
            connection.close()

    def answers(self) -> bool:
        """Whether the controller says that it is healthy."""
        try:
            return bool(self.get("/wm/core/health/json").get("healthy"))
        except (RestError, AttributeError):
            return False

    def switch_count(self) -> int:
        """How many switches are connected; 0 if there is no answer."""
        try:
            return len(self.get("/wm/core/controller/switches/json"))
        except RestError:
            return 0

    def link_count(self) -> int:
        """How many links between switches are known in both directions; 0 if there is no answer."""
        try:
            links = self.get("/wm/topology/links/json")
        except RestError:
            return 0
        directions = set()
        for link in links:
            ends = (link["src-switch"], link["src-port"]), (link["dst-switch"], link["dst-port"])
            directions.add(ends)
            if link["direction"] == "bidirectional":
                directions.add(ends[::-1])
        return sum(1 for first, second in directions if first < second and (second, first) in directions)

    def curl_line(self, method: str, path: str, body: dict[str, Any] | None = None) -> str:
        """The same request as a command for a shell."""
        words = ["curl"]
        if method not in ("GET", "POST"):
            words += ["-X", method]
        if body is not None:
            words += ["-d", shlex.quote(json.dumps(body))]
        return " ".join([*words, f"http://{self.host}:{self.port}{path}"])
