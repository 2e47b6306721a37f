"""Problems that keep a load balancer from working, as sentences with a remedy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from malob.rest.state import State


def problems(state: State) -> list[str]:
    """One sentence or two for each problem: switches first, then VIPs, pools and members."""
    return [*_switches(state), *_vips(state), *_members(state)]


def _switches(state: State) -> Iterator[str]:
    if not state.snapshot["switches"]:
        yield "No switch is connected. Set the controller of your switches to this machine and its OpenFlow port (6653)."


def _vips(state: State) -> Iterator[str]:
    for vip in state.vips:
        pools = [state.pools[pool] for pool in vip["pools"] if pool in state.pools]
        if not pools:
            yield f"VIP {vip['id']} has no pool and rejects its clients. Add one: ./malob pool add ID --vip {vip['id']}"
        for pool in pools:
            if not pool["stats"]["members"]:
                yield (
                    f"Pool {pool['id']} of VIP {vip['id']} has no members and rejects its clients."
                    f" Add one: ./malob member add ID --address ADDRESS --pool {pool['id']}"
                )


def _members(state: State) -> Iterator[str]:
    health = {member["id"]: member["health"] for pool in state.pools.values() for member in pool["stats"]["members"]}
    for server in state.snapshot["servers"]:
        name = f"Member {server['id']} ({_place(server)})"
        if server["pool_id"] is None:
            yield f"{name} is in no pool and gets no connections. Add it to one: ./malob member set {server['id']} --pool POOL"
        elif not server["located"]:
            yield (
                f"{name} is not located and gets no connections: no switch has seen a packet from that address."
                " Check the address, or ping something from that server."
            )
        elif health.get(server["id"]) == "down":
            yield f"{name} is down: it fails its health checks. Check that the service runs and listens on {_port(server)}."
        elif health.get(server["id"]) == "ejected":
            yield f"{name} gets no new connections for a while: clients got no answer. Check that the service runs and listens on {_port(server)}."


def _place(server: Mapping[str, Any]) -> str:
    return server["address"] if server["port"] is None else f"{server['address']}:{server['port']}"


def _port(server: Mapping[str, Any]) -> str:
    return "the VIP's port" if server["port"] is None else f"port {server['port']}"
