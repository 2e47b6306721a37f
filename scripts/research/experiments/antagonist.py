"""`antagonist`: tail latencies while other tenants take changing parts of servers, and cross traffic changing parts of links.

Not in the thesis. As `lab simulate antagonist`, on real switches: the thesis's network with two servers at each of three
sites; requests at random times for random amounts of processor time and bytes.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence

from malob.network import paths, topology
from malob.network.topology import Topology
from research.experiments import antagonists, arguments, thesis_arguments
from research.experiments.antagonists import MEAN_FREE, MEAN_QUOTA
from research.experiments.arguments import amount
from research.experiments.report import Row
from research.experiments.scenario import Case, Plot, Scenario
from research.experiments.summary import Check, Summary
from research.experiments.workloads.work import Work
from research.experiments.workloads.workload import Load

NAME = "antagonist"
HELP = "tail latencies while other tenants and cross traffic take changing parts of servers and links"

_TOPOLOGY = "geni-wan-6"
RULES = ("LC+SPH", "P2C+SPH", "CPU+SPH", "SL-PS", "HT-PS", "PCT", "PREQUAL+SPH", "PREQUAL")

#: What requests need much of; of the other one, they need a tenth of that.
SCARCE = ("servers", "links", "both")

_PROCESSORS = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    # with these and --answer, the switches of two cores keep up
    thesis_arguments.add(parser, "requests", 0.03)
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
    rounds = options.rounds or (1 if options.quick else 10)
    network = topology.load(_TOPOLOGY)
    servers = [host.name for host in network.with_role("server")]
    works = {kind: work(network, kind, options) for kind in kinds}
    rows = [
        Row(f"{name}.{kind}", f"{name}.{kind}", "work", 4 * requests * rounds, label=name, group=kind, tail=True) for kind in kinds for name in names
    ]
    setup = thesis_arguments.setup(options, _TOPOLOGY, [next(iter(works.values()))], processors=dict.fromkeys(servers, _PROCESSORS))
    return Scenario(
        NAME,
        setup,
        [Case(f"{name}.{kind}", {"work": name}, [Load(works[kind], requests)], disturbance=antagonists.at_work) for kind in kinds for name in names],
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
