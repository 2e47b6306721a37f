"""Command line of the explanations. Ends with 3 if no controller answers, with 2 if it rejects a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from malob.cli import target
from malob.cli.arguments import Parser
from malob.cli.connections import path
from malob.cli.status import SERVER_VALUE_HEADINGS, UNKNOWN, end, latency, link_table, number, server_values
from malob.cli.table import render, show
from malob.rest.client import asking


def parser() -> Parser:
    made = Parser(prog="malob explain", description="Shows which server and paths a new connection would get now, and why. Changes nothing.")
    made.add_argument("--vip", metavar="ID|ADDRESS", required=True, help="the virtual address", completes="vip")
    made.add_argument("--client", metavar="ADDRESS|MAC", required=True, help="a host that the controller has seen")
    made.add_argument("--port", metavar="N", help="the destination port, if the virtual address has several")
    made.add_argument("--protocol", choices=("tcp", "udp", "icmp"), help="the protocol (default: that of the virtual address, or tcp)")
    made.add_argument("--client-port", metavar="N", help="the client's port, which may choose the bucket of a proactive VIP")
    made.add_argument("--json", action="store_true", help="print one JSON document")
    target.add_target(made)
    return made


def main() -> int:
    options = parser().parse_args()
    client = target.client(options)
    query = {name: getattr(options, name) for name in ("vip", "client", "port", "protocol", "client_port") if getattr(options, name) is not None}
    with asking(client):
        explanation = client.get("/wm/malob/explain?" + urlencode(query))
    show(explanation, options.json, lambda: lines(explanation))
    return 0


#: Values of candidates that are latencies of paths.
_LATENCIES = ("round_trip_ms", "expected_latency_ms")

_SOURCES = {
    "vip": "lb_method of VIP {id}",
    "pool": "lb_method of pool {id}",
    "service": "services entry {service_name} ({id})",
    "default": "the services table's default entry",
    "ftp_control": "the client's FTP control connection from its port {control}",
}


def lines(explanation: Mapping[str, Any]) -> list[str]:
    """The question, the rules, and the result; then the candidates, then the links of their paths."""
    shown = [_question(explanation), *_decision(explanation["decision"]), _outcome(explanation)]
    if explanation["buckets"]:
        shown += _buckets(explanation["buckets"])
    candidates = explanation["candidates"]
    if candidates:
        shown += ["", *_candidates(candidates)]
    if explanation["candidates_left_out"]:
        shown.append(f"… and {explanation['candidates_left_out']} more")
    links = _links(candidates)
    if links:
        shown += ["", *link_table(links)]
    return shown


def _question(explanation: Mapping[str, Any]) -> str:
    client = explanation["client"]
    vip = explanation["vip_id"]
    return (
        f"{client['address'] or client['mac']} at {end(client)} to {explanation['vip_address']} {explanation['protocol']} "
        f"{explanation['port']}: " + (f"VIP {vip}, pool {explanation['pool_id'] or 'none'}" if vip else "no VIP")
    )


def _decision(decision: Mapping[str, Any] | None) -> list[str]:
    if decision is None:
        return []
    control = (decision["ftp_control"] or {}).get("client_port")
    by = _SOURCES[decision["decided_by"]].format(id=decision["id"], service_name=decision["service_name"], control=control)
    said = [f"algorithm: {decision['algorithm']}, by {by}"]
    rules = [("server", decision["server"]), ("path", decision["path"])]
    if decision["server"] == decision["path"]:
        rules = [("server and path", decision["server"])]
    return said + [f"{what}: {rule['rule']}; between equals: {rule['tie_break']}" for what, rule in rules]


def _outcome(explanation: Mapping[str, Any]) -> str:
    if explanation["refused"]:
        return f"result: refused, {explanation['refused']}"
    if explanation["member_id"] is None:
        return "result: depends on the client's port; --client-port tells it"
    return f"result: member {explanation['member_id']}"


def _buckets(buckets: Mapping[str, Any]) -> list[str]:
    bucket = buckets["bucket"]
    said = f"buckets: {buckets['count']}, by the client's {buckets['source']}"
    shown = [said]
    if bucket:
        where = f"of member {bucket['member_id']}" if bucket["member_id"] else "of no member"
        cause = bucket["cause"].replace("_", " ")
        shown = [f"{said}; this is number {bucket['index']}, {where} for {bucket['seconds']:.0f} s ({cause})", bucket["next"]]
    rows = [[each["member_id"], str(each["buckets"]), _percent(each["load"]), _percent(each["share"])] for each in buckets["members"]]
    return [*shown, "", *render(["member", "buckets", "traffic %", "share %"], rows, [1, 2, 3])]


def _percent(part: float | None) -> str:
    return UNKNOWN if part is None else number(100 * part, 1)


def _candidates(candidates: Sequence[Mapping[str, Any]]) -> list[str]:
    names: list[str] = []
    for candidate in candidates:
        names += [name for name in candidate["values"] if name not in names]
    rows = []
    for each in candidates:
        rows.append(
            [
                "*" if each["chosen"] else "",
                each["member_id"],
                each["address"],
                *(_value(name, each["values"].get(name)) for name in names),
                str(each["active_connections"]),
                str(each["foreign_connections"]),
                str(each["weight"]),
                *server_values(each),
                each["excluded"] or UNKNOWN,
                path(each["request_path"]),
                path(each["reply_path"]),
            ]
        )
    header = [
        "",
        "member",
        "address",
        *(name.replace("_", " ") for name in names),
        "open",
        "foreign",
        "weight",
        *SERVER_VALUE_HEADINGS,
        "excluded",
        "request path",
        "reply path",
    ]
    return render(header, rows, range(3, len(header) - 3))


def _value(name: str, value: float | None) -> str:
    return latency(value, 3) if name in _LATENCIES else number(value, 3)


def _links(candidates: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The links of all paths, each once, in the order of the paths."""
    links: dict[Any, Any] = {}
    for candidate in candidates:
        for link in (candidate["request_links"] or []) + (candidate["reply_links"] or []):
            links.setdefault((end(link["src"]), end(link["dst"])), link)
    return list(links.values())
