"""`./malob lab check`: measures every link of a running lab, one at a time, against what it should be.

Needs no controller: between the nodes of a link's two switches it sets rules of its own, of the highest priority and
for these two nodes' addresses only, and removes them afterwards.
"""

from __future__ import annotations

import argparse
import functools
import json
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Iterator

from base.commands import run
from base.errors import ScriptError
from base.preparation import need_root
from base.table import render
from base.waiting import orderly_end, say
from lab import instance, measuring, ovs
from lab.instance import Instance
from lab.links import Direction, Link
from lab.shaping.shaper import Reading
from lab.strain import StrainMeter

#: Of a core: a program that used more may be why a link is not as it should be.
_BUSY = 0.8

_COOKIE = "0x6d616c6f62636865"

#: A ping's packet, with its headers, without Ethernet's.
_PING_BITS = 84 * 8

RTT_TOLERANCE_MS, RTT_TOLERANCE = 0.5, 0.03
RATE_TOLERANCE = 0.05


@dataclass(frozen=True)
class Result:
    """One direction of a link; the round trip is the same in both. None: not limited, or not measured."""

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
        return self.rtt_ms is not None and (
            abs(self.rtt_ms - self.expected_rtt_ms) <= RTT_TOLERANCE_MS + RTT_TOLERANCE * self.expected_rtt_ms)

    @property
    def rate_good(self) -> bool:
        if self.rate_mbps is None:
            return True
        return self.throughput_mbps is not None and (
            abs(self.throughput_mbps - self.rate_mbps) <= RATE_TOLERANCE * self.rate_mbps)


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> argparse.ArgumentParser:
    check = commands.add_parser(
        "check", help="measure every link against what it should be",
        description="Measures round-trip time and TCP throughput of each link, one at a time, between the nodes of its"
        " switches. Exit code 1 if one is more than 0.5 ms + 3 %% or 5 %% off. Links that play a trace, and those"
        " without limits, are passed over. Other traffic disturbs.")
    check.add_argument("--quick", action="store_true", help="10 pings and 2 s per direction instead of 40 and 5 s")
    check.add_argument("--json", action="store_true", help="print one JSON document")
    check.set_defaults(run=_check)
    return check


def _check(options: argparse.Namespace) -> int:
    need_root("lab check")
    lab = instance.find(options.name)
    pings, seconds = (10, 2.0) if options.quick else (40, 5.0)
    results: list[Result] = []
    with orderly_end():
        for link in lab.topology.links:
            readings = _readings(lab, link)
            if any(read.traced for read in readings):
                say(f"{link.first} - {link.second} plays a trace: passed over")
            elif readings:
                say(f"measuring {link.first} - {link.second}")
                results += measure(lab, link, pings, seconds)
    if not results:
        raise ScriptError(f"lab '{lab.name}' has no link with limits")
    print(json.dumps([{**asdict(result), "good": result.good} for result in results], indent=2)
          if options.json else "\n".join(_table(results)))
    return _verdict(results)


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
        say("this machine is too slow, or too busy, for these links: try 'lab up ... --scale 0.5', or smaller")
    say(f"{len(results) - len(bad)} of {len(results)} directions are within tolerance")
    return 1 if bad else 0


def _table(results: list[Result]) -> list[str]:
    rows = [
        [result.link, _number(result.rtt_ms), _number(result.expected_rtt_ms), _number(result.throughput_mbps),
         _number(result.rate_mbps), *(f"{used:.0%}" for used in result.cpu.values()), _words(result)]
        for result in results
    ]
    header = ["link", "RTT ms", "expected", "Mbit/s", "rate", *results[0].cpu, "verdict"]
    return render(header, rows, right=range(1, len(header) - 1))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _words(result: Result) -> str:
    wrong = [word for word, good in (("RTT", result.rtt_good), ("rate", result.rate_good)) if not good]
    return f"not ok: {', '.join(wrong)}" if wrong else "ok"


def measure(lab: Instance, link: Link, pings: int, seconds: float) -> list[Result]:
    """Both directions of a link that has limits. pings: of the round trip; seconds: of each TCP connection."""
    directions = [read.direction for read in _readings(lab, link)]
    expected_ms = sum(map(_one_way_ms, directions))
    meter = StrainMeter(lab)
    results = []
    with pinned(lab, link):
        inside = [functools.partial(lab.inside, _node(end)) for end in link.ends]
        addresses = [lab.topology.nodes[end].ip for end in link.ends]
        times = measuring.round_trips_ms(inside[0], addresses[1], pings)
        for here, there in ((0, 1), (1, 0)):
            rate_mbps = directions[here].rate_mbps
            got_mbps = None
            if rate_mbps is not None:
                meter.restart()
                # four round trips more let TCP find a long link's rate
                warm_up_s = 1 + 4 * expected_ms / 1000
                got_mbps = measuring.throughput_mbps(inside[here], inside[there], addresses[there], seconds, warm_up_s)
            strain = meter.read()
            results.append(Result(
                f"{link.ends[here]} > {link.ends[there]}", measuring.median(times), expected_ms, got_mbps, rate_mbps,
                strain.cpu, strain.complaints))
    return results


def _one_way_ms(direction: Direction) -> float:
    sending_ms = 0 if direction.rate_mbps is None else _PING_BITS / (direction.rate_mbps * 1000)
    return (direction.delay_ms or 0) + sending_ms


def _node(switch: str) -> str:
    return f"{switch}.node"


@contextmanager
def pinned(lab: Instance, link: Link) -> Iterator[None]:
    """Inside, packets between the nodes of the two switches take this link, whatever else the switches do."""
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
    """Rules at one switch, and the other's address, so that nobody need be asked for it."""
    ports = lab.topology.ports(here)
    node, peer = lab.topology.nodes[here], lab.topology.nodes[there]
    for source, target, out in ((node, peer, ports[there]), (peer, node, ports[node.name])):
        ovs.ofctl(
            "add-flow", lab.bridge(here),
            f"cookie={_COOKIE},table=0,priority=65535,dl_src={source.mac},dl_dst={target.mac},actions=output:{out}")
    run(lab.inside(
        _node(here), ["ip", "neigh", "replace", peer.ip, "lladdr", peer.mac, "nud", "permanent", "dev", "eth0"]))
