"""Reads the controller's measurements and connections as experiments need them."""

from __future__ import annotations

from typing import Any

from lab.balancing import BASE
from lab.instance import Instance
from malob.rest.client import RestClient

#: The max use of an idle link, which carries probes and reports, and of an idle server.
_QUIET_SHARE, _QUIET_CPU = 0.05, 0.15
_QUIET_MBPS = 0.2

#: The max deviation of a latency above the link's setting.
_LATENCY_MS, _LATENCY_SHARE = 2.0, 0.2


def unknown(rest: RestClient, pool: str) -> str:
    """The first item that the controller does not know yet; empty if it knows all."""
    for member in rest.get(f"{BASE}/pools/{pool}/stats/")["members"]:
        if not member["located"]:
            return f"where {member['id']} is"
    for server in rest.get("/wm/malob/servers"):
        if server["cpu"] is None:
            return f"the CPU use of {server['id']}"
    for link in rest.get("/wm/malob/links"):
        for field in ("latency_ms", "use_mbps", "throughput_mbps", "capacity_mbps"):
            if link[field] is None:
                return f"{field} of the link from {link['src']['switch']} to {link['dst']['switch']}"
    return ""


def open_connections(rest: RestClient, pool: str) -> int:
    """The number of open connections that the balancer counts."""
    return sum(member["active_connections"] for member in rest.get(f"{BASE}/pools/{pool}/stats/")["members"])


def unsettled(rest: RestClient, lab: Instance, pool: str, since_s: float) -> str:
    """The first measurement that is older than since_s, or does not show an idle network; empty if there is none."""
    names = {dpid: name for name, dpid in lab.topology.switches.items()}
    for link in rest.get("/wm/malob/links"):
        ends = names[link["src"]["switch"]], names[link["dst"]["switch"]]
        expected_ms = lab.topology.link(*ends).direction(ends[0]).delay_ms or 0
        limits = {
            "use_mbps": max(_QUIET_MBPS, _QUIET_SHARE * _value(link["capacity_mbps"], 0)),
            "latency_ms": expected_ms * (1 + _LATENCY_SHARE) + _LATENCY_MS,
        }
        for field, limit in limits.items():
            if not _is_at_rest(link[field], limit, since_s):
                return f"{field} from {ends[0]} to {ends[1]} is {_value(link[field], None)}"
    for server in rest.get("/wm/malob/servers"):
        if not _is_at_rest(server["cpu"], _QUIET_CPU, since_s):
            return f"cpu of {server['id']} is {_value(server['cpu'], None)}"
    return ""


def _is_at_rest(measured: dict[str, Any] | None, limit: float, since_s: float) -> bool:
    return measured is not None and measured["age_s"] <= since_s and measured["value"] <= limit


def _value(measured: dict[str, Any] | None, default: Any) -> Any:
    return default if measured is None else measured["value"]
