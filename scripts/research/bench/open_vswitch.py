"""`./malob bench open-vswitch`: new connections through VIPs on real Open vSwitch, compared with the same network without work for the controller."""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Callable

from lab import balancing, processes, rules, webserver
from lab.site import Site
from malob.cli.arguments import Parser, positive
from malob.errors import ScriptError
from malob.network import topology
from malob.system import ovs
from malob.system.processes import run
from malob.system.waiting import say, wait_until
from research.bench import usage, visits
from research.bench.bench_command import BenchCommand, Document, add_connects, check_parallel, turns
from research.experiments.frame.table import Column, Table

NAME = "mlv"
TOPOLOGY = "single"

#: The cases: their keys in JSON.
PLAIN, REACTIVE, PROACTIVE, TRACKED = "plain", "balanced", "proactive", "tracked"
CASES = (PLAIN, REACTIVE, PROACTIVE, TRACKED)
_LABELS = {PLAIN: "plain", REACTIVE: "reactive", PROACTIVE: "proactive", TRACKED: "tracked"}
#: The VIPs, by case. Their members have different ports: in proactive placement, all replies of a member's port belong to one VIP.
_VIPS = {
    REACTIVE: ("10.0.0.100", webserver.PORT, balancing.REACTIVE),
    PROACTIVE: ("10.0.0.101", 8080, balancing.PROACTIVE),
    TRACKED: ("10.0.0.102", 8081, balancing.TRACKED),
}

#: The event names of ovs-appctl coverage/show by our names.
_EVENTS = {"to_controller": "rconn_sent", "from_controller": "ofproto_recv_openflow", "translations": "xlate_actions"}

#: The switch's threads add their counts to the totals once a second.
_ADDED_S = 1.2

COUNTERS = ("to_controller", "from_controller", "upcalls", "translations")

#: above all rules of the balancer
_PLAIN = "priority=65535,table=0,actions=NORMAL"


@dataclass(frozen=True)
class Round:
    """The results of ab. cpu: seconds of processor time, by program. counts: the switch's work per connection. packet_ins: those
    that the balancer handled."""

    per_second: float
    failed: int
    cpu: Mapping[str, float]
    counts: Mapping[str, float]
    packet_ins: int


class OpenVSwitchCommand(BenchCommand):
    name = "open-vswitch"
    purpose = "new connections on real Open vSwitch, through reactive, proactive and tracked VIPs and without one; needs root"
    description = (
        "Opens connections (ab, without keep-alive) on one Open vSwitch in turn directly to a server, with the switch"
        " learning addresses by itself, and through a VIP with reactive, one with proactive and one with tracked placement."
        " Processor time is per connection."
    )
    needs = ("lab", "bench", "controller")

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--requests", type=positive, default=10_000, metavar="N", help="requests per round (default %(default)s)")
        parser.add_argument("--parallel", type=positive, default=20, metavar="N", help="parallel requests (default %(default)s)")
        parser.add_argument("--rounds", type=positive, default=3, metavar="N", help="rounds of all cases (default %(default)s)")
        add_connects(parser)

    def check(self, options: argparse.Namespace) -> None:
        check_parallel(options)

    def measure(self, options: argparse.Namespace) -> Document:
        with tempfile.TemporaryDirectory(prefix="malob-bench-") as directory, OpenVSwitchSite(Path(directory), options) as site:
            return site.measure()

    def lines(self, found: Document) -> list[str]:
        return [*table(found).printed(), "", *counters(found).printed()]

    def holds(self, found: Document) -> bool:
        return not any(found[case]["failed"] for case in CASES)


class OpenVSwitchSite(Site):
    """A switch with web servers, and the VIPs."""

    def __init__(self, directory: Path, options: argparse.Namespace) -> None:
        network = topology.load(TOPOLOGY)
        super().__init__(network, NAME, directory)
        self.options = options
        self.client = network.with_role("client")[0].name
        self.servers = network.with_role("server")
        self.bridge: str
        self.measured: dict[str, list[int]]

    def build(self) -> None:
        self.bridge = self.lab.bridge(next(iter(self.lab.topology.switches)))
        ports = [port for _, port, _ in _VIPS.values()]
        nginx = [webserver.start(self.lab, server.name, ports=ports) for server in self.servers]
        for process in nginx:
            self.programs.callback(processes.end, process)
        for case, (address, port, placement) in _VIPS.items():
            virtual = balancing.set_up(self.rest, address, port, self.servers, key=case, placement=placement)
            wait_until(partial(balancing.all_located, self.rest, virtual), "the servers to be found", 10)
        # the controller must know the client's switch
        self._ping(self.servers[0].ip)
        for case in (PROACTIVE, TRACKED):
            balancing.wait_for_proactive(self.rest, case)
        pids = [process.pid for process in nginx]
        self.measured = {"vswitchd": [ovs.switch_daemon_pid()], "controller": [self.controller.pid], "nginx": pids}

    def measure(self) -> dict[str, Any]:
        """The figures of all cases, measured in turn."""
        say("warming up")
        for address, port, _ in _VIPS.values():
            self._ab(address, port)
        rounds: dict[str, list[Round]] = {case: [] for case in CASES}
        connects: dict[str, list[int]] = {case: [] for case in CASES}
        for case in turns(CASES, self.options.rounds, order):
            result, times = self._case(case)
            rounds[case].append(result)
            connects[case] += times
        return figures(rounds, connects, self.options.requests)

    def _case(self, case: str) -> tuple[Round, list[int]]:
        plain = case == PLAIN
        address, port, _ = (self.servers[0].ip, webserver.PORT, "") if plain else _VIPS[case]
        wait_until(self._is_quiet, "the rules of earlier connections to end", 90)
        if plain:
            ovs.ofctl("add-flow", self.bridge, _PLAIN)
        try:
            self._ping(self.servers[0].ip)
            return self._ab(address, port), self._connect(address, port)
        finally:
            if plain:
                ovs.ofctl("--strict", "del-flows", self.bridge, _PLAIN.rpartition(",")[0])

    def _is_quiet(self) -> bool:
        """Whether no connection has a rule: each removal makes the switch revalidate all its flows. Rules of buckets stay."""
        return rules.count(self.bridge, rules.REQUEST) == 0

    def _ping(self, address: str) -> None:
        run(self.lab.inside(self.client, ["ping", "-n", "-c", "2", "-i", "0.2", address]), 10)

    def _ab(self, address: str, port: int) -> Round:
        counted, handled = counters_read(), self._packet_ins()
        before = self._cpu()
        words = run(
            self.lab.inside(
                self.client,
                ["ab", "-q", "-n", str(self.options.requests), "-c", str(self.options.parallel), "-s", "20", f"http://{address}:{port}/"],
            ),
            timeout_s=600,
        )
        after = self._cpu()
        # takes a second, in which the last packet-ins arrive
        counts = per_connection(counted, counters_read(), self.options.requests)
        return Round(
            figure(words, r"Requests per second:\s+([\d.]+)"),
            int(figure(words, r"Failed requests:\s+(\d+)")),
            {name: after[name] - before[name] for name in before},
            counts,
            self._packet_ins() - handled,
        )

    def _packet_ins(self) -> int:
        return packet_ins_in(self.rest.get_text("/metrics"))

    def _connect(self, address: str, port: int) -> list[int]:
        command = processes.script(self.lab, self.client, visits.VISITING, address, str(port), str(self.options.connects), "0")
        return visits.connect_us(run(command, timeout_s=600))

    def _cpu(self) -> dict[str, float]:
        revalidators = usage.thread_cpu_seconds(self.measured["vswitchd"][0], "revalidator")
        return {"revalidators": revalidators, **{name: sum(map(usage.cpu_seconds, pids)) for name, pids in self.measured.items()}}


def counters_read() -> dict[str, int]:
    """The counts since the switch's start. Takes a second."""
    time.sleep(_ADDED_S)
    return counts_in(run(["ovs-appctl", "coverage/show"]), run(["ovs-appctl", "dpctl/show"]))


def counts_in(coverage: str, datapaths: str) -> dict[str, int]:
    """coverage, datapaths: the output of coverage/show and dpctl/show. The first omits events that have not happened."""
    totals = dict(re.findall(r"^(\S+) .* total: (\d+)$", coverage, re.MULTILINE))
    upcalls = sum(int(missed) for missed in re.findall(r"lookups: hit:\d+ missed:(\d+)", datapaths))
    return {"upcalls": upcalls, **{name: int(totals.get(event, 0)) for name, event in _EVENTS.items()}}


def per_connection(before: Mapping[str, int], after: Mapping[str, int], connections: int) -> dict[str, float]:
    return {name: (after[name] - before[name]) / connections for name in COUNTERS}


def order(cases: Sequence[str], number: int) -> list[str]:
    """The order of the cases in a round: each round begins with the next case."""
    first = number % len(cases)
    return [*cases[first:], *cases[:first]]


def figures(rounds: Mapping[str, Sequence[Round]], connects: Mapping[str, Sequence[int]], requests: int) -> dict[str, Any]:
    """The figures of each case: medians of its rounds, and their ratios to those of PLAIN.

    connects: microseconds of each connect(), by case. requests: per round.
    """
    found: dict[str, Any] = {}
    for case, results in rounds.items():
        found[case] = {
            "connections_per_s": statistics.median(result.per_second for result in results),
            "connections_per_s_min": min(result.per_second for result in results),
            "connections_per_s_max": max(result.per_second for result in results),
            "failed": sum(result.failed for result in results),
            "per_connection": {name: statistics.median(result.counts[name] for result in results) for name in COUNTERS},
            "packet_ins_per_1000": 1000 * statistics.median(result.packet_ins for result in results) / requests,
            "connect_median_ms": statistics.median(connects[case]) / 1000,
            "cpu_us_per_connection": {name: 1e6 * statistics.median(result.cpu[name] for result in results) / requests for name in results[0].cpu},
        }
    for each in found.values():
        for name in ("connections_per_s", "connect_median_ms"):
            each[f"{name}_ratio"] = each[name] / found[PLAIN][name]
    return found


def packet_ins_in(metrics: str) -> int:
    """The packet-ins that the balancer has handled, with any outcome. metrics: the text of /metrics."""
    return sum(int(float(count)) for count in re.findall(r"^malob_packet_ins_total\{.*\} (\S+)$", metrics, re.MULTILINE))


def figure(words: str, pattern: str) -> float:
    """The number that a pattern finds in a program's output. Raises ScriptError if it finds none."""
    found = re.search(pattern, words)
    if found is None:
        raise ScriptError(f"'{pattern}' not found in: {words.strip()[-200:]}")
    return float(found.group(1))


def table(found: Mapping[str, Mapping[str, Any]]) -> Table[str]:
    """A row for each case."""

    def value(key: str) -> Callable[[str], float]:
        return lambda case: found[case][key]

    columns: list[Column[str]] = [
        Column("", "case", _LABELS.__getitem__),
        Column("", "connections/s", value("connections_per_s"), ".0f"),
        Column("", "min", value("connections_per_s_min"), ".0f"),
        Column("", "max", value("connections_per_s_max"), ".0f"),
        Column("", "of plain", lambda case: f"{100 * found[case]['connections_per_s_ratio']:.0f} %", "s"),
        Column("", "failed", value("failed"), "d"),
        Column("", "connect ms", value("connect_median_ms"), ".2f"),
        Column("", "of plain", lambda case: f"× {found[case]['connect_median_ms_ratio']:.1f}", "s"),
        Column("", "packet-ins/1000", value("packet_ins_per_1000"), ".0f"),
    ]
    names = {name: f"{name} µs" for name in found[PLAIN]["cpu_us_per_connection"]}
    return Table([*columns, *_columns(found, "cpu_us_per_connection", names, ".0f")], _LABELS)


def counters(found: Mapping[str, Mapping[str, Any]]) -> Table[str]:
    """The switch's work per connection."""
    names = {name: name.replace("_", " ") for name in COUNTERS}
    return Table([Column("", "per connection", _LABELS.__getitem__), *_columns(found, "per_connection", names, ".1f")], _LABELS)


def _columns(found: Mapping[str, Mapping[str, Any]], key: str, titles: Mapping[str, str], form: str) -> list[Column[str]]:
    def value(name: str) -> Callable[[str], float]:
        return lambda case: found[case][key][name]

    return [Column("", title, value(name), form) for name, title in titles.items()]
