"""The load: new connections by ab, connect() alone, and pages; and its cost for processors and links."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Callable, TypeVar

from lab import processes
from lab.instance import Instance
from malob.system import ovs
from malob.system.processes import run
from research.bench import usage, visits
from research.bench.readings import figure
from research.bench.visits import VISITING, Visits

PAGE_BYTES = 200_000

#: the max duration of a client's ab, whatever its progress
_LONGEST_S = 60
_PATIENCE_S = 900

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Plan:
    """The load of each client. connections: the number by ab, `parallel` at a time. connects: the number that is timed, one
    after the other, on the idle network. pages: the number that is fetched, one after the other, by all clients at the same
    time."""

    connections: int
    parallel: int
    connects: int
    pages: int


@dataclass(frozen=True)
class Target:
    """The target of clients: addresses are used in turn. programs: process ids by name, whose processor time is measured."""

    addresses: Sequence[str]
    port: int
    programs: Mapping[str, int]


@dataclass(frozen=True)
class Round:
    """One run of a balancer under the load. cpu_s: processor seconds by program. link_bytes: by direction of a link, as "s1>s2"."""

    connections_per_s: float
    mbit_per_s: float
    connects: Visits
    pages: Visits
    failed: int
    cpu_s: Mapping[str, float]
    link_bytes: Mapping[str, int]


def run_round(lab: Instance, clients: Sequence[str], target: Target, plan: Plan) -> Round:
    """Runs the load on a target. Raises ScriptError."""
    cpu_before, bytes_before = _cpu_s(target), link_bytes(lab)
    rate, failed = _connections(lab, clients, target, plan)
    connects = _visits(lab, clients, target, plan.connects, 0)
    began = time.monotonic()
    pages = _visits(lab, clients, target, plan.pages, PAGE_BYTES)
    seconds = time.monotonic() - began
    cpu_after, bytes_after = _cpu_s(target), link_bytes(lab)
    return Round(
        rate,
        8e-6 * PAGE_BYTES * len(pages.total_us) / seconds,
        connects,
        pages,
        failed + connects.failed + pages.failed,
        {name: cpu_after[name] - cpu_before[name] for name in cpu_before},
        {direction: bytes_after[direction] - bytes_before[direction] for direction in bytes_before},
    )


def _connections(lab: Instance, clients: Sequence[str], target: Target, plan: Plan) -> tuple[float, int]:
    """Connections per second of all clients together, and the number of failures."""

    def on(number: int, client: str) -> tuple[int, int, float]:
        results = [
            parse_ab(run(lab.inside(client, _ab(address, target.port, share, plan.parallel)), _PATIENCE_S))
            for address, share in zip(_rotated(target.addresses, number), shares(plan.connections, len(target.addresses)))
            if share
        ]
        return sum(done for done, _, _ in results), sum(failed for _, failed, _ in results), sum(seconds for _, _, seconds in results)

    results = _at_once(clients, on)
    done, failed = (sum(result[place] for result in results) for place in (0, 1))
    return (done - failed) / max(seconds for _, _, seconds in results), int(failed)


def _ab(address: str, port: int, count: int, parallel: int) -> list[str]:
    limits = ["-t", str(_LONGEST_S), "-n", str(count), "-c", str(min(parallel, count))]
    return ["ab", "-q", "-r", "-s", "20", *limits, f"http://{address}:{port}/"]


def parse_ab(words: str) -> tuple[int, int, float]:
    """The numbers of completed and failed requests, and the total seconds."""
    unwanted = re.search(r"Non-2xx responses:\s+(\d+)", words)
    failed = int(figure(words, r"Failed requests:\s+(\d+)")) + (int(unwanted.group(1)) if unwanted else 0)
    return int(figure(words, r"Complete requests:\s+(\d+)")), failed, figure(words, r"Time taken for tests:\s+([\d.]+)")


def _visits(lab: Instance, clients: Sequence[str], target: Target, count: int, size: int) -> Visits:
    def on(number: int, client: str) -> Visits:
        addresses = ",".join(_rotated(target.addresses, number))
        command = processes.script(lab, client, VISITING, addresses, str(target.port), str(count), str(size))
        return visits.parse(run(command, _PATIENCE_S))

    results = _at_once(clients, on)
    return Visits(
        [time_us for result in results for time_us in result.connect_us],
        [time_us for result in results for time_us in result.total_us],
        sum(result.failed for result in results),
    )


def shares(count: int, parts: int) -> list[int]:
    """Splits a number into parts that differ by at most one."""
    return [count // parts + (number < count % parts) for number in range(parts)]


def _rotated(addresses: Sequence[str], number: int) -> list[str]:
    """Each client begins with a different address."""
    first = number % len(addresses)
    return [*addresses[first:], *addresses[:first]]


def _at_once(clients: Sequence[str], work: Callable[[int, str], _Result]) -> list[_Result]:
    with ThreadPoolExecutor(len(clients)) as pool:
        return list(pool.map(work, range(len(clients)), clients))


def _cpu_s(target: Target) -> dict[str, float]:
    return {name: usage.cpu_seconds(pid) for name, pid in target.programs.items()}


def link_bytes(lab: Instance) -> dict[str, int]:
    """The bytes that each direction of each link has carried so far, including links between hosts and switches."""
    network, counted = lab.topology, {}
    hosts = {host.name for host in network.hosts.values()}
    for switch in network.switches:
        ports = parse_ports(ovs.ofctl("--no-names", "dump-ports", lab.bridge(switch)))
        for neighbour, port in network.ports(switch).items():
            if neighbour in hosts and network.hosts[neighbour].switch == switch:
                counted[f"{switch}>{neighbour}.host"], counted[f"{neighbour}.host>{switch}"] = ports[port][1], ports[port][0]
            elif neighbour in network.switches:
                counted[f"{switch}>{neighbour}"] = ports[port][1]
    return counted


def parse_ports(words: str) -> dict[int, tuple[int, int]]:
    """Bytes received and sent by port number, as ovs-ofctl dump-ports prints them."""
    found = re.findall(r"port\s+(\d+): rx pkts=\d+, bytes=(\d+),.*?tx pkts=\d+, bytes=(\d+)", words, re.DOTALL)
    return {int(port): (int(received), int(sent)) for port, received, sent in found}
