"""An experiment of the thesis as data: network, cases, expected results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Callable

from research.experiments.folder import Folder
from research.experiments.plots import Figure
from research.experiments.report import Row
from research.experiments.site import Setup, Site
from research.experiments.summary import Check, Summary
from research.experiments.workloads.workload import Load

GREEDY = {"io.malob.balancer.BalancerModule.countPlaced": "false"}

#: As in the thesis, a connection stays on its initial paths.
UNMOVED = {"io.malob.balancer.BalancerModule.elephantSeconds": "0"}


@dataclass(frozen=True)
class Case:
    """One compared case. algorithms: by service. loads: of each client. properties: of the controller.

    disturbance: what else happens while clients run, by a seed that all cases of a round share.
    """

    key: str
    algorithms: Mapping[str, str]
    loads: Sequence[Load]
    properties: Mapping[str, str] = field(default_factory=dict)
    disturbance: Callable[[Site, str], AbstractContextManager[None]] | None = None


@dataclass(frozen=True)
class Plot:
    """A figure with the rows of one kind of request, or of all. number: of the paper's figure, or empty."""

    name: str
    title: str
    kind: str = ""
    number: str = ""


@dataclass(frozen=True)
class Scenario:
    """paper_factor: converts the paper's seconds to this experiment's, which has smaller requests. before: makes measurements
    before the slices, and returns figures."""

    name: str
    setup: Setup
    cases: Sequence[Case]
    rows: Sequence[Row]
    rounds: int
    plots: Sequence[Plot]
    parameters: Mapping[str, Any]
    checks: Callable[[Summary], list[Check]]
    paper_factor: float = 1.0
    before: Callable[[Site, Folder, Summary], list[Figure]] | None = None

    def without(self, algorithms: set[str]) -> Scenario:
        """The same without the cases that use one of these."""
        cases = [case for case in self.cases if not set(case.algorithms.values()) & algorithms]
        keys = {case.key for case in cases}
        return replace(self, cases=cases, rows=[row for row in self.rows if row.case in keys])
