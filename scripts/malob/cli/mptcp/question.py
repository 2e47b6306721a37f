"""The request for a plan: the document for the planner or a controller. No I/O except reading a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from malob.cli.arguments import whole
from malob.errors import UsageError
from malob.network.hosts import Host
from malob.network.links import Link
from malob.network.topology import Topology, read_json

Document = dict[str, Any]

#: Without a controller the load of links is unknown.
WEIGHTS_OFFLINE = ("none", "capacity")
WEIGHTS = (*WEIGHTS_OFFLINE, "load")


def add_options(parser: argparse.ArgumentParser, weights: tuple[str, ...]) -> None:
    """The options of a plan. weights: the available ones."""
    parser.add_argument("--vlan", action="store_true", help="a set of paths for each VLAN (the paper's VS) instead of one for all (NVS)")
    parser.add_argument(
        "--only-vlan",
        metavar="N",
        action="append",
        type=whole("a VLAN, 1 to 4094", 1, 4094),
        help="plan for the hosts of this VLAN only; may be repeated",
    )
    parser.add_argument(
        "--method",
        choices=("disjoint", "balanced", "paper"),
        help="disjoint: short paths without common links (default); balanced: paths over all switches with the smallest max number of"
        " sub-flows per link (default with --max-detour); paper: paths over all switches as in the paper",
    )
    # deprecated: the method says it
    parser.add_argument("--paths", choices=("hamiltonian", "disjoint"), help=argparse.SUPPRESS)
    parser.add_argument(
        "--count",
        choices=("whole", "travelled"),
        help="count a sub-flow on all links of its path (whole, the default), or on those up to its destination's switch (travelled)",
    )
    parser.add_argument(
        "--traffic",
        metavar="FROM:TO[:WEIGHT]",
        action="append",
        type=pair,
        help="a source and destination, for --count travelled; may be repeated (default: all to all)",
    )
    parser.add_argument(
        "--weights", choices=weights, default="none", help="divide the number of sub-flows of a link by this weight (default %(default)s)"
    )
    parser.add_argument(
        "--max-detour",
        metavar="N",
        type=whole("a number of links, 0 to 10000", 0, 10_000),
        help="cut Hamiltonian paths where a sub-flow takes more than N links beyond the shortest path (default: no limit)",
    )
    parser.add_argument("--ipv6", action="store_true", help="plan for the IPv6 addresses of the hosts (default: the IPv4 ones)")
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole("a whole number from 0", 0, 2**63 - 1),
        default=1,
        help="the same seed gives the same plan (default %(default)s)",
    )


def pair(text: str) -> Document:
    """One entry of the traffic; argparse reports the error."""
    parts = text.split(":")
    weight = parts.pop() if len(parts) == 3 else "1"
    try:
        number = float(weight)
    except ValueError:
        number = 0
    if len(parts) != 2 or not all(parts) or not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected FROM:TO or FROM:TO:WEIGHT, with a weight above 0, not '{text}'")
    return {"from": parts[0], "to": parts[1], "weight": number}


def settings(options: argparse.Namespace) -> Document:
    """The options of add_options(). Raises UsageError for options that contradict each other."""
    if options.traffic and options.count == "whole":
        raise UsageError("--traffic only applies to --count travelled")
    count = "travelled" if options.traffic else options.count or "whole"
    document = {name: getattr(options, name) for name in ("vlan", "weights", "seed")}
    methods = {name: getattr(options, name) for name in ("method", "paths")}
    detour = {} if options.max_detour is None else {"max_detour": options.max_detour}
    lists = {"vlans": options.only_vlan, "traffic": options.traffic, **methods}
    family = {"family": "ipv6"} if options.ipv6 else {}
    return {**document, "count": count, **detour, **family, **{name: value for name, value in lists.items() if value}}


def offline(network: Topology, ipv6: bool = False) -> Document:
    """The network, and its hosts if it has any; otherwise the planner supposes one on each switch."""
    told: Document = {"network": {"switches": network.switches, "links": [_link(network, link) for link in network.links]}}
    return {**told, "hosts": hosts(network, ipv6)} if network.hosts else told


def _link(network: Topology, link: Link) -> Document:
    first, second = link.ends
    told: Document = {"a": first, "a_port": network.ports(first)[second], "b": second, "b_port": network.ports(second)[first]}
    rates = [way.rate_mbps for way in (link.forward, link.reverse) if way.rate_mbps is not None]
    return {**told, "mbps": min(rates)} if rates else told


def hosts(network: Topology, ipv6: bool = False) -> list[Document]:
    """The hosts, by their IPv4 or IPv6 addresses."""
    return [_host(network, host, host.address6 if ipv6 else host.address) for host in network.hosts.values()]


def _host(network: Topology, host: Host, address: str) -> Document:
    told: Document = {
        "id": host.name,
        "address": address,
        "mac": host.mac,
        "switch": network.switches[host.switch],
        "port": network.ports(host.switch)[host.name],
        "device": host.device,
    }
    return told if host.vlan is None else {**told, "vlan": host.vlan, "tagged_by": host.tagged_by}


def read_hosts(path: Path) -> list[Any]:
    """A file with the array of hosts, or with an object that has it under "hosts". Raises UsageError."""
    document = read_json(path)
    found = document.get("hosts") if isinstance(document, dict) else document
    if not isinstance(found, list):
        raise UsageError(f"{path}: expected an array of hosts, or an object with the array 'hosts'")
    return found
