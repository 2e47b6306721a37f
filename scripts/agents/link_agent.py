#!/usr/bin/python3 -I
"""Reports to MALOB the TCP throughput of the links from this network node to its neighbours, by iperf3.

Needs Python 3.9 or later on Linux, iperf3, and the folders beside it. README.md describes the set-up.
"""

from __future__ import annotations

import atexit
import ipaddress
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

sys.path.insert(0, str(Path(__file__).resolve().parent))  # python3 -I leaves it out

from measuring.throughput import Bounds, Server, ThroughputProbe
from reporting import configuration
from reporting.configuration import AgentError, Configuration
from reporting.running import run, say

FIELDS = ("neighbours", "port", "probe_s", "max_mbps", "hour_megabytes")
MAX_NEIGHBOURS = 32

Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]


class LinkProbe:
    """Measures the links to neighbours one after the other, each in both directions in turn.

    Of two neighbours the node with the smaller address measures, so that there are never two probes over one
    link at the same time. The other node only needs its iperf3 server.
    """

    def __init__(self, settings: Configuration, throughput: ThroughputProbe) -> None:
        self._throughput = throughput
        all_neighbours = neighbours(settings)
        own = ipaddress.ip_address(settings.address)
        self._neighbours = [str(each) for each in all_neighbours if int(each) > int(own)]
        self._trouble: dict[tuple[str, str], str] = {}

    def measure(self, stop: threading.Event) -> Mapping[str, Any]:
        if not self._neighbours:
            raise AgentError("nothing to measure here: all neighbours have smaller addresses and measure the links themselves")
        links = []
        for neighbour in self._neighbours:
            link: dict[str, Any] = {}
            for field, reverse in (("up_mbps", False), ("down_mbps", True)):
                if stop.is_set():
                    break
                try:
                    link[field] = round(self._throughput.mbps(neighbour, reverse, stop), 3)
                    self._tell(neighbour, field, "")
                except AgentError as error:
                    self._tell(neighbour, field, str(error))
            if link:
                links.append({"neighbour": neighbour, **link})
        if not links:
            raise AgentError("no link could be measured")
        return {"links": links}

    def _tell(self, neighbour: str, field: str, trouble: str) -> None:
        """Logs the error of a link when it changes."""
        if trouble and trouble != self._trouble.get((neighbour, field)):
            say(f"{neighbour}, {field}: {trouble}")
        self._trouble[neighbour, field] = trouble


def neighbours(settings: Configuration) -> list[Address]:
    """The addresses in the configuration. Raises AgentError, naming the field."""
    given = settings.own.get("neighbours")
    try:
        if not isinstance(given, list) or not 1 <= len(given) <= MAX_NEIGHBOURS:
            raise ValueError
        if not all(isinstance(each, str) for each in given):
            raise ValueError
        addresses = {ipaddress.ip_address(each) for each in given}
    except ValueError:
        raise AgentError(f"neighbours: expected 1 to {MAX_NEIGHBOURS} addresses in an array, not {given!r}") from None
    if not settings.address:
        raise AgentError("address: required for link agents")
    own = ipaddress.ip_address(settings.address)
    if own in addresses:
        raise AgentError("neighbours: contains this node's own address")
    if any(each.version != own.version for each in addresses):
        raise AgentError(f"neighbours: expected IPv{own.version} addresses, as address is, not {given!r}")
    return sorted(addresses, key=int)


def make(settings: Configuration) -> LinkProbe:
    """Starts the server for the neighbours' probes; it ends with this process."""
    port = _whole(settings.own, "port", 5201, 1, 65535)
    bounds = Bounds(
        seconds=_whole(settings.own, "probe_s", 2, 1, 30),
        max_mbps=configuration.number(settings.own, "max_mbps", 200, 0.1, 100_000),
        hour_megabytes=configuration.number(settings.own, "hour_megabytes", 1000, 1, 1e9),
    )
    if bounds.probe_bytes > bounds.hour_megabytes * 1e6:
        raise AgentError(f"hour_megabytes: one probe may send {bounds.probe_bytes / 1e6:.0f} MB, by max_mbps and probe_s")
    probe = LinkProbe(settings, ThroughputProbe(settings.address, port, bounds))
    server = Server(settings.address, port, say)
    server.start()
    atexit.register(server.close)
    return probe


def _whole(fields: Mapping[str, Any], name: str, default: int, low: int, high: int) -> int:
    value = configuration.number(fields, name, default, low, high)
    if value != int(value):
        raise AgentError(f"{name}: expected a whole number, not {value:g}")
    return int(value)


if __name__ == "__main__":
    sys.exit(run("link", __doc__.splitlines()[0], FIELDS, make))
