"""Checks whether switches have exactly the balancer's rules that the balancer knows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lab.instance import Instance
from malob.rest import listing
from malob.rest.local import RestClient
from malob.system import ovs

_MAX_CONNECTIONS = 100_000
_REQUEST, _REPLY, _LABEL = 0x6522, 0x6523, 0x6524
_GENERATION = 0xFFFFF

_COOKIE = re.compile(r"\bcookie=(0x[0-9a-f]+)")
_LABELLED = re.compile(r"\bdl_dst=(0a:4d:4c:[0-9a-f:]+)")


def differences(lab: Instance, rest: RestClient) -> list[str]:
    """A line for each rule of a label or connection that is missing, duplicate, or without an owner; none if all rules are right.

    Rules that are being changed may be reported: call it again.
    """
    dumps = {switch: ovs.ofctl("--no-stats", "dump-flows", lab.bridge(switch)) for switch in lab.topology.switches}
    paths = rest.get("/wm/malob/paths")
    connections = listing.read(rest, {}, _MAX_CONNECTIONS)["connections"]
    return compare(lab.topology.switches, paths, connections, dumps)


def compare(
    dpids: Mapping[str, str],
    paths: Sequence[Any],
    connections: Sequence[Any],
    dumps: Mapping[str, str],
) -> list[str]:
    """As differences(). dpids and dumps (of ovs-ofctl): by the switches' names; the others as the controller reports them."""
    return [*_labels(dpids, paths, dumps), *_connections(connections, dumps)]


def _labels(dpids: Mapping[str, str], paths: Sequence[Any], dumps: Mapping[str, str]) -> list[str]:
    names = {dpid: switch for switch, dpid in dpids.items()}
    wanted = {(names[dpid], path["label"]) for path in paths for dpid in path["switches"] if len(path["switches"]) > 1}
    found = {
        (switch, label) for switch, dump in dumps.items() for line in dump.splitlines() if _is(line, _LABEL) for label in _LABELLED.findall(line)
    }
    return [
        *(f"{switch} has a rule of label {label}, whose path does not include it" for switch, label in sorted(found - wanted)),
        *(f"{switch} has no rule of label {label}" for switch, label in sorted(wanted - found)),
    ]


def _connections(connections: Sequence[Any], dumps: Mapping[str, str]) -> list[str]:
    open_ones = {each["generation"] & _GENERATION: each for each in connections if each["state"] == "open"}
    # ended and dormant ones may have rules that have not expired yet
    known = {each["generation"] & _GENERATION for each in connections}
    found = Counter(
        (kind, _cookie(line) & _GENERATION) for dump in dumps.values() for line in dump.splitlines() for kind in (_REQUEST, _REPLY) if _is(line, kind)
    )
    return [
        *(f"a rule is of connection {generation}, which the controller does not know" for _, generation in sorted(found) if generation not in known),
        *(
            f"{found[kind, generation]} rules instead of one are of {connection}"
            for generation, connection in open_ones.items()
            for kind in (_REQUEST, _REPLY)
            if found[kind, generation] != 1
        ),
    ]


def _is(line: str, kind: int) -> bool:
    return _cookie(line) >> 48 == kind


def _cookie(line: str) -> int:
    match = _COOKIE.search(line)
    return int(match[1], 16) if match else 0
