"""`antagonist`: tail latencies while other tenants take changing parts of servers, and cross traffic changing parts of links.

Not in the thesis. As `lab simulate antagonist`, on real switches: the thesis's network with two servers at each of three
sites; requests at random times for random amounts of processor time and bytes.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from lab import processes
from lab.crosstraffic import LONGEST_S, PARTS, SHORTEST_S
from lab.latency import CROSS_TRAFFIC
from malob.errors import MissingError
from malob.network import paths, topology
from malob.network.topology import Topology
from malob.system.processes import bound_to_us
from research.experiments.frame import arguments
from research.experiments.frame.arguments import amount
from research.experiments.frame.report import Row
from research.experiments.frame.summary import Check, Summary
from research.experiments.site.cpulimits import KernelCpuLimits
from research.experiments.site.site import ExperimentSite
from research.experiments.thesis.scenario import Case, Plot, Scenario, add_options, setup
from research.experiments.workloads import Load, Work

NAME = "antagonist"
HELP = "tail latencies while other tenants and cross traffic take changing parts of servers and links"

_TOPOLOGY = "geni-wan-6"
RULES = ("LC+SPH", "P2C+SPH", "CPU+SPH", "SL-PS", "HT-PS", "PCT", "PREQUAL+SPH", "PREQUAL")

#: What requests need much of; of the other one, they need a tenth of that.
SCARCE = ("servers", "links", "both")

_PROCESSORS = 4

_PORT = 5202

#: The parts of its quota that a server has.
QUOTAS = (0.25, 0.5, 0.75, 1.0)

MEAN_QUOTA = sum(QUOTAS) / len(QUOTAS)
MEAN_FREE = 1 - sum(PARTS) / len(PARTS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    # with these and --answer, the switches of two cores keep up
    add_options(parser, "requests", 0.03)
    parser.set_defaults(processor=0.05)
    parser.add_argument(
        "--load",
        type=amount,
        default=85,
        metavar="PERCENT",
        help="of all servers and of the busiest link, if requests were spread evenly (default %(default)s)",
    )
    parser.add_argument(
        "--answer",
        type=amount,
        default=500,
        metavar="KB",
        help="of an answer in the mean, multiplied by --scale; larger answers are fewer for the same load of links (default %(default)s)",
    )
    parser.add_argument("--scarce", metavar="KIND,KIND...", help=f"what requests need much of: {', '.join(SCARCE)} (default all)")


def scenario(options: argparse.Namespace) -> Scenario:
    names = arguments.chosen(options.only, RULES)
    kinds = arguments.chosen(options.scarce, SCARCE, "--scarce")
    requests = options.requests or (100 if options.quick else 250)
    rounds = arguments.rounds(options, 10)
    network = topology.load(_TOPOLOGY)
    servers = [host.name for host in network.with_role("server")]
    works = {kind: work(network, kind, options) for kind in kinds}
    rows = [
        Row(f"{name}.{kind}", f"{name}.{kind}", "work", 4 * requests * rounds, label=name, group=kind, tail=True) for kind in kinds for name in names
    ]
    made = setup(options, _TOPOLOGY, [next(iter(works.values()))], processors=dict.fromkeys(servers, _PROCESSORS))
    return Scenario(
        NAME,
        made,
        [Case(f"{name}.{kind}", {"work": name}, [Load(works[kind], requests)], disturbance=at_work) for kind in kinds for name in names],
        rows,
        rounds,
        [Plot("antagonist", f"Requests beside antagonists, load {options.load:g} %")],
        {
            "load_percent": options.load,
            "requests_per_client_and_round": requests,
            "requests_per_s_and_client": {kind: each.rate for kind, each in works.items()},
            "mean_cpu_s": {kind: each.cpu_s for kind, each in works.items()},
            "mean_answer_bytes": {kind: each.answer_bytes for kind, each in works.items()},
        },
        lambda summary: _checks(summary, kinds),
    )


def work(network: Topology, scarce: str, options: argparse.Namespace) -> Work:
    """The requests that have the load if they are spread evenly, over the paths with the fewest links.

    Both resources would be full at the same rate; the answers' size grows with --scale, so that the rate does not depend on it.
    """
    answer = 1000 * options.answer * options.scale
    per_s = 1 / busiest_link_s(network, 8e-3 * options.answer)
    cores = len(network.with_role("server")) * _PROCESSORS * options.processor * MEAN_QUOTA
    return Work(
        cpu_s=round(cores / per_s / (10 if scarce == "links" else 1), 8),
        answer_bytes=round(answer / (10 if scarce == "servers" else 1)),
        rate=round(options.load / 100 * per_s / len(network.with_role("client")), 4),
    )


def busiest_link_s(network: Topology, answer_mbit: float) -> float:
    """How long a request's answer keeps the busiest link busy, on average over clients and servers."""
    clients, servers = network.with_role("client"), network.with_role("server")
    busy_s: dict[tuple[str, str], float] = defaultdict(float)
    for client in clients:
        steps = paths.with_fewest_links(network, client.switch)
        for server in servers:
            here = server.switch
            while here != client.switch:
                following = steps[here].following
                rate = network.link(here, following).direction(here).rate_mbps or float("inf")
                busy_s[here, following] += answer_mbit / (rate * MEAN_FREE) / (len(clients) * len(servers))
                here = following
    return max(busy_s.values())


def _checks(summary: Summary, kinds: Sequence[str]) -> list[Check]:
    def check(mine: str, other: str, kind: str, at_most: float) -> Check:
        return Check(f"p99 of {mine} to that of {other}: {kind}", summary.ratio(f"p99_s.{mine}.{kind}", f"p99_s.{other}.{kind}"), at_most)

    found = [check("PREQUAL", "P2C+SPH", kind, 1.05) for kind in kinds]
    if "links" in kinds:
        found.append(check("PREQUAL", "PREQUAL+SPH", "links", 0.75))
    if "servers" in kinds:
        found.append(check("PREQUAL", "PREQUAL+SPH", "servers", 1.05))
    return found


@contextmanager
def at_work(site: ExperimentSite, seed: str) -> Iterator[None]:
    """In the context, each server's quota and each link's cross traffic change every few seconds. The same seed draws the same parts.

    Raises MissingError if the kernel cannot limit processors.
    """
    limits = site.limits
    if not isinstance(limits, KernelCpuLimits):
        raise MissingError("antagonists need a kernel with cgroups that limit processors")
    ended = threading.Event()
    threads = [threading.Thread(target=_vary, args=(limits, host.name, seed, ended)) for host in site.hosts]
    senders: list[subprocess.Popen[bytes]] = []
    try:
        for switch, neighbours in targets(site.lab.topology, site.setup.scale).items():
            words = [f"{address}={mbps:g}" for address, mbps in neighbours.items()]
            own = site.lab.topology.nodes[switch].ip
            command = processes.script(site.lab, f"{switch}.node", CROSS_TRAFFIC, "--vary", f"{seed} {own}", own, str(_PORT), *words)
            senders.append(subprocess.Popen(bound_to_us(command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True))
        for thread in threads:
            thread.start()
        yield
    finally:
        ended.set()
        for process in senders:
            processes.end(process)
        for thread in threads:
            thread.join()
        for host in site.hosts:
            limits.change(host.name, limits.quota(host.name))


def _vary(limits: KernelCpuLimits, server: str, seed: str, ended: threading.Event) -> None:
    chance = random.Random(f"{seed}/{server}")
    while not ended.is_set():
        limits.change(server, chance.choice(QUOTAS) * limits.quota(server))
        ended.wait(chance.uniform(SHORTEST_S, LONGEST_S))


def targets(network: Topology, scale: float) -> Mapping[str, Mapping[str, float]]:
    """By switch, the addresses of its neighbours' nodes with the rates of the links to them, in Mbit/s."""
    return {
        switch: {
            network.nodes[neighbour].ip: (network.link(switch, neighbour).direction(switch).rate_mbps or 0) * scale
            for neighbour in network.neighbours(switch)
        }
        for switch in network.switches
    }
