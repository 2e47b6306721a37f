"""`./malob status`: the state of a controller as tables. Ends with 3 if no controller answers."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from malob.cli import target
from malob.cli.arguments import Parser, seconds
from malob.cli.table import render, show
from malob.rest.client import RestClient, asking
from malob.rest.state import State, read
from malob.system.waiting import orderly_end

UNKNOWN = "-"

#: Times below that are shown as "< 0.1" (LATENCY_RESOLUTION_NANOS of the controller, below_ms in REST).
RESOLUTION_MS = 0.1

#: The max number of problems shown.
_MAX_LINES = 20


def parser() -> Parser:
    made = Parser(
        prog="malob status", description="Shows switches, links and servers as the controller sees them, with the ages of measurements. '-': unknown."
    )
    target.add_target(made)
    how = made.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print one JSON document")
    how.add_argument("--watch", metavar="SECONDS", type=seconds, nargs="?", const=2.0, help="repeat every SECONDS (default 2) until Ctrl-C")
    return made


def main() -> int:
    options = parser().parse_args()
    client = target.client(options)
    state = _read(client)
    show(state.to_json(), options.json, lambda: _shown(state))
    with orderly_end():
        while options.watch:
            sys.stdout.flush()
            time.sleep(options.watch)
            # redraws the screen on a terminal, otherwise prints one after the other
            start = "\033[H\033[J" if sys.stdout.isatty() else "\n"
            print(start + "\n".join(_shown(_read(client))))
    return 0


def _shown(state: State) -> list[str]:
    found = lines(state.problems)
    return [*tables(state), *(["", "problems"] if found else []), *found]


def _read(client: RestClient) -> State:
    with asking(client):
        problems_now = client.ask("GET", "/wm/malob/problems")
        missing = problems_now.headers.get("malob-missing-peers", "")
        return replace(
            read(client),
            problems=client.json_of(problems_now, "GET /wm/malob/problems"),
            missing_peers=tuple(name.strip() for name in missing.split(",") if name.strip()),
            placement=client.get("/wm/malob/placement"),
            switches=client.get("/wm/malob/switches"),
            cluster=client.get("/wm/malob/cluster")["cluster"],
        )


@dataclass(frozen=True)
class ServerValue:
    """name: in REST; heading: of tables; factor: converts the unit; digits: after the decimal point; resolution: smaller values are shown as below.

    key, short, width: the column of top, whose lines have 80 signs; without a key, it is not shown there.
    """

    name: str
    heading: str
    factor: float
    digits: int
    key: str = ""
    short: str = ""
    width: int = 0
    resolution: float = 0

    def of(self, server: Mapping[str, Any]) -> float | None:
        """A server's value in its shown unit; None if unknown."""
        measured = server.get(self.name)
        return None if measured is None else measured["value"] * self.factor


SERVER_VALUES = (
    ServerValue("cpu", "CPU %", 100, 0, "cpu", "CPU %", 5),
    ServerValue("response_ms", "response ms", 1, 1, "response", "RESP MS", 7, RESOLUTION_MS),
)


def lines(problems: Sequence[Mapping[str, Any]]) -> list[str]:
    """One line for each problem, in the form of /wm/malob/problems: the controller finds them and writes the sentences."""
    shown = [_line(problem) for problem in problems[:_MAX_LINES]]
    left_out = len(problems) - len(shown)
    return shown + ([f"and {left_out} more: ./malob status --json lists all"] if left_out else [])


def _line(problem: Mapping[str, Any]) -> str:
    command = problem["command"]
    remedy = problem["remedy"] if command is None else f"{problem['remedy'].rstrip('.')}: {command}"
    return f"{problem['problem']} {remedy}"


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
