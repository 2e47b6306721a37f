"""Other tenants of servers, and cross traffic on links: what they take changes at random while requests are measured."""

from __future__ import annotations

import random
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from lab import processes
from lab.crosstraffic import LONGEST_S, PARTS, SHORTEST_S
from lab.latency import CROSS_TRAFFIC
from malob.errors import MissingError
from malob.network.topology import Topology
from malob.system.processes import bound_to_us
from research.experiments.cpulimits import KernelCpuLimits
from research.experiments.site import Site

_PORT = 5202

#: The parts of its quota that a server has.
QUOTAS = (0.25, 0.5, 0.75, 1.0)

MEAN_QUOTA = sum(QUOTAS) / len(QUOTAS)
MEAN_FREE = 1 - sum(PARTS) / len(PARTS)


@contextmanager
def at_work(site: Site, seed: str) -> Iterator[None]:
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
