"""Keeps the kernel from taking part in flows that the switch carries, by a table of nftables of our own.

The kernel sees what comes in at uplinks, answers to the switch's flows as well. To an answer over TCP it knows no socket
and says so by a reset without ACK, which must not leave. Answers over UDP and to pings could reach a second time a socket
that is bound to no address; so what leaves by the switch is remembered, and answers to it are dropped where they come in
at uplinks. What belongs to the host's own sockets on uplinks passes.
"""

from __future__ import annotations

from collections.abc import Sequence

from malob.endhost.names import FILTER, INSIDE
from malob.system.processes import run, succeeds

_TABLE = """
add table inet {table}
delete table inet {table}
table inet {table} {{
    set datagrams {{
        typeof udp sport . ip daddr . udp dport
        size 65535
        flags dynamic,timeout
        timeout 3m
    }}
    set datagrams6 {{
        typeof udp sport . ip6 daddr . udp dport
        size 65535
        flags dynamic,timeout
        timeout 3m
    }}
    set pings {{
        typeof ip daddr . icmp id
        size 1024
        flags dynamic,timeout
        timeout 1m
    }}
    set pings6 {{
        typeof ip6 daddr . icmpv6 id
        size 1024
        flags dynamic,timeout
        timeout 1m
    }}
    chain leaving {{
        type filter hook postrouting priority 300; policy accept;
        oifname "{inside}" meta nfproto ipv4 meta l4proto udp update @datagrams {{ udp sport . ip daddr . udp dport }}
        oifname "{inside}" meta nfproto ipv6 meta l4proto udp update @datagrams6 {{ udp sport . ip6 daddr . udp dport }}
        oifname "{inside}" icmp type echo-request update @pings {{ ip daddr . icmp id }}
        oifname "{inside}" icmpv6 type echo-request update @pings6 {{ ip6 daddr . icmpv6 id }}
        oifname {{ {uplinks} }} tcp flags & (rst | ack) == rst counter drop
        oifname {{ {uplinks} }} icmp type destination-unreachable icmp code port-unreachable counter drop
        oifname {{ {uplinks} }} icmpv6 type destination-unreachable icmpv6 code port-unreachable counter drop
    }}
    chain coming {{
        type filter hook prerouting priority -350; policy accept;
        iifname {{ {uplinks} }} meta nfproto ipv4 meta l4proto udp udp dport . ip saddr . udp sport @datagrams counter drop
        iifname {{ {uplinks} }} meta nfproto ipv6 meta l4proto udp udp dport . ip6 saddr . udp sport @datagrams6 counter drop
        iifname {{ {uplinks} }} icmp type echo-reply ip saddr . icmp id @pings counter drop
        iifname {{ {uplinks} }} icmpv6 type echo-reply ip6 saddr . icmpv6 id @pings6 counter drop
    }}
}}
"""


def raise_up(uplinks: Sequence[str]) -> None:
    """Creates the table atomically. uplinks: names of interfaces, which need not exist."""
    names = ", ".join(f'"{name}"' for name in uplinks)
    run(["nft", "--file", "-"], text=_TABLE.format(table=FILTER, inside=INSIDE, uplinks=names))


def is_up() -> bool:
    return succeeds(["nft", "list", "table", "inet", FILTER])


def take_down() -> None:
    """Removes the table if it exists."""
    run(["nft", "--file", "-"], text=f"add table inet {FILTER}\ndelete table inet {FILTER}\n")
