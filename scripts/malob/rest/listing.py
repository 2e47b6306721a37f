"""Asks a controller for connections, page by page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from malob.rest.client import RestClient

MAX_PAGE_SIZE = 1000


def read(client: RestClient, filters: Mapping[str, str], limit: int) -> dict[str, Any]:
    """Up to limit connections, in the controller's own JSON; next: not None if there are more. Raises RestError."""
    connections: list[dict[str, Any]] = []
    following = None
    while True:
        query = {**filters, "limit": str(min(limit - len(connections), MAX_PAGE_SIZE))}
        if following is not None:
            query["next"] = following
        page = client.get("/wm/malob/connections?" + urlencode(query))
        connections += page["connections"]
        following = page["next"]
        if following is None or len(connections) >= limit:
            return {"connections": connections, "next": following}
