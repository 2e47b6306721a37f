"""The fluid model's forecast for `lab run mptcp`: plans are computed offline by the controller's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from malob.cli.mptcp import planner, question
from malob.cli.table import render
from malob.network.topology import Topology
from malob.system.waiting import say
from research.experiments import mptcp_methods, mptcp_pairs
from research.experiments.mptcp_methods import ADDRESSES_OF, Method
from research.experiments.mptcp_model import Traffic
from research.experiments.mptcp_report import Cell
from research.experiments.summary import Summary


def draw(traffic: Traffic, networks: Sequence[Topology], cells: Sequence[Cell], rounds: int, seed: int) -> None:
    """Adds all runs that a real experiment would make, with the rates of the networks."""
    for network in networks:
        mine = [cell for cell in cells if cell.topology == network.name]
        methods = [mptcp_methods.named(name) for name in dict.fromkeys([ADDRESSES_OF, *(cell.method for cell in mine)])]
        say(f"planning for {network.name}")
        asked = question.offline(network)
        plans = {method.name: planner.plan({**method.plan, **asked}) for method in methods if method.plan is not None and not method.by_load}
        traffic.network(network.name, network)
        for name, answer in plans.items():
            traffic.plan(f"{network.name}.{name}", answer)
        for cell in mine:
            method = mptcp_methods.named(cell.method)
            known = plans.get(cell.method, plans[ADDRESSES_OF])
            for number in range(1, rounds + 1):
                pairs = mptcp_pairs.draw(cell.load, network, mptcp_pairs.seed_of(seed, network.name, number))
                planned = None if method.plan is None else f"{network.name}.{cell.method}"
                if method.by_load:
                    known = planner.plan({**method.request(pairs), **asked})
                    planned = traffic.plan_of_run(cell.key, number, known)
                traffic.add(cell.key, network.name, planned, number, pairs, [_sources(network, method, known, *pair) for pair in pairs])


def _sources(network: Topology, method: Method, plan: Mapping[str, Any], client: str, server: str) -> list[str]:
    if not method.mptcp:
        return [network.hosts[client].ip]
    host = next(host for host in plan["hosts"] if host["id"] == client)
    addresses = [address["address"] for address in host["addresses"]]
    return addresses if method.plan is None else mptcp_methods.leading_to(plan, addresses, network.hosts[server].switch)


def summarise(summary: Summary, cells: Sequence[Cell], model: Mapping[str, float]) -> None:
    """Adds model_mbps and model_gain_percent (on TCP in the same place)."""
    for cell in cells:
        summary.metric(f"model_mbps.{cell.key}", round(model[cell.key], 4), "Mbit/s")
        gain = gain_percent(cell, model)
        if gain is not None:
            summary.metric(f"model_gain_percent.{cell.key}", round(gain, 2), "%")


def gain_percent(cell: Cell, model: Mapping[str, float]) -> float | None:
    """None without TCP."""
    base = model.get(cell.of("TCP").key)
    return None if not base else 100 * (model[cell.key] / base - 1)


def table(cells: Sequence[Cell], model: Mapping[str, float]) -> list[str]:
    """The printed table."""
    rows = []
    for cell in cells:
        gain = gain_percent(cell, model)
        rows.append([cell.method, cell.load, cell.topology, f"{model[cell.key]:.2f}", "" if gain is None else f"{gain:+.1f}"])
    return render(["method", "load", "topology", "model, Mbit/s", "% on TCP"], rows, right=[3, 4])
