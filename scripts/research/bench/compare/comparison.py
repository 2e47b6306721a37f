"""Runs the balancers under the same load; the order is reversed in every second repeat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from malob.errors import MissingError
from malob.network import topology
from malob.system.progress import Bar
from malob.system.waiting import say
from research.bench.compare import figures
from research.bench.compare.balancers import Balancer
from research.bench.compare.load import Plan, Round, run_round
from research.bench.compare.site import Site, open_site


@dataclass(frozen=True)
class Network:
    """A network for the comparison. control_delays_ms: one way, by switch."""

    name: str
    control_delays_ms: Mapping[str, float]


#: a small load before the measurement, so that hosts are known and programs are warm
_WARM_UP = Plan(connections=60, parallel=5, connects=2, pages=2)


def compare(network: Network, balancers: Mapping[str, Balancer], skipped: Mapping[str, str], plan: Plan, repeats: int) -> dict[str, Any]:
    """The figures of each balancer on a network, which is built for it and removed.

    skipped: balancers that cannot run, and the reasons.
    """
    rounds: dict[str, list[Round]] = {name: [] for name in balancers}
    reasons = dict(skipped)
    with open_site(topology.load(network.name), network.control_delays_ms) as site:
        with Bar(repeats * len(balancers)) as bar:
            for number in range(repeats):
                for name in turn(list(balancers), number):
                    if name in reasons:
                        continue
                    bar.begin(f"{network.name}, repeat {number + 1}, {name}")
                    try:
                        rounds[name].append(_round(site, balancers[name], plan))
                    except MissingError as error:
                        say(f"{name} is skipped: {error}")
                        reasons[name] = str(error)
        proxy_host = site.proxy_host.name
    found = {name: {"skipped": reasons[name]} if name in reasons else figures.figures(made) for name, made in rounds.items()}
    return {"network": network.name, "control_delays_ms": dict(network.control_delays_ms), "proxy_host": proxy_host, "balancers": found}


def turn(names: Sequence[str], number: int) -> list[str]:
    """The order of balancers in a repeat: reversed in every second one."""
    return list(names if number % 2 == 0 else reversed(names))


def _round(site: Site, balancer: Balancer, plan: Plan) -> Round:
    clients = [client.name for client in site.clients]
    with balancer.run(site) as target:
        run_round(site.lab, clients, target, _WARM_UP)
        return run_round(site.lab, clients, target, plan)
