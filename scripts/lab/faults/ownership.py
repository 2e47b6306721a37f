"""Checks whether switches have exactly the balancer's rules that the balancer knows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lab import balancing, rules
from lab.instance import Instance
from lab.rules import BUCKET, LABEL, PROACTIVE, REPLY, REQUEST
from malob.rest.client import RestClient

_MAX_CONNECTIONS = 100_000

#: Kinds of rules of connections.
_NAMES = {REQUEST: "request", REPLY: "reply"}

_LABELLED = re.compile(r"\bdl_dst=(0a:4d:4c:[0-9a-f:]+)")


def differences(lab: Instance, rest: RestClient) -> list[str]:
    """A line for each rule of a label, connection or bucket that is missing, duplicate, or without an owner; none if all are right.

    Rules that are being changed may be reported: call it again.
    """
    dumps = {switch: rules.dump(lab, switch) for switch in lab.topology.switches}
    paths = rest.get("/wm/malob/paths")
    connections = rest.connections({}, _MAX_CONNECTIONS)["connections"]
    return compare(lab.topology.switches, paths, connections, balancing.placement_state(rest), dumps)


def connection_differences(lab: Instance, rest: RestClient) -> list[str]:
    """The same for the rules of connections only, of those that neither begin nor end meanwhile."""
    before = rest.connections({}, _MAX_CONNECTIONS)["connections"]
    dumps = [rules.dump(lab, switch) for switch in lab.topology.switches]
    after = rest.connections({}, _MAX_CONNECTIONS)["connections"]
    open_before = {each["generation"] for each in before if each["state"] == "open"}
    settled = [each if each["generation"] in open_before else {**each, "state": "ended"} for each in after]
    return _connections([*({**each, "state": "ended"} for each in before), *settled], dumps)


def compare(
    dpids: Mapping[str, str],
    paths: Sequence[Any],
    connections: Sequence[Any],
    placement: Sequence[Any],
    dumps: Mapping[str, str],
) -> list[str]:
    """As differences(). dpids and dumps (of ovs-ofctl): by the switches' names; the others as the controller reports them."""
    return [*_labels(dpids, paths, dumps), *_connections(connections, list(dumps.values())), *_buckets(dpids, placement, dumps)]


def _labels(dpids: Mapping[str, str], paths: Sequence[Any], dumps: Mapping[str, str]) -> list[str]:
    names = {dpid: switch for switch, dpid in dpids.items()}
    wanted = {(names[dpid], path["label"]) for path in paths for dpid in path["switches"] if len(path["switches"]) > 1}
    found = {(switch, label) for switch, dump in dumps.items() for line in rules.of_kind(dump, LABEL) for label in _LABELLED.findall(line)}
    return [
        *(f"{switch} has a rule of label {label}, whose path does not include it" for switch, label in sorted(found - wanted)),
        *(f"{switch} has no rule of label {label}" for switch, label in sorted(wanted - found)),
    ]


def _connections(connections: Sequence[Any], dumps: Sequence[str]) -> list[str]:
    open_ones = {_key(each): each for each in connections if each["state"] == "open"}
    # ended and dormant ones may have rules that have not expired yet
    known = {_key(each) for each in connections}
    found = Counter(
        (kind, (rules.generation(line), *rules.client(line, kind)))
        for dump in dumps
        for kind in (REQUEST, REPLY)
        for line in rules.of_kind(dump, kind)
    )
    return [
        *(
            f"a {_NAMES[kind]} rule is of connection {key[0]} of {key[1]}:{key[2]}, which the controller does not know"
            for kind, key in sorted(found)
            if key not in known
        ),
        *(
            f"{found[kind, key]} {_NAMES[kind]} rules instead of one are of {connection}"
            for key, connection in open_ones.items()
            for kind in (REQUEST, REPLY)
            if found[kind, key] != 1 and not _is_kept_by_the_other(connection, [found[each, key] for each in (REQUEST, REPLY)])
        ),
    ]


def _is_kept_by_the_other(connection: Mapping[str, Any], counts: list[int]) -> bool:
    """UDP connections are open until both rules have expired."""
    return connection["protocol"] == "udp" and sorted(counts) == [0, 1]


def _key(connection: Mapping[str, Any]) -> tuple[int, str, int]:
    """Different connections may have the same generation: controllers count apart."""
    port = connection["client_port"] if connection["protocol"] in ("tcp", "udp") else 0
    return rules.short_generation(connection["generation"]), connection["client_address"], port


def _buckets(dpids: Mapping[str, str], placement: Sequence[Any], dumps: Mapping[str, str]) -> list[str]:
    """Switches have a rule for each bucket of their edges, and none has rules of proactive VIPs if there is no such VIP."""
    proactive = [vip for vip in placement if vip["state"] != balancing.REACTIVE]
    wanted: Counter[str] = Counter()
    for vip in proactive:
        wanted.update({edge["switch"]: edge["buckets"] for edge in vip["edges"]})
    differences = []
    for switch, dump in dumps.items():
        found, others = len(list(rules.of_kind(dump, BUCKET))), len(list(rules.of_kind(dump, PROACTIVE)))
        if found != wanted[dpids[switch]]:
            differences.append(f"{switch} has {found} rules of buckets instead of {wanted[dpids[switch]]}")
        if others and not proactive:
            differences.append(f"{switch} has {others} rules of proactive VIPs, but no VIP is proactive")
    return differences
