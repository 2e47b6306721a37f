"""The pair of interfaces that connects the host's own flows to the switch.

The next hop is the controller. Its MAC address is entered permanently, so that open flows continue while there
is no controller to answer ARP.
"""

from __future__ import annotations

from malob.endhost.names import GATEWAY_IPV6, GATEWAY_MAC, INSIDE, INSIDE_IPV6, INSIDE_PORT, LENGTH_IPV6
from malob.endhost.options import Settings
from malob.system.journal import Journal
from malob.system.namespaces import End, add_pair
from malob.system.processes import run, succeeds

#: Checksums are computed and packets segmented before they reach the switch. Its end of the pair is no program's interface.
_MAKE = """
echo 1 2>/dev/null >/proc/sys/net/ipv6/conf/{port}/disable_ipv6 || true
echo 0 2>/dev/null >/proc/sys/net/ipv6/conf/{inside}/accept_ra || true
ethtool -K {inside} tx off
ethtool -K {port} tx off
ip link set {inside} mtu {mtu}
ip link set {port} mtu {mtu} up
ip address add {address} dev {inside}
ip link set {inside} up
ip neighbour replace {gateway} lladdr {gateway_mac} dev {inside} nud permanent
"""


def make(journal: Journal, settings: Settings, mtu: int) -> None:
    """Makes the pair. mtu: the smallest of the uplinks', so that what fits inside fits everywhere."""
    add_pair(journal, End(INSIDE), End(INSIDE_PORT), kind="inside")
    run(
        [
            "sh",
            "-ec",
            _MAKE.format(inside=INSIDE, port=INSIDE_PORT, mtu=mtu, address=settings.inside, gateway=settings.inside_gateway, gateway_mac=GATEWAY_MAC),
        ]
    )


def add_ipv6() -> None:
    """Gives the inside its IPv6 address; no effect if it has it."""
    run(["ip", "address", "replace", f"{INSIDE_IPV6}/{LENGTH_IPV6}", "dev", INSIDE, "nodad"])
    run(["ip", "neighbour", "replace", GATEWAY_IPV6, "lladdr", GATEWAY_MAC, "dev", INSIDE, "nud", "permanent"])


def set_mtu(mtu: int) -> None:
    for device in (INSIDE, INSIDE_PORT):
        run(["ip", "link", "set", device, "mtu", str(mtu)])


def remove() -> None:
    """Removes the pair if it exists, with its address and all routes over it."""
    if succeeds(["ip", "link", "show", INSIDE]):
        run(["ip", "link", "delete", INSIDE])
