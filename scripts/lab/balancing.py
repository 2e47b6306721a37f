"""Sets up a virtual IP over REST, and reads how its servers are used."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable

from malob.network.hosts import Host
from malob.network.topology import Topology
from malob.rest.client import RestClient, RestError
from malob.system.waiting import wait_until

BASE = "/quantum/v1.0"

#: The placements of a VIP: the modes in REST, of which tracked is one by shares, and one by the controller's choice of each connection.
REACTIVE, PROACTIVE, AUTO, TRACKED, EXACT = "reactive", "proactive", "auto", "tracked", "exact"

#: Those whose VIPs have buckets in switches.
WITH_BUCKETS = (PROACTIVE, TRACKED, EXACT)

#: The fields of a VIP with a placement. The default is left out: Floodlight's own balancer does not have the field.
_FIELDS: dict[str, dict[str, Any]] = {
    REACTIVE: {},
    PROACTIVE: {"placement": PROACTIVE},
    AUTO: {"placement": AUTO},
    TRACKED: {"placement": TRACKED, "auto_per_second": 0},
    EXACT: {"placement": TRACKED, "auto_per_second": 10_000_000},
}


def placed(placement: str) -> dict[str, Any]:
    """The fields of a VIP with that placement."""
    return _FIELDS[placement]


@dataclass(frozen=True)
class VirtualServer:
    """A VIP with one pool. pool_id: also the VIP's id. members: server name by member id."""

    address: str
    port: int
    pool_id: str
    members: Mapping[str, str]


def set_up(
    rest: RestClient,
    address: str,
    port: int,
    servers: Sequence[Host],
    member_port: int | None = None,
    protocol: str = "tcp",
    algorithm: str = "RR",
    tell: Callable[[str], None] = lambda line: None,
    key: str = "1",
    named: bool = False,
    placement: str = REACTIVE,
) -> VirtualServer:
    """Creates a VIP, its pool, which uses the algorithm, and a member for each server, all in the address's family.

    member_port: the servers' port if it differs from the VIP's. key: the id of VIP and pool, and the prefix of the members'
    ids. named: VIP and pool are named by the key, and members by their servers' names. tell: called with each request as a
    curl line. placement: not awaited, see wait_for_proactive(). Raises RestError if a request is rejected.
    """

    def post(kind: str, body: dict[str, Any]) -> Any:
        tell(rest.curl_line("POST", f"{BASE}/{kind}/", body))
        return rest.post(f"{BASE}/{kind}/", body)

    post("vips", {"id": key, "name": key if named else f"vip{key}", "protocol": protocol, "address": address, "port": str(port), **placed(placement)})
    post("pools", {"id": key, "name": key if named else f"pool{key}", "protocol": protocol, "vip_id": key, "lb_method": algorithm})
    members = {}
    for number, server in enumerate(servers, start=1):
        member = server.name if named else f"{key}{number}"
        post("members", {"id": member, "address": server.ip_beside(address), "port": str(member_port or port), "pool_id": key})
        members[member] = server.name
    return VirtualServer(address, port, key, members)


def all_located(rest: RestClient, virtual: VirtualServer) -> bool:
    """Whether the balancer knows where all servers are attached; it asks the network for the others."""
    return all(member["located"] for member in rest.get(f"{BASE}/pools/{virtual.pool_id}/stats/")["members"])


def placement_state(rest: RestClient) -> list[Any]:
    """The state of each VIP that is or may become proactive, as the controller reports it. Raises RestError."""
    state: list[Any] = rest.get("/wm/malob/placement")
    return state


def wait_for_proactive(rest: RestClient, vip_id: str, timeout_s: float = 60, switches: Collection[str] = ()) -> None:
    """Returns once a VIP is proactive on all its edges. Raises ScriptError after timeout_s, with what is not.

    switches: datapath ids of those that must be among the edges; others become edges when they have hosts.
    """
    wait_until(
        lambda: not not_proactive(placement_state(rest), vip_id, switches),
        f"VIP {vip_id} to be proactive",
        timeout_s,
        detail=lambda: not_proactive(placement_state(rest), vip_id, switches),
    )


def not_proactive(state: Sequence[Any], vip_id: str, switches: Collection[str] = ()) -> str:
    """What is not proactive yet; empty if the VIP is proactive on all its edges. state: of placement_state()."""
    vip = next((each for each in state if each["vip_id"] == vip_id), None)
    if vip is None:
        return "the controller reports no placement for it"
    if vip["state"] != PROACTIVE:
        return f"it is {vip['state']}"
    if not vip["edges"]:
        return "it has no edges"
    absent = set(switches) - {edge["switch"] for edge in vip["edges"]}
    if absent:
        return f"{', '.join(sorted(absent))} is no edge yet"
    return ", ".join(f"{edge['switch']} is {edge['state']}" for edge in vip["edges"] if edge["state"] != PROACTIVE)


def moving_buckets(state: Sequence[Any], vip_id: str) -> int:
    """The number of a VIP's buckets that are moving, on all edges. state: of placement_state()."""
    return sum(edge["moving"] for vip in state if vip["vip_id"] == vip_id for edge in vip["edges"])


def open_connections(rest: RestClient, virtual: VirtualServer) -> dict[str, int]:
    """The number of open connections by server, from the balancer; empty if it does not answer."""
    try:
        stats = rest.get(f"{BASE}/pools/{virtual.pool_id}/stats/")
    except RestError:
        return {}
    return {virtual.members[member["id"]]: member["active_connections"] for member in stats["members"]}


def paths(rest: RestClient, network: Topology) -> dict[tuple[str, str], list[str]]:
    """The switches on the path of requests, by client and server, from the balancer; empty if it does not answer."""
    try:
        used = rest.get("/wm/malob/paths")
    except RestError:
        return {}
    names = {dpid: name for name, dpid in network.switches.items()}
    by_ends: dict[tuple[str, str], list[str]] = {}
    for path in used:  # the most used path first
        switches = [names.get(dpid, dpid) for dpid in path["switches"]]
        by_ends.setdefault((switches[0], switches[-1]), switches)
    found = {}
    for client in network.with_role("client"):
        for server in network.with_role("server"):
            same = [client.switch] if client.switch == server.switch else []
            found[client.name, server.name] = by_ends.get((client.switch, server.switch), same)
    return found
