"""The state of a controller as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from malob.cli.status.values import RESOLUTION_MS, SERVER_VALUES
from malob.cli.table import render
from malob.rest.state import State

UNKNOWN = "-"


def tables(state: State) -> list[str]:
    """Lines: controllers, switches, links, virtual addresses, their buckets, members; units are in the headings, and '-' means unknown."""
    lines = [
        f"{len(state.snapshot['switches'])} switches, {len(state.snapshot['links'])} directed links, "
        f"{len(state.vips)} virtual addresses, {len(state.snapshot['servers'])} members; {state.snapshot['time']}"
    ]
    for table in (_cluster(state), _switches(state), link_table(state.snapshot["links"]), _vips(state), _placement(state), _members(state)):
        if table:
            lines += ["", *table]
    return lines


def _cluster(state: State) -> list[str]:
    """The live controllers of the cluster, in the order in which they joined; an asterisk marks the one that answers."""
    if state.cluster is None:
        return []
    masters = Counter(line["master"] for line in state.cluster["switches"])
    rows = []
    for node in state.cluster["nodes"]:
        name = node["name"] + ("*" if node["name"] == state.cluster["name"] else "")
        rows.append([name, node["rest"] or UNKNOWN, str(node["slot"]), str(node["switches"]), str(masters[node["name"]])])
    if masters[None]:
        rows.append(["none", *[UNKNOWN] * 3, str(masters[None])])
    missing = [f"not reached, so its part of the following is missing: {name}" for name in state.missing_peers]
    return [*_table(["controller", "REST", "slot", "switches", "master of"], rows, [2, 3, 4]), *missing]


def _switches(state: State) -> list[str]:
    """The switches; with their roles if any of them does not hold its rules in four tables."""
    known = {switch["switch"]: switch for switch in state.switches}
    with_roles = any(switch["layout"] != "four-tables" for switch in state.switches)
    rows = []
    for switch in state.snapshot["switches"]:
        statistics = switch["port_statistics"]
        role = _role(known.get(switch["switch"])) if with_roles else []
        rows.append([switch["switch"], *role, number(statistics["age_s"], 1), *(str(statistics[key]) for key in ("answers", "failures", "skipped"))])
    roles = ["role", "layout"] if with_roles else []
    first = 1 + len(roles)
    return _table(["switch", *roles, "counters age s", "answers", "failures", "skipped"], rows, [*range(first, first + 4)])


def _role(switch: Mapping[str, Any] | None) -> list[str]:
    """Role and layout, with how the layout is known unless the switch was probed."""
    if switch is None:
        return [UNKNOWN, UNKNOWN]
    source = "" if switch["source"] == "probed" else f" ({switch['source']})"
    return [switch["role"], switch["layout"] + source]


def link_table(links: Sequence[Mapping[str, Any]]) -> list[str]:
    """Directed links, in the form of /wm/malob/links."""
    rows = []
    for link in links:
        throughput, use, capacity = (link[key] for key in ("throughput_mbps", "use_mbps", "capacity_mbps"))
        rows.append(
            [
                end(link["src"]),
                end(link["dst"]),
                str(link["active"]),
                _latency(link["latency_ms"]),
                _age(link["latency_ms"]),
                *value_and_age(throughput, 1),
                _source(throughput),
                *value_and_age(use, 1),
                number(capacity and capacity["value"], 1),
                _source(capacity),
            ]
        )
    header = ["link from", "to", "open", "latency ms", "age s", "throughput Mbit/s", "age s", "by", "use Mbit/s", "age s", "capacity Mbit/s", "by"]
    return _table(header, rows, [2, 3, 4, 5, 6, 8, 9, 10])


def _vips(state: State) -> list[str]:
    rows = []
    for vip in state.vips:
        pools = [state.pools[pool] for pool in vip["pools"] if pool in state.pools]
        pool = pools[0] if pools else None
        rows.append(
            [
                vip["id"],
                vip["address"],
                _or_any(vip["port"]),
                _or_any(vip["protocol"]),
                pool["id"] if pool else "none",
                str(pool["stats"]["active_connections"]) if pool else UNKNOWN,
                str(pool["stats"]["total_connections"]) if pool else UNKNOWN,
            ]
        )
    return _table(["virtual address", "address", "port", "protocol", "pool", "open", "total"], rows, [2, 5, 6])


def _placement(state: State) -> list[str]:
    """The buckets of VIPs that are or may become proactive, a line for each client edge; a plus sign marks edges that are left out."""
    rows = []
    for vip in state.placement:
        name, mode = vip["vip_id"], f"{vip['mode']}: {vip['state']}"
        if not vip["edges"]:
            rows.append([name, mode, *[UNKNOWN] * 7])
        for edge in vip["edges"]:
            members = ", ".join(f"{member} {count}" for member, count in edge["members"].items())
            rows.append(
                [
                    name,
                    mode,
                    end_switch(edge["switch"]),
                    edge["state"],
                    edge["source"] or UNKNOWN,
                    str(edge["buckets"]),
                    str(edge["moving"]),
                    number(100 * edge["imbalance"], 1),
                    members or UNKNOWN,
                ]
            )
        if vip["edges_left_out"]:
            rows.append([name, mode, f"+ {vip['edges_left_out']}", *[UNKNOWN] * 6])
    return _table(
        ["virtual address", "placement", "client edge", "state", "by", "buckets", "moving", "uneven %", "buckets by member"], rows, [5, 6, 7]
    )


def _members(state: State) -> list[str]:
    stats = {member["id"]: member for pool in state.pools.values() for member in pool["stats"]["members"]}
    rows = []
    for server in state.snapshot["servers"]:
        of_pool = stats.get(server["id"])
        rows.append(
            [
                server["pool_id"] or "none",
                server["id"],
                server["address"],
                _or_any(server["port"]),
                "yes" if server["located"] else "no",
                of_pool["health"] if of_pool else UNKNOWN,
                str(server["active_connections"]),
                number(of_pool and of_pool["total_connections"], 0),
                *value_and_age(server["reported_connections"], 0),
                *server_values(server),
            ]
        )
    header = ["pool", "member", "address", "port", "located", "health", "open", "total", "reported", "age s", *SERVER_VALUE_HEADINGS]
    return _table(header, rows, [3, *range(6, len(header))])


def _table(header: list[str], rows: list[list[str]], right: list[int]) -> list[str]:
    return render(header, rows, right) if rows else []


def end(end: Mapping[str, Any]) -> str:
    """A port: its switch without leading zeros, and its number."""
    return f"{end_switch(end['switch'])}/{end['port']}"


def end_switch(switch: str) -> str:
    """A datapath id without leading zeros."""
    number = int(switch.replace(":", ""), 16)
    digits = f"{number:02x}"
    if len(digits) % 2:
        digits = "0" + digits
    return ":".join(digits[i : i + 2] for i in range(0, len(digits), 2))


def value_and_age(measured: Mapping[str, Any] | None, digits: int) -> list[str]:
    return [number(measured["value"] if measured else None, digits), _age(measured)]


#: The columns of server_values().
SERVER_VALUE_HEADINGS = tuple(heading for value in SERVER_VALUES for heading in (value.heading, "age s"))


def server_values(server: Mapping[str, Any]) -> list[str]:
    """Agents' measurements of a server, each with its age."""
    return [cell for value in SERVER_VALUES for cell in (above(value.resolution, value.of(server), value.digits), _age(server.get(value.name)))]


def latency(value_ms: float | None, digits: int) -> str:
    """A time in milliseconds."""
    return above(RESOLUTION_MS, value_ms, digits)


def above(resolution: float, value: float | None, digits: int) -> str:
    """Shows a value below the resolution as "< resolution"."""
    return f"< {resolution:g}" if value is not None and value < resolution else number(value, digits)


def _latency(measured: Mapping[str, Any] | None) -> str:
    if measured and "below_ms" in measured:
        return f"< {measured['below_ms']:g}"
    return number(measured["value"] if measured else None, 2)


def _age(measured: Mapping[str, Any] | None) -> str:
    return number(measured["age_s"] if measured else None, 1)


def _source(measured: Mapping[str, Any] | None) -> str:
    return measured["source"] if measured else UNKNOWN


def number(value: float | None, digits: int) -> str:
    return UNKNOWN if value is None else f"{value:.{digits}f}"


def _or_any(value: Any) -> str:
    return "any" if value is None else str(value)
