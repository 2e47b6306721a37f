"""The balancer's rules in the switches, as ovs-ofctl prints them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lab.instance import Instance
from malob.system import ovs

#: The upper 16 bits of the cookies of these kinds of rules (the controller's class Cookie).
REQUEST, REPLY, LABEL, BUCKET, PROACTIVE = 0x6522, 0x6523, 0x6524, 0x652D, 0x652E

_GENERATION = 0xFFFFF
#: The client's address, and its port if there are ports, in the match of each direction's rule.
_CLIENT = {
    REQUEST: re.compile(r"\bnw_src=([\d.]+)(?:\S*\btp_src=(\d+))?"),
    REPLY: re.compile(r"\bnw_dst=([\d.]+)(?:\S*\btp_dst=(\d+))?"),
}
_COOKIE = re.compile(r"\bcookie=(0x[0-9a-f]+)")
_MATCH = re.compile(r"\bpriority=\d+,(\S+) actions=")
#: The translation of a bucket's rule; a tracked VIP's is that of the connection.
_MEMBER = re.compile(r"(?<=set_field:)[\d.]+(?=->ip_dst)|(?<=nat\(dst=)[\d.]+")
_COUNT = re.compile(r"flow_count=(\d+)")


def dump(lab: Instance, switch: str, *match: str) -> str:
    """All rules of a switch, or those that match, without their counters."""
    return ovs.ofctl("--no-stats", "dump-flows", lab.bridge(switch), *match)


def of_kind(text: str, kind: int) -> Iterator[str]:
    """The lines with a rule of this kind. text: of dump()."""
    return (line for line in text.splitlines() if cookie(line) >> 48 == kind)


def cookie(line: str) -> int:
    """0 if the line has none."""
    found = _COOKIE.search(line)
    return int(found[1], 16) if found else 0


def generation(line: str) -> int:
    """The generation of the connection that a rule belongs to: its lowest 20 bits, as short_generation()."""
    return short_generation(cookie(line))


def client(line: str, kind: int) -> tuple[str, int]:
    """The address and port of the client of a REQUEST or REPLY rule; the port is 0 if there is none."""
    found = _CLIENT[kind].search(line)
    return (found[1], int(found[2] or 0)) if found else ("", 0)


def short_generation(number: int) -> int:
    return number & _GENERATION


def count(bridge: str, kind: int) -> int:
    """The number of a switch's rules of this kind."""
    found = _COUNT.search(ovs.ofctl("dump-aggregate", bridge, f"cookie={kind << 48:#x}/{0xFFFF << 48:#x}"))
    assert found is not None
    return int(found[1])


def assignment(lab: Instance, switches: Iterable[str], vip: str) -> dict[tuple[str, str], str]:
    """The member's address of each bucket of a VIP, by switch and match. Buckets that are moving are left out.

    It comes from the switches' tables, so it does not depend on what the controller believes.
    """
    return {(switch, match): member for switch in switches for match, member in buckets(dump(lab, switch, "table=1"), vip).items()}


def buckets(text: str, vip: str) -> dict[str, str]:
    """As assignment(), of one switch. text: of dump()."""
    found = {}
    for line in of_kind(text, BUCKET):
        match, member = _MATCH.search(line), _MEMBER.search(line)
        # the rule of a bucket that is moving leads to the controller
        if match and member and f"nw_dst={vip}" in match[1].split(","):
            found[match[1]] = member[0]
    return found
