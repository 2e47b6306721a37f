"""New connections through VIPs on real Open vSwitch, compared with the same network without work for the controller."""

from __future__ import annotations

import re
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lab import balancing, instance, processes, rules, webserver
from lab.controller import Controller
from lab.instance import Instance
from malob.errors import ScriptError
from malob.network import topology
from malob.system import ovs
from malob.system.cleanup import Cleanup
from malob.system.ports import free_port
from malob.system.processes import run
from malob.system.progress import Bar
from malob.system.waiting import say, undisturbed, wait_until
from research.bench import switch_counters, usage

NAME = "mlv"
TOPOLOGY = "single"
CONNECTING = Path(__file__).parent / "connecting.py"

#: The cases: their keys in JSON.
PLAIN, REACTIVE, PROACTIVE = "plain", "balanced", "proactive"
CASES = (PLAIN, REACTIVE, PROACTIVE)
#: The VIPs, by case. Their members have different ports: in proactive placement, all replies of a member's port belong to one VIP.
_VIPS = {REACTIVE: ("10.0.0.100", webserver.PORT, balancing.REACTIVE), PROACTIVE: ("10.0.0.101", 8080, balancing.PROACTIVE)}

#: above all rules of the balancer
_PLAIN = "priority=65535,table=0,actions=NORMAL"


@dataclass(frozen=True)
class Plan:
    """requests: number by ab in one round. parallel: number at a time. connects: number that is timed."""

    requests: int
    parallel: int
    rounds: int
    connects: int


@dataclass(frozen=True)
class Round:
    """The results of ab. cpu: seconds of processor time, by program. counts: the switch's work per connection. packet_ins: those
    that the balancer handled."""

    per_second: float
    failed: int
    cpu: Mapping[str, float]
    counts: Mapping[str, float]
    packet_ins: int


def measure(plan: Plan) -> dict[str, Any]:
    """Builds the network, measures all cases in turn, removes everything, and returns the figures."""
    with tempfile.TemporaryDirectory(prefix="malob-bench-") as directory:
        openflow_port = free_port()
        controller = Controller(Path(directory), openflow_port, free_port())
        try:
            lab = instance.up(topology.load(TOPOLOGY), NAME, f"127.0.0.1:{openflow_port}", owned=True)
            controller.start()
            return _Measurement(lab, controller, plan).run()
        finally:
            with undisturbed():
                cleanup = Cleanup()
                cleanup.step("the controller", controller.stop)
                cleanup.step("the network", lambda: instance.remove_own(NAME))
                cleanup.finish()


class _Measurement:
    def __init__(self, lab: Instance, controller: Controller, plan: Plan) -> None:
        self.lab, self.controller, self.plan = lab, controller, plan
        self.bridge = lab.bridge(next(iter(lab.topology.switches)))
        self.client = lab.topology.with_role("client")[0].name
        self.servers = lab.topology.with_role("server")
        self.programs: dict[str, list[int]] = {}

    def run(self) -> dict[str, Any]:
        ports = [port for _, port, _ in _VIPS.values()]
        nginx = [webserver.start(self.lab, server.name, ports=ports) for server in self.servers]
        try:
            rest = self.controller.rest
            wait_until(lambda: rest.switch_count() == 1, "the switch to connect", 40)
            self._set_up()
            self.programs = {
                "vswitchd": [ovs.switch_daemon_pid()],
                "controller": [self.controller.pid],
                "nginx": [process.pid for process in nginx],
            }
            say("warming up")
            for address, port, _ in _VIPS.values():
                self._ab(address, port)
            rounds: dict[str, list[Round]] = {case: [] for case in CASES}
            connects: dict[str, list[int]] = {case: [] for case in CASES}
            with Bar(self.plan.rounds * len(CASES)) as bar:
                for number in range(self.plan.rounds):
                    for case in order(CASES, number):
                        bar.begin(f"round {number + 1}, {case}")
                        result, times = self._case(case)
                        rounds[case].append(result)
                        connects[case] += times
            return figures(rounds, connects, self.plan.requests)
        finally:
            for process in nginx:
                processes.end(process)

    def _set_up(self) -> None:
        rest = self.controller.rest
        for case, (address, port, placement) in _VIPS.items():
            virtual = balancing.set_up(rest, address, port, self.servers, key=case, placement=placement)
            wait_until(partial(balancing.all_located, rest, virtual), "the servers to be found", 10)
        # the controller must know the client's switch
        self._ping(self.servers[0].ip)
        balancing.wait_for_proactive(rest, PROACTIVE)

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
        counted, told = switch_counters.read(), self._packet_ins()
        before = self._cpu()
        words = run(
            self.lab.inside(
                self.client,
                ["ab", "-q", "-n", str(self.plan.requests), "-c", str(self.plan.parallel), "-s", "20", f"http://{address}:{port}/"],
            ),
            timeout_s=600,
        )
        after = self._cpu()
        # takes a second, in which the last packet-ins arrive
        counts = switch_counters.per_connection(counted, switch_counters.read(), self.plan.requests)
        return Round(
            figure(words, r"Requests per second:\s+([\d.]+)"),
            int(figure(words, r"Failed requests:\s+(\d+)")),
            {name: after[name] - before[name] for name in before},
            counts,
            self._packet_ins() - told,
        )

    def _packet_ins(self) -> int:
        return packet_ins_in(self.controller.rest.get_text("/metrics"))

    def _connect(self, address: str, port: int) -> list[int]:
        words = run(processes.script(self.lab, self.client, CONNECTING, address, str(port), str(self.plan.connects)), timeout_s=600)
        return [int(line) for line in words.split()]

    def _cpu(self) -> dict[str, float]:
        revalidators = usage.thread_cpu_seconds(self.programs["vswitchd"][0], "revalidator")
        return {"revalidators": revalidators, **{name: sum(map(usage.cpu_seconds, pids)) for name, pids in self.programs.items()}}


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
            "per_connection": {name: statistics.median(result.counts[name] for result in results) for name in switch_counters.NAMES},
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
