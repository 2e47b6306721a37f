"""`./malob lab latency`: compares the controller's latency of each link with the link's setting."""

from __future__ import annotations

import argparse
import math
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab import check, instance, processes
from lab.instance import Instance
from lab.percentiles import median
from malob.cli import target
from malob.cli.arguments import Commands, Parser, positive
from malob.cli.status import latency
from malob.cli.table import render, show
from malob.errors import ScriptError, UsageError
from malob.network.links import Direction, Link
from malob.rest.client import RestClient
from malob.system.preparation import need_root
from malob.system.processes import bound_to_us
from malob.system.progress import Bar
from malob.system.waiting import orderly_end, say

CROSS_TRAFFIC = Path(__file__).parent / "crosstraffic.py"
_PORT = 5202

TOLERANCE_MS, TOLERANCE = 1.0, 0.10

#: The min share of the controller's values, one per second, that must be right.
MAX_WRONG = 0.1

#: Three of the controller's intervals: the max time until it sees a change.
SETTLING_S = 6.0

#: The size of a probe on the wire, without the Ethernet header.
_PROBE_BITS = 46 * 8


@dataclass(frozen=True)
class Result:
    """One direction of a link. measured_ms: one per second, None where the controller had no value."""

    link: str
    load_mbps: float
    expected_ms: float
    measured_ms: list[float | None]

    @property
    def known_ms(self) -> list[float]:
        return [value for value in self.measured_ms if value is not None]

    @property
    def median_ms(self) -> float | None:
        return median(self.known_ms)

    @property
    def worst_error_ms(self) -> float | None:
        return max((value - self.expected_ms for value in self.known_ms), key=abs) if self.known_ms else None

    @property
    def right(self) -> float:
        """The share of correct values; unknown ones count as wrong."""
        tolerance = TOLERANCE_MS + TOLERANCE * self.expected_ms
        return sum(abs(value - self.expected_ms) <= tolerance for value in self.known_ms) / len(self.measured_ms)

    @property
    def good(self) -> bool:
        return self.right >= 1 - MAX_WRONG


def add_parser(commands: Commands) -> Parser:
    command = commands.add_parser(
        "latency",
        help="compare the latencies that the controller measures with those of the links",
        description="Asks the controller of a running lab every second for the latency of its links. Exit code 1 if the"
        " latency of a direction deviates by more than 1 ms + 10 % in more than a tenth of the answers. With --load, the"
        " links carry traffic in both directions meanwhile, one link after the other; --seconds is the time per link.",
    )
    target.add_target(command)
    command.add_argument("--seconds", metavar="N", type=positive, default=20, help="how long (default %(default)s)")
    command.add_argument("--load", metavar="F", type=_share, default=0.0, help="load as a share of each link's rate, for example 0.5")
    command.add_argument("--json", action="store_true", help="print one JSON document")
    command.set_defaults(run=_latency)
    return command


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"expected a share from 0 to less than 1, not '{text}'")
    return value


def _latency(options: argparse.Namespace) -> int:
    rest = target.client(options)
    need_root("lab latency")
    lab = instance.find(options.name)
    with orderly_end():
        results = measure(lab, rest, options.seconds, options.load)
    documents = [{**asdict(result), "median_ms": result.median_ms, "right": result.right, "good": result.good} for result in results]
    show(documents, options.json, lambda: _table(results))
    wrong = [result for result in results if not result.good]
    say(f"{len(results) - len(wrong)} of {len(results)} directions are within {TOLERANCE_MS:g} ms + {TOLERANCE:.0%}")
    return 1 if wrong else 0


def measure(lab: Instance, rest: RestClient, seconds: int, load: float = 0) -> list[Result]:
    """Measures all links at once, or, with a load, one after the other. Raises ScriptError or UsageError."""
    links = list(lab.topology.links)
    if not load:
        with Bar(seconds) as bar:
            return _watch(lab, rest, seconds, links, load, bar)
    if not all(_set(lab, link, here).rate_mbps for link in links for here in link.ends):
        raise UsageError("lab latency: --load: a link of this lab has no rate")
    results = []
    with Bar(seconds * len(links)) as bar:
        for link in links:
            with traffic(lab, link, load):
                time.sleep(SETTLING_S)
                results += _watch(lab, rest, seconds, [link], load, bar)
    return results


def _watch(lab: Instance, rest: RestClient, seconds: int, links: list[Link], load: float, bar: Bar) -> list[Result]:
    seen = []
    for _ in range(seconds):
        bar.begin(f"{links[0].first} - {links[0].second}" if load else "all links")
        time.sleep(1)
        seen.append(_latencies(rest.get("/wm/malob/links")))
    results = []
    for link in links:
        for here in link.ends:
            there = link.other(here)
            direction = _set(lab, link, here)
            end = (lab.topology.switches[here], lab.topology.ports(here)[there])
            results.append(Result(f"{here} > {there}", load * (direction.rate_mbps or 0), _expected_ms(direction), [each.get(end) for each in seen]))
    return results


def _set(lab: Instance, link: Link, here: str) -> Direction:
    """The current setting of the direction away from a switch."""
    if not lab.shaped(link):
        return Direction()
    return lab.shaper.read(lab.link_device(here, link.other(here))).direction


def _expected_ms(direction: Direction) -> float:
    sending_ms = 0 if direction.rate_mbps is None else _PROBE_BITS / (direction.rate_mbps * 1000)
    return (direction.delay_ms or 0) + sending_ms


def _latencies(links: list[dict[str, Any]]) -> dict[tuple[str, int], float | None]:
    """The latencies by the switch and port at which a direction begins. Raises ScriptError if the controller reports none."""
    if any("latency_ms" not in link for link in links):
        raise ScriptError("lab latency: this controller reports no latencies at /wm/malob/links")
    return {(link["src"]["switch"], link["src"]["port"]): (link["latency_ms"] or {}).get("value") for link in links}


@contextmanager
def traffic(lab: Instance, link: Link, load: float) -> Iterator[None]:
    """In the context, both directions of a link carry this share of their rate."""
    with check.pinned(lab, link), ExitStack() as running:
        senders = []
        for here in link.ends:
            own, peer = lab.topology.nodes[here].ip, lab.topology.nodes[link.other(here)].ip
            rate_mbps = (_set(lab, link, here).rate_mbps or 0) * load
            command = processes.script(lab, f"{here}.node", CROSS_TRAFFIC, own, str(_PORT), f"{peer}={rate_mbps:g}")
            senders.append(subprocess.Popen(bound_to_us(command), stdin=subprocess.DEVNULL))
            running.callback(processes.end, senders[-1])
        yield
        if any(sender.poll() is not None for sender in senders):
            raise ScriptError(f"the traffic over {link.first} - {link.second} ended by itself")


def _table(results: list[Result]) -> list[str]:
    rows = [
        [
            result.link,
            f"{result.load_mbps:.1f}",
            _shown(result.expected_ms),
            _shown(result.median_ms),
            _number(None if result.median_ms is None else result.median_ms - result.expected_ms),
            _number(result.worst_error_ms),
            f"{result.right:.0%}",
            "ok" if result.good else "not ok",
        ]
        for result in results
    ]
    header = ["link", "load Mbit/s", "expected ms", "median", "error", "worst", "right", "verdict"]
    return render(header, rows, right=range(1, len(header) - 1))


def _shown(value_ms: float | None) -> str:
    return "" if value_ms is None else latency(value_ms, 2)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
