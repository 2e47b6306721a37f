"""New connections through a VIP on real Open vSwitch, compared with the same network without work for the controller."""

from __future__ import annotations

import re
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import balancing, instance, processes, webserver
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
VIP = "10.0.0.100"
CONNECTING = Path(__file__).parent / "connecting.py"

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
    """The results of ab. cpu: seconds of processor time, by program. counts: the switch's work per connection."""

    per_second: float
    failed: int
    cpu: dict[str, float]
    counts: dict[str, float]


def measure(plan: Plan) -> dict[str, Any]:
    """Builds the network, measures both cases in turn, removes everything, and returns the figures."""
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
        nginx = [webserver.start(self.lab, server.name) for server in self.servers]
        try:
            rest = self.controller.rest
            wait_until(lambda: rest.switch_count() == 1, "the switch to connect", 40)
            virtual = balancing.set_up(rest, VIP, webserver.PORT, self.servers)
            wait_until(lambda: balancing.all_located(rest, virtual), "the servers to be found", 10)
            self.programs = {
                "vswitchd": [ovs.switch_daemon_pid()],
                "controller": [self.controller.pid],
                "nginx": [process.pid for process in nginx],
            }
            say("warming up")
            self._ab(VIP)
            rounds: dict[str, list[Round]] = {"plain": [], "balanced": []}
            connects: dict[str, list[int]] = {"plain": [], "balanced": []}
            with Bar(self.plan.rounds * len(rounds)) as bar:
                for number in range(self.plan.rounds):
                    for way in rounds:
                        bar.begin(f"round {number + 1}, {way}")
                        result, times = self._one_way(way)
                        rounds[way].append(result)
                        connects[way] += times
            return self._figures(rounds, connects)
        finally:
            for process in nginx:
                processes.end(process)

    def _one_way(self, way: str) -> tuple[Round, list[int]]:
        plain = way == "plain"
        address = self.servers[0].ip if plain else VIP
        wait_until(self._is_quiet, "the rules of earlier connections to end", 90)
        if plain:
            ovs.ofctl("add-flow", self.bridge, _PLAIN)
        try:
            self._ping(self.servers[0].ip)
            return self._ab(address), self._connect(address)
        finally:
            if plain:
                ovs.ofctl("--strict", "del-flows", self.bridge, _PLAIN.rpartition(",")[0])

    def _is_quiet(self) -> bool:
        """Whether no connection has a rule: each removal makes the switch revalidate all its flows."""
        words = ovs.ofctl("dump-aggregate", self.bridge, "table=1")
        return figure(words, r"flow_count=(\d+)") <= 1

    def _ping(self, address: str) -> None:
        run(self.lab.inside(self.client, ["ping", "-n", "-c", "2", "-i", "0.2", address]), 10)

    def _ab(self, address: str) -> Round:
        counted = switch_counters.read()
        before = self._cpu()
        words = run(
            self.lab.inside(
                self.client,
                ["ab", "-q", "-n", str(self.plan.requests), "-c", str(self.plan.parallel), "-s", "20", f"http://{address}:{webserver.PORT}/"],
            ),
            timeout_s=600,
        )
        after = self._cpu()
        return Round(
            figure(words, r"Requests per second:\s+([\d.]+)"),
            int(figure(words, r"Failed requests:\s+(\d+)")),
            {name: after[name] - before[name] for name in before},
            switch_counters.per_connection(counted, switch_counters.read(), self.plan.requests),
        )

    def _connect(self, address: str) -> list[int]:
        words = run(processes.script(self.lab, self.client, CONNECTING, address, str(webserver.PORT), str(self.plan.connects)), timeout_s=600)
        return [int(line) for line in words.split()]

    def _cpu(self) -> dict[str, float]:
        revalidators = usage.thread_cpu_seconds(self.programs["vswitchd"][0], "revalidator")
        return {"revalidators": revalidators, **{name: sum(map(usage.cpu_seconds, pids)) for name, pids in self.programs.items()}}

    def _figures(self, rounds: dict[str, list[Round]], connects: dict[str, list[int]]) -> dict[str, Any]:
        figures: dict[str, Any] = {}
        for way, results in rounds.items():
            figures[way] = {
                "connections_per_s": statistics.median(result.per_second for result in results),
                "connections_per_s_min": min(result.per_second for result in results),
                "connections_per_s_max": max(result.per_second for result in results),
                "failed": sum(result.failed for result in results),
                "per_connection": {name: statistics.median(result.counts[name] for result in results) for name in switch_counters.NAMES},
                "connect_median_ms": statistics.median(connects[way]) / 1000,
                "cpu_us_per_connection": {
                    name: 1e6 * statistics.median(result.cpu[name] for result in results) / self.plan.requests for name in results[0].cpu
                },
            }
        return figures


def figure(words: str, pattern: str) -> float:
    """The number that a pattern finds in a program's output. Raises ScriptError if it finds none."""
    found = re.search(pattern, words)
    if found is None:
        raise ScriptError(f"'{pattern}' not found in: {words.strip()[-200:]}")
    return float(found.group(1))
