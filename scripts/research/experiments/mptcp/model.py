"""The fluid model of the runs: traffic.json for `./malob lab simulate mptcp-fluid`, and its results; and its forecast.

For a forecast, plans are computed offline by the controller's code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from malob.cli.mptcp import planner, question
from malob.network.topology import Topology
from malob.system.place import ROOT
from malob.system.processes import run
from malob.system.waiting import say
from research.experiments.frame.folder import Folder
from research.experiments.frame.table import Column, Table
from research.experiments.mptcp import methods as mptcp_methods
from research.experiments.mptcp import pairs as mptcp_pairs
from research.experiments.mptcp.methods import ADDRESSES_OF, Method
from research.experiments.mptcp.report import Cell

FILE = "traffic.json"
_TIMEOUT_S = 900


@dataclass
class Traffic:
    """Collects networks, plans, and the sessions of each run of a cell. access_mbps: of hosts."""

    access_mbps: float
    networks: dict[str, Any] = field(default_factory=dict)
    plans: dict[str, Any] = field(default_factory=dict)
    cells: list[dict[str, Any]] = field(default_factory=list)
    #: plans of a single run
    plans_of_runs: dict[str, Any] = field(default_factory=dict)

    def network(self, name: str, network: Topology) -> None:
        """Adds a network with its rates in the lab."""
        self.networks[name] = network.to_json()

    def plan(self, name: str, answer: dict[str, Any]) -> None:
        """Adds the controller's answer."""
        self.plans[name] = answer

    def plan_of_run(self, cell: str, number: int, answer: dict[str, Any]) -> str:
        """The name of the controller's answer for a single run."""
        name = f"{cell}.{number}"
        self.plans_of_runs[name] = {"paths": [{"address": path["address"], "branches": path["branches"]} for path in answer["paths"]]}
        return name

    def add(
        self, cell: str, network: str, plan: str | None, number: int, pairs: Sequence[tuple[str, str]], addresses: Sequence[Sequence[str]]
    ) -> None:
        """A run of a cell. addresses: of each session's sub-flows."""
        self.cells.append(
            {
                "cell": cell,
                "network": network,
                "plan": plan,
                "round": number,
                "sessions": [{"from": client, "to": server, "addresses": list(sources)} for (client, server), sources in zip(pairs, addresses)],
            }
        )

    def described_plans(self) -> dict[str, Any]:
        """The properties of each plan: sub-flows per link, whether that is optimal, and kinds of paths."""
        return {
            name: {
                **{field: answer[field] for field in ("maximum", "minimum", "proven_optimal")},
                "kinds": sorted({path["kind"] for path in answer["paths"]}),
            }
            for name, answer in self.plans.items()
        }

    def to_json(self) -> dict[str, Any]:
        plans = {**self.plans, **self.plans_of_runs}
        return {"access_mbps": self.access_mbps, "networks": self.networks, "plans": plans, "cells": self.cells}


def mbps(folder: Folder, traffic: Traffic) -> dict[str, float]:
    """By cell, the model's result, averaged over the runs. Writes FILE for it. Raises ScriptError if there is no model."""
    folder.document(FILE, traffic.to_json())
    command = [str(ROOT / "malob"), "lab", "simulate", "mptcp-fluid", str((folder.path / FILE).resolve()), "--json"]
    answer = json.loads(run(command, timeout_s=_TIMEOUT_S))
    prefix = "model_mbps."
    return {key[len(prefix) :]: metric["value"] for key, metric in answer["metrics"].items()}


def forecast(traffic: Traffic, networks: Sequence[Topology], cells: Sequence[Cell], rounds: int, seed: int) -> None:
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


def forecast_table(cells: Sequence[Cell], model: Mapping[str, float]) -> Table[Cell]:
    """Throughput, and gain on TCP in the same place."""
    columns: list[Column[Cell]] = [
        Column("method", "method", lambda cell: cell.method),
        Column("load", "load", lambda cell: cell.load),
        Column("topology", "topology", lambda cell: cell.topology),
        Column("model_mbps", "model, Mbit/s", lambda cell: model[cell.key], ".2f", unit="Mbit/s"),
        Column("model_gain_percent", "% on TCP", lambda cell: gain_percent(cell, model), "+.1f", unit="%", digits=2),
    ]
    return Table(columns, cells)


def gain_percent(cell: Cell, model: Mapping[str, float]) -> float | None:
    """None without TCP."""
    base = model.get(cell.of("TCP").key)
    return None if not base else 100 * (model[cell.key] / base - 1)
