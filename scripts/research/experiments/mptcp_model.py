"""The fluid model of the runs: traffic.json for `./malob lab simulate mptcp-fluid`, and its results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from malob.network.topology import Topology
from malob.system.place import ROOT
from malob.system.processes import run
from research.experiments.folder import Folder

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
    answer = json.loads(run([str(ROOT / "malob"), "bench", "mptcp-fluid", str((folder.path / FILE).resolve()), "--json"], timeout_s=_TIMEOUT_S))
    prefix = "model_mbps."
    return {key[len(prefix) :]: metric["value"] for key, metric in answer["metrics"].items()}
