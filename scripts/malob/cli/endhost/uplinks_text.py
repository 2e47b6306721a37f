"""The output of `status` as lines. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from malob.cli import table
from malob.cli.status import latency

_HEADER = ["uplink", "state", "address", "gateway", "capacity", "from", "received", "sent", "round trip", "open", "flows", "reset", "moved"]


def lines(status: Mapping[str, Any]) -> list[str]:
    """status: the controller's document."""
    rows = [_row(uplink) for uplink in status["uplinks"]]
    flows = status["flows"]
    refused = sum(flows.get("refused", {}).values())
    default = status.get("default_uplink") or "the first that is alive"
    return [
        f"algorithm {status['algorithm']}, {flows['open']} flows open, {flows['total']} in all"
        + (f", {refused} refused" if refused else "")
        + f"; default uplink: {default}",
        "",
        *table.render(_HEADER, rows, right=range(4, len(_HEADER))),
    ]


def _row(uplink: Mapping[str, Any]) -> list[str]:
    flows = uplink["flows"]
    trip = uplink.get("round_trip_ms")
    return [
        uplink["name"],
        "avoided" if uplink["alive"] and uplink["avoided"] else "alive" if uplink["alive"] else "dead",
        uplink["ipv4"] or uplink["ipv6"] or "none",
        uplink["gateway_ipv4"] or uplink["gateway_ipv6"] or "none",
        rate(uplink.get("capacity_bps")),
        uplink.get("capacity_source") or "unknown",
        rate(uplink.get("rate_bps")),
        rate(uplink.get("sent_bps")),
        "unknown" if trip is None else f"{latency(trip, 1)} ms",
        str(flows["open"]),
        str(flows["total"]),
        str(flows["reset"]),
        str(flows["moved"]),
    ]


def rate(bps: float | None) -> str:
    """A rate with about three digits."""
    if bps is None:
        return "unknown"
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bps >= size:
            return f"{bps / size:.3g} {unit}"
    return f"{bps:.0f} bit/s"
