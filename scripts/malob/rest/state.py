"""What a controller knows, asked for once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from malob.rest.client import RestClient, RestError

_BALANCER = "/quantum/v1.0"


@dataclass(frozen=True)
class State:
    """The controller's own JSON.

    snapshot: /wm/malob/snapshot; pools: each with its statistics, by id; problems, placement, switches, cluster: of /wm/malob; cluster
    is None without one; missing_peers: controllers that the answering one does not reach.
    """

    snapshot: dict[str, Any]
    vips: list[dict[str, Any]]
    pools: dict[str, dict[str, Any]]
    problems: list[dict[str, Any]] = field(default_factory=list)
    placement: list[dict[str, Any]] = field(default_factory=list)
    switches: list[dict[str, Any]] = field(default_factory=list)
    cluster: dict[str, Any] | None = None
    missing_peers: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "pools": list(self.pools.values()), "missing_peers": list(self.missing_peers)}


def read(client: RestClient) -> State:
    """Asks the controller for all but problems, placement, switches and cluster. Raises RestError."""
    vips = client.get_all(f"{_BALANCER}/vips/")
    pools = {}
    for pool in client.get_all(f"{_BALANCER}/pools/"):
        try:
            stats = client.get(f"{_BALANCER}/pools/{pool['id']}/stats/")
        except RestError as error:
            if error.status == 404:
                continue  # deleted meanwhile
            raise
        pools[pool["id"]] = {**pool, "stats": stats}
    return State(client.get("/wm/malob/snapshot"), vips, pools)
