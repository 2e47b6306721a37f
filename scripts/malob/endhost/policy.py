"""Sends packets of the host to the switch: policy rules and tables. The main table does not change.

In this order:

1. what has a route of its own in the main table takes that: local networks, but not the default route;
2. what has an uplink's address takes that uplink: connections from before, sessions to the host;
3. what has the inside address, or none yet, goes to the switch;
4. all else is as before: what other interfaces' addresses send, or other hosts over this one.

IPv6 cannot ask for "none yet" in a rule. There 3. is all that this host sends itself, and before that come rules for the
addresses of other interfaces, which lead to the main table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from malob.endhost import network
from malob.endhost.names import GATEWAY_IPV6, INSIDE, INSIDE_IPV6
from malob.endhost.network import MAIN, OURS
from malob.endhost.rules import MAIN_PRIORITY, Rule, is_ours, ours
from malob.system.processes import run

#: Priorities of our rules.
LOCAL_FIRST, OF_UPLINK, TO_INSIDE = 32000, 32001, 32002

#: Our tables: this one for what goes inside, and one for each uplink after it.
INSIDE_TABLE = 0x4D4C00


@dataclass(frozen=True)
class Way:
    """The route for packets from an uplink's own addresses. gateway: None if it has none."""

    device: str
    addresses: tuple[str, ...]
    gateway: str | None


class Policy:
    """Keeps rules and tables up to date. One thread."""

    def __init__(self, inside_address: str, inside_gateway: str) -> None:
        self._inside = {4: (inside_address, inside_gateway), 6: (INSIDE_IPV6, GATEWAY_IPV6)}

    def follow(self, version: int, ways: Sequence[Way], others: Sequence[str]) -> None:
        """Makes it so for one version of IP.

        ways: the uplinks', in the order of their tables; if none of them has a gateway, no new flow is led to the switch, but
        what has the inside address still is: flows that were open are reset there. others: the addresses of interfaces that are no uplinks.
        """
        tables = {INSIDE_TABLE + 1 + at: way for at, way in enumerate(ways)}
        usable = {table: way for table, way in tables.items() if way.addresses and way.gateway}
        address, inside_gateway = self._inside[version]
        if usable:
            _lead(version, INSIDE_TABLE, INSIDE, inside_gateway)
        for table, way in usable.items():
            assert way.gateway is not None
            _lead(version, table, way.device, way.gateway)
        present = ours(version)
        if usable:
            _make(present, wanted_rules(version, usable, others, address))
        elif present:
            _make(present, rules_without_uplinks(version, address))


def wanted_rules(version: int, ways: Mapping[int, Way], others: Sequence[str], inside: str) -> list[Rule]:
    """All rules of one version of IP. ways: by table. others, inside: addresses."""
    rules = [Rule(version, LOCAL_FIRST, MAIN, specific=True)]
    rules += [Rule(version, OF_UPLINK, table, source) for table, way in ways.items() for source in way.addresses]
    if version == 6:
        rules += [Rule(version, OF_UPLINK, MAIN, source) for source in others]
    rules.append(Rule(version, TO_INSIDE, INSIDE_TABLE, inside))
    if version == 6:
        rules.append(Rule(version, TO_INSIDE, INSIDE_TABLE, local=True))
    else:
        rules.append(Rule(version, TO_INSIDE, INSIDE_TABLE, "0.0.0.0"))
    return rules


def rules_without_uplinks(version: int, inside: str) -> list[Rule]:
    """Where there have been uplinks, but none can be used now: flows that are open still find the switch."""
    return [Rule(version, LOCAL_FIRST, MAIN, specific=True), Rule(version, TO_INSIDE, INSIDE_TABLE, inside)]


def _lead(version: int, table: int, device: str, gateway: str) -> None:
    if network.default_route(version, table) == (device, gateway):
        return
    # "onlink": independent of the device's current addresses
    run(["ip", f"-{version}", "route", "replace", "default", "via", gateway, "dev", device, "onlink", "table", str(table), "protocol", str(OURS)])


def _make(present: Sequence[Rule], wanted: Sequence[Rule]) -> None:
    # what leads to the switch comes last, and goes first
    for rule in reversed(present):
        if rule not in wanted:
            rule.remove()
    for rule in wanted:
        if rule not in present:
            rule.add()


def refuse_new(inside_address: str) -> None:
    """New connections take the main table again; those that are open still lead to the switch."""
    for version, address in ((4, inside_address), (6, INSIDE_IPV6)):
        for rule in ours(version):
            if rule.priority == TO_INSIDE and rule.source != address:
                rule.remove()


def remove_all(tables: int) -> None:
    """Removes all existing rules and routes of MALOB. tables: how many there are."""
    for version in (4, 6):
        for rule in reversed(ours(version)):
            rule.remove()
        for table in range(INSIDE_TABLE, INSIDE_TABLE + tables):
            if network.has_our_routes(version, table):
                run(["ip", f"-{version}", "route", "flush", "table", str(table), "protocol", str(OURS)])


def overruled() -> list[str]:
    """The rules of others that would no longer take effect because of MALOB's; one clause each."""
    return [
        f"IPv{version}'s policy rule {rule['priority']} belongs to another program, such as a VPN, and would no longer take effect"
        for version in (4, 6)
        for rule in network.rules(version)
        if LOCAL_FIRST <= rule["priority"] < MAIN_PRIORITY and not is_ours(rule)
    ]


def taken_tables(tables: int) -> list[str]:
    """MALOB's tables that contain routes of others; one clause each. tables: the required number."""
    return [
        f"IPv{version}'s routing table {table} has routes of another program"
        for version in (4, 6)
        for table in range(INSIDE_TABLE, INSIDE_TABLE + tables)
        if network.has_foreign_routes(version, table)
    ]
