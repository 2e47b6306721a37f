"""The switch with its web servers, and what is measured on it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from lab import balancing, processes, rules, site, webserver
from lab.balancing import BASE, VirtualServer
from malob.network import topology
from malob.system import ovs
from malob.system.processes import run
from malob.system.waiting import say, wait_until
from research.bench import ovn, usage, visits
from research.bench.bench_command import turns
from research.bench.open_vswitch.cases import OVN, PLAIN, SERVICES, order
from research.bench.open_vswitch.figures import Pair, Round
from research.bench.ovn import Ovn
from research.bench.readings import counters_read, figure, flows_in, packet_ins_in, per_connection
from research.bench.repeating import repeating

NAME = "mlv"
TOPOLOGY = "single"

#: above all rules of the balancer
_PLAIN_RULE = "priority=65535,table=0,actions=NORMAL"
#: The members' weights, in turn, and how long each lasts.
_WEIGHTS = ((1, 3), (3, 1))
_MOVE_S = 1.0


class OpenVSwitchSite(site.Site):
    """A switch with web servers, the VIPs of the cases, and OVN's bridge if that is one of them."""

    def __init__(self, directory: Path, cases: Sequence[str], options: argparse.Namespace) -> None:
        network = topology.load(TOPOLOGY)
        super().__init__(network, NAME, directory)
        self._cases, self._options = cases, options
        self._client = network.with_role("client")[0]
        self._servers = network.with_role("server")
        self._virtual: dict[str, VirtualServer] = {}
        self._weighed = 0
        self._bridge: str
        self._measured: dict[str, list[int]]

    def build(self) -> None:
        self._bridge = self.lab.bridge(next(iter(self.lab.topology.switches)))
        services = {case: SERVICES[case] for case in self._cases if case in SERVICES}
        ports = sorted({webserver.PORT, *(service.port for service in services.values())})
        nginx = [webserver.start(self.lab, server.name, ports=ports) for server in self._servers]
        for process in nginx:
            self.programs.callback(processes.end, process)
        for case, service in services.items():
            self._virtual[case] = balancing.set_up(
                self.rest,
                service.address,
                service.port,
                self._servers,
                key=case,
                algorithm=service.algorithm,
                placement=service.placement,
            )
            wait_until(partial(balancing.all_located, self.rest, self._virtual[case]), "the servers to be found", 10)
        # the controller must know the client's switch
        self._ping()
        for case, service in services.items():
            if service.placement != balancing.REACTIVE:
                balancing.wait_for_proactive(self.rest, case)
        if OVN in self._cases:
            self.programs.enter_context(Ovn(self.lab, [self._client], self._servers, webserver.PORT))
        pids = [process.pid for process in nginx]
        self._measured = {"vswitchd": [ovs.switch_daemon_pid()], "controller": [self.controller.pid], "nginx": pids}

    def measure(self) -> dict[str, list[Pair]]:
        """The pairs of all cases, measured in turn."""
        say("warming up")
        for case in self._cases:
            self._ab(*self._target(case))
        pairs: dict[str, list[Pair]] = {case: [] for case in self._cases}
        for case in turns(self._cases, self._options.rounds, order):
            # what comes first alternates
            first, second = ((PLAIN, case), (case, PLAIN))[len(pairs[case]) % 2]
            rounds = {first: self._round(first), second: self._round(second)}
            pairs[case].append(Pair(rounds[PLAIN], rounds[case]))
        return pairs

    def _target(self, case: str) -> tuple[str, int]:
        if case == PLAIN:
            return self._servers[0].ip, webserver.PORT
        if case == OVN:
            return ovn.VIP, webserver.PORT
        return SERVICES[case].address, SERVICES[case].port

    def _round(self, case: str) -> Round:
        wait_until(self._is_quiet, "the rules of earlier connections to end", 90)
        # ports of a client come again, and an entry of an ended connection costs the one that comes after
        ovs.flush_connections()
        with self._conditions(case):
            self._ping()
            return self._ab(*self._target(case))

    @contextmanager
    def _conditions(self, case: str) -> Iterator[None]:
        if case == PLAIN:
            ovs.ofctl("add-flow", self._bridge, _PLAIN_RULE)
            try:
                yield
            finally:
                ovs.ofctl("--strict", "del-flows", self._bridge, _PLAIN_RULE.rpartition(",")[0])
        elif case in SERVICES and SERVICES[case].moves:
            with repeating(partial(self._weigh, self._virtual[case]), _MOVE_S):
                yield
        else:
            yield

    def _weigh(self, virtual: VirtualServer) -> None:
        self._weighed += 1
        for member, weight in zip(virtual.members, _WEIGHTS[self._weighed % len(_WEIGHTS)]):
            self.rest.put(f"{BASE}/members/{member}", {"weight": weight})

    def _is_quiet(self) -> bool:
        """Whether no connection has a rule: each removal makes the switch revalidate all its flows. Rules of buckets stay."""
        return rules.count(self._bridge, rules.REQUEST) == 0

    def _ping(self) -> None:
        run(self.lab.inside(self._client.name, ["ping", "-n", "-c", "2", "-i", "0.2", self._servers[0].ip]), 10)

    def _ab(self, address: str, port: int) -> Round:
        requests, parallel = self._options.requests, self._options.parallel
        counted, handled = counters_read(), self._packet_ins()
        before = self._cpu()
        command = ["ab", "-q", "-n", str(requests), "-c", str(parallel), "-s", "20", f"http://{address}:{port}/"]
        words = run(self.lab.inside(self._client.name, command), timeout_s=600)
        after = self._cpu()
        flows = flows_in(run(["ovs-appctl", "dpctl/show"]))
        # takes a second, in which the last packet-ins arrive
        counts = per_connection(counted, counters_read(), requests)
        return Round(
            figure(words, r"Requests per second:\s+([\d.]+)"),
            int(figure(words, r"Failed requests:\s+(\d+)")),
            {name: after[name] - before[name] for name in before},
            counts,
            self._packet_ins() - handled,
            flows,
            self._connect(address, port),
        )

    def _packet_ins(self) -> int:
        return packet_ins_in(self.rest.get_text("/metrics"))

    def _connect(self, address: str, port: int) -> list[int]:
        command = processes.script(self.lab, self._client.name, visits.VISITING, address, str(port), str(self._options.connects), "0")
        return visits.connect_us(run(command, timeout_s=600))

    def _cpu(self) -> dict[str, float]:
        revalidators = usage.thread_cpu_seconds(self._measured["vswitchd"][0], "revalidator")
        return {"revalidators": revalidators, **{name: sum(map(usage.cpu_seconds, pids)) for name, pids in self._measured.items()}}
