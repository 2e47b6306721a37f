"""`./malob lab check`: compares the measured rate and delay of each link of a running lab with its settings.

Needs no controller: between the nodes of a link's two switches it adds rules of the highest priority for only these two
nodes' addresses, and removes them afterwards.
"""

from __future__ import annotations

import argparse
import functools
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass

from lab import instance, measuring
from lab.instance import Instance
from lab.percentiles import median
from lab.saturation import SaturationMeter
from lab.shaping.shaper import Reading
from malob.cli.arguments import Commands, Parser, positive
from malob.cli.table import render, show
from malob.errors import ScriptError
from malob.network.links import Direction, Link
from malob.system import ovs
from malob.system.preparation import need_root
from malob.system.processes import run
from malob.system.progress import Bar
from malob.system.waiting import orderly_end, say

#: The max share of a core: if a program used more, it may be the cause of a link's deviation.
_BUSY = 0.8

_COOKIE = "0x6d616c6f62636865"

#: A link's rate counts full IP packets of 1,500 bytes; TCP's headers and time stamps are 52 of them.
_DATA_SHARE = 1448 / 1500

#: The size of a ping packet with its headers, without Ethernet's.
_PING_BITS = 84 * 8

RTT_TOLERANCE_MS, RTT_TOLERANCE = 0.5, 0.03
RATE_TOLERANCE = 0.05


@dataclass(frozen=True)
class Result:
    """One direction of a link; the round trip is the same in both. None: unlimited, or not measured.

    throughput_mbps: of TCP's data. rate_mbps: of IP packets.
    """

    link: str
    rtt_ms: float | None
    expected_rtt_ms: float
    throughput_mbps: float | None
    rate_mbps: float | None
    cpu: dict[str, float]
    complaints: list[str]

    @property
    def good(self) -> bool:
        return self.rtt_good and self.rate_good

    @property
    def rtt_good(self) -> bool:
        return self.rtt_ms is not None and (abs(self.rtt_ms - self.expected_rtt_ms) <= RTT_TOLERANCE_MS + RTT_TOLERANCE * self.expected_rtt_ms)

    @property
    def rate_good(self) -> bool:
        if self.rate_mbps is None:
            return True
        if self.throughput_mbps is None:
            return False
        return abs(self.throughput_mbps / _DATA_SHARE - self.rate_mbps) <= RATE_TOLERANCE * self.rate_mbps


def add_parser(commands: Commands) -> Parser:
    check = commands.add_parser(
        "check",
        help="compare the measured rate and delay of each link with its settings",
        description="Measures round-trip time and TCP throughput of each link between the nodes of its"
        " switches. Exit code 1 if a link deviates by more than 0.5 ms + 3 %% or, with TCP's headers, 5 %%. Skips links that"
        " play a trace or have no limits. Other traffic distorts the results.",
    )
    check.add_argument("--quick", action="store_true", help="10 pings and 2 s per direction instead of 40 and 5 s")
    check.add_argument(
        "--at-once", type=positive, default=1, metavar="N", help="measure N links at a time (default 1): shows what the machine can carry in total"
    )
    check.add_argument("--json", action="store_true", help="print one JSON document")
    check.set_defaults(run=_check)
    return check


def _check(options: argparse.Namespace) -> int:
    need_root("lab check")
    lab = instance.find(options.name)
    pings, seconds = (10, 2.0) if options.quick else (40, 5.0)
    results: list[Result] = []
    with orderly_end():
        links = [link for link in lab.topology.links if _can_be_measured(lab, link)]
        with Bar(max(1, math.ceil(len(links) / options.at_once))) as bar:
            for first in range(0, len(links), options.at_once):
                together = links[first : first + options.at_once]
                bar.begin(", ".join(f"{link.first} - {link.second}" for link in together))
                results += measure(lab, together, pings, seconds)
    if not results:
        raise ScriptError(f"lab '{lab.name}' has no link with a rate or delay")
    show([{**asdict(result), "good": result.good} for result in results], options.json, lambda: _table(results))
    return _verdict(results)


def _can_be_measured(lab: Instance, link: Link) -> bool:
    readings = _readings(lab, link)
    if any(read.traced for read in readings):
        say(f"{link.first} - {link.second} plays a trace: skipped")
        return False
    return bool(readings)


def _readings(lab: Instance, link: Link) -> list[Reading]:
    if not lab.shaped(link):
        return []
    return [lab.shaper.read(lab.link_device(*ends)) for ends in (link.ends, link.ends[::-1])]


def _verdict(results: list[Result]) -> int:
    bad = [result for result in results if not result.good]
    strained = [result for result in results if result.complaints]
    for result in strained:
        say(f"warning: {result.link}: {'; '.join(result.complaints)}")
    if any(result.complaints or max(result.cpu.values(), default=0) > _BUSY for result in bad):
        say("this machine is too slow or too busy for these links: try 'lab up ... --scale 0.5' or less")
    say(f"{len(results) - len(bad)} of {len(results)} directions are within tolerance")
    return 1 if bad else 0


def _table(results: list[Result]) -> list[str]:
    rows = [
        [
            result.link,
            _number(result.rtt_ms),
            _number(result.expected_rtt_ms),
            _number(result.throughput_mbps),
            _number(result.rate_mbps),
            *(f"{used:.0%}" for used in result.cpu.values()),
            _words(result),
        ]
        for result in results
    ]
    header = ["link", "RTT ms", "expected", "Mbit/s", "rate", *results[0].cpu, "verdict"]
    return render(header, rows, right=range(1, len(header) - 1))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _words(result: Result) -> str:
    wrong = [word for word, good in (("RTT", result.rtt_good), ("rate", result.rate_good)) if not good]
    return f"not ok: {', '.join(wrong)}" if wrong else "ok"


def measure(lab: Instance, links: Sequence[Link], pings: int, seconds: float) -> list[Result]:
    """Measures both directions of all limited links: first one direction of all at once, then the other.

    pings: the number per link, one link after the other; seconds: the duration of each TCP connection.
    """
    directions = [[read.direction for read in _readings(lab, link)] for link in links]
    expected_ms = [sum(map(_one_way_ms, both)) for both in directions]
    meter = SaturationMeter.of(lab)
    results: list[list[Result]] = [[] for _ in links]
    with ExitStack() as pins, ThreadPoolExecutor(len(links)) as flows:
        for link in links:
            pins.enter_context(pinned(lab, link))
        rtts_ms = [_round_trip_ms(lab, link, pings) for link in links]
        for way in (0, 1):
            meter.restart()
            flowing = [
                flows.submit(_throughput_mbps, lab, link, way, measuring.PORT + n, seconds, expected_ms[n])
                if directions[n][way].rate_mbps is not None
                else None
                for n, link in enumerate(links)
            ]
            got = [None if flow is None else flow.result() for flow in flowing]
            saturation = meter.read()
            for n, link in enumerate(links):
                results[n].append(
                    Result(
                        " > ".join(link.ends if way == 0 else link.ends[::-1]),
                        rtts_ms[n],
                        expected_ms[n],
                        got[n],
                        directions[n][way].rate_mbps,
                        saturation.cpu,
                        saturation.complaints,
                    )
                )
    return [result for both in results for result in both]


def _round_trip_ms(lab: Instance, link: Link, pings: int) -> float | None:
    inside = functools.partial(lab.inside, _node(link.first))
    return median(measuring.round_trips_ms(inside, lab.topology.nodes[link.second].ip, pings))


def _throughput_mbps(lab: Instance, link: Link, way: int, port: int, seconds: float, expected_ms: float) -> float:
    here, there = link.ends if way == 0 else link.ends[::-1]
    source, target = (functools.partial(lab.inside, _node(end)) for end in (here, there))
    # four more round trips let TCP reach a long link's rate
    warm_up_s = 1 + 4 * expected_ms / 1000
    return measuring.throughput_mbps(source, target, lab.topology.nodes[there].ip, seconds, warm_up_s, port)


def _one_way_ms(direction: Direction) -> float:
    sending_ms = 0 if direction.rate_mbps is None else _PING_BITS / (direction.rate_mbps * 1000)
    return (direction.delay_ms or 0) + sending_ms


def _node(switch: str) -> str:
    return f"{switch}.node"


@contextmanager
def pinned(lab: Instance, link: Link) -> Iterator[None]:
    """In the context, packets between the nodes of the two switches use this link, regardless of other rules."""
    try:
        for here, there in (link.ends, link.ends[::-1]):
            _pin(lab, here, there)
        yield
    finally:
        for here, there in (link.ends, link.ends[::-1]):
            ovs.ofctl("del-flows", lab.bridge(here), f"cookie={_COOKIE}/-1")
            peer = lab.topology.nodes[there]
            run(lab.inside(_node(here), ["ip", "neigh", "del", peer.ip, "dev", "eth0"]), check=False)


def _pin(lab: Instance, here: str, there: str) -> None:
    """Rules at one switch, and a static ARP entry for the other, so that no ARP request is needed."""
    ports = lab.topology.ports(here)
    node, peer = lab.topology.nodes[here], lab.topology.nodes[there]
    for source, target, out in ((node, peer, ports[there]), (peer, node, ports[node.name])):
        ovs.ofctl(
            "add-flow", lab.bridge(here), f"cookie={_COOKIE},table=0,priority=65535,dl_src={source.mac},dl_dst={target.mac},actions=output:{out}"
        )
    run(lab.inside(_node(here), ["ip", "neigh", "replace", peer.ip, "lladdr", peer.mac, "nud", "permanent", "dev", "eth0"]))
