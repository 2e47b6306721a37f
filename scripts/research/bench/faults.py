"""`./malob bench faults`: the effect of faults of the network, its switches and the controller on one open connection through a VIP, on Open
vSwitch."""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable

from lab import balancing, processes
from lab.balancing import VirtualServer
from lab.faults import links, ownership, pulsing, switches
from lab.faults.pulsing import Beat, Pulse
from lab.faults.watching import LabelWatch
from lab.site import Site
from malob.cli.arguments import Parser, positive
from malob.network import topology
from malob.system.waiting import wait_until
from research.bench.bench_command import BenchCommand, Document, turns
from research.experiments.frame.table import Column, Table

NAME = "mlf"
VIP, PORT = "10.0.0.190", 8600
CLIENT, SERVER = "c1", "w1"
#: the link of the connection, on the shortest path from the client to the server
LINK = ("s1", "s3")
#: an interval of the controller's settings: a link that is silent for three intervals is removed
PROBE_INTERVAL_S = 3.0
STANDSTILL_S = 10.0
#: A killed controller leaves paths of connections that may be dormant; its successor keeps these for adoptSeconds, 60 by
#: default.
OWNED_S = 90.0


class FaultSite(Site):
    """A network with a client that connects to a server through a VIP."""

    virtual: VirtualServer

    def build(self) -> None:
        pulsing.start_server(self.lab, SERVER, PORT)
        links.make_silenceable(self.lab, *LINK)
        self.virtual = balancing.set_up(self.rest, VIP, PORT, [self.lab.topology.hosts[SERVER]], algorithm="RR+SPH")

    def network_is_whole(self) -> bool:
        return self.controller.sees(self.lab.topology)

    def pulse(self) -> Pulse:
        return Pulse(self.lab, CLIENT, self.virtual.address, self.virtual.port)

    def labels(self) -> set[str]:
        """The paths of open connections."""
        known = self.controller.rest.connections({"state": "open"}, 100)["connections"]
        return {label for each in known for label in (each["request_label"], each["reply_label"]) if label}

    def differences(self) -> list[str]:
        return ownership.differences(self.lab, self.controller.rest)


def _link_down(site: FaultSite) -> None:
    with links.down(site.lab, *LINK):
        time.sleep(1)


def _port_flap(site: FaultSite) -> None:
    links.flap(site.lab, *LINK, times=5, pause_s=0.1)


def _silent_link(site: FaultSite) -> None:
    with links.silent(site.lab, *LINK):
        time.sleep(3 * PROBE_INTERVAL_S + 1)


def _switch_emptied(site: FaultSite) -> None:
    with switches.without_controller(site.lab, LINK[0]):
        wait_until(lambda: not site.network_is_whole(), "the switch to be away", 20)
        switches.empty(site.lab, LINK[0])


def _controller_stands_still(site: FaultSite) -> None:
    with processes.stopped(site.controller.pid):
        time.sleep(STANDSTILL_S)


def _controller_killed(site: FaultSite) -> None:
    site.controller.kill()
    time.sleep(1)
    site.controller.start()


FAULTS: Mapping[str, Callable[[FaultSite], None]] = {
    "link-down": _link_down,
    "port-flap": _port_flap,
    "silent-link": _silent_link,
    "switch-emptied": _switch_emptied,
    "controller-stands-still": _controller_stands_still,
    "controller-killed": _controller_killed,
}


@dataclass(frozen=True)
class Round:
    """The result of one fault. repaired_ms: from its beginning until the connection was rerouted, None if it never was;
    owned_s: from its end until every rule was known and none was missing."""

    beat: Beat
    repaired_ms: float | None
    owned_s: float


class FaultsCommand(BenchCommand):
    name = "faults"
    purpose = "the effect of faults of links, switches and controller on an open connection; needs root"
    description = (
        "Measures the effect of faults on an open connection through a VIP, on five Open vSwitches. Times are the median and the"
        " maximum of: the longest response time; the time from the fault until the connection was rerouted; and the time from the"
        " end of the fault until the switches had exactly the rules that they should have."
    )
    has_load = False

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--fault", action="append", choices=sorted(FAULTS), help="run only this fault; may be repeated")
        parser.add_argument("--rounds", type=positive, default=10, metavar="N", help="rounds per fault (default %(default)s)")

    def measure(self, options: argparse.Namespace) -> Document:
        names = options.fault or list(FAULTS)
        found: dict[str, list[Round]] = {name: [] for name in names}
        with tempfile.TemporaryDirectory(prefix="malob-bench-") as directory, FaultSite(topology.load("mesh5"), NAME, Path(directory)) as site:
            for name in turns(names, options.rounds, lambda names, _: names):
                found[name].append(_round(site, FAULTS[name]))
        return {name: figures(each) for name, each in found.items()}

    def lines(self, found: Document) -> list[str]:
        return table(found).printed()

    def holds(self, found: Document) -> bool:
        return not any(each["lost"] for each in found.values())


def _round(site: FaultSite, fault: Callable[[FaultSite], None]) -> Round:
    wait_until(site.network_is_whole, "all links to be known", 40)
    wait_until(lambda: balancing.all_located(site.controller.rest, site.virtual), "the server to be found", 10)
    pulse, watch = site.pulse(), LabelWatch(site.lab)
    try:
        wait_until(lambda: len(site.labels()) == 2, "the connection to be placed", 10)
        time.sleep(1)
        pulse.since_last()
        labels, began = site.labels(), time.time()
        fault(site)
        mended = time.monotonic()
        wait_until(site.network_is_whole, "all links to be known", 40)
        beat = pulse.since_last()
        wait_until(lambda: not site.differences(), "rules to be as they should", OWNED_S, detail=lambda: "; ".join(site.differences()))
        owned_s = time.monotonic() - mended
    finally:
        pulse.end()
        given = watch.end()
    moved = [when - began for when, label in given if label in labels and when > began]
    return Round(beat, 1000 * moved[-1] if moved else None, owned_s)


def figures(rounds: list[Round]) -> dict[str, Any]:
    """The results of all rounds of one fault. Times are medians and the worst."""
    beats = [each.beat for each in rounds]
    repaired = [each.repaired_ms for each in rounds if each.repaired_ms is not None]
    return {
        "rounds": len(rounds),
        "lost": sum(beat.error is not None for beat in beats),
        "longest_ms": _spread([beat.longest_ms for beat in beats]),
        "retransmitted": max(max(beat.retransmitted, beat.retransmitted_back) for beat in beats),
        "repaired_ms": _spread(repaired),
        "owned_s": _spread([each.owned_s for each in rounds]),
        "load": os.getloadavg()[0],
        "each": [asdict(each) for each in rounds],
    }


def _spread(values: list[float]) -> dict[str, float] | None:
    return {"median": statistics.median(values), "worst": max(values)} if values else None


def table(found: Mapping[str, Mapping[str, Any]]) -> Table[str]:
    """A row for each fault."""

    def spread(key: str, digits: int) -> Callable[[str], str]:
        return lambda name: "–" if (each := found[name][key]) is None else f"{each['median']:.{digits}f}, {each['worst']:.{digits}f}"

    columns: list[Column[str]] = [
        Column("", "fault", str),
        Column("", "rounds", lambda name: found[name]["rounds"], "d"),
        Column("", "lost", lambda name: found[name]["lost"], "d"),
        Column("", "longest answer ms", spread("longest_ms", 0), "s"),
        Column("", "segments again", lambda name: found[name]["retransmitted"], "d"),
        Column("", "labels moved ms", spread("repaired_ms", 0), "s"),
        Column("", "rules right s", spread("owned_s", 1), "s"),
        Column("", "load", lambda name: found[name]["load"], ".1f"),
    ]
    return Table(columns, found)
