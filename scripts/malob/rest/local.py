"""What end hosts, labs and tests ask of a controller on this machine."""

from __future__ import annotations

import json
import shlex
from typing import Any

import malob.rest.client
from malob.rest.client import RestError, Target, asking

__all__ = ["RestClient", "RestError", "asking"]


class RestClient(malob.rest.client.RestClient):
    """As malob.rest.client.RestClient, by host and port, with the questions that a network's set-up waits for."""

    def __init__(self, host: str, port: int, timeout_s: float = 10, token: str | None = None) -> None:
        super().__init__(Target("http", host, port, token), timeout_s)
        self.host = host
        self.port = port

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
        return " ".join([*words, f"{self.url}{path}"])
