"""An experiment of the thesis as data: options, network, cases, expected results."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Callable

from lab import balancing
from malob.cli.arguments import positive
from malob.errors import UsageError
from research.experiments.frame.arguments import add_common, add_congestion, amount, congestion
from research.experiments.frame.folder import Folder
from research.experiments.frame.plots import Figure
from research.experiments.frame.report import Row
from research.experiments.frame.summary import Check, Summary
from research.experiments.site.site import ExperimentSite, Setup
from research.experiments.workloads import Ftp, Load, Workload

#: The compared algorithms, server rule + path rule: Table 4.1 of the thesis, and MALOB's own.
SEPARATE = tuple(f"{server}+{path}" for server in ("RR", "LC", "CPU") for path in ("SPH", "SPL", "HTP"))
JOINT = ("SL-PS", "HT-PS")
PAPER = (*SEPARATE, *JOINT)

#: MALOB's own, which are not in the thesis.
OWN = ("PCT", "PREQUAL")
ALL = (*PAPER, *OWN)

GREEDY = {"io.malob.balancer.BalancerModule.countPlaced": "false"}

#: As in the thesis, a connection stays on its initial paths.
UNMOVED = {"io.malob.balancer.BalancerModule.elephantSeconds": "0"}

#: Table 4.2.
PROCESSORS = {"server-1": 4, "server-2": 1, "server-3": 1}

_PLACEMENTS = (balancing.REACTIVE, balancing.PROACTIVE, balancing.AUTO)


@dataclass(frozen=True)
class Case:
    """One compared case. algorithms: by service. loads: of each client. properties: of the controller.

    disturbance: what else happens while clients run, by a seed that all cases of a round share.
    """

    key: str
    algorithms: Mapping[str, str]
    loads: Sequence[Load]
    properties: Mapping[str, str] = field(default_factory=dict)
    disturbance: Callable[[ExperimentSite, str], AbstractContextManager[None]] | None = None


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
    before: Callable[[ExperimentSite, Folder, Summary], list[Figure]] | None = None

    def without(self, algorithms: set[str]) -> Scenario:
        """The same without the cases that use one of these."""
        cases = [case for case in self.cases if not set(case.algorithms.values()) & algorithms]
        keys = {case.key for case in cases}
        return replace(self, cases=cases, rows=[row for row in self.rows if row.case in keys])


def add_options(parser: argparse.ArgumentParser, requests: str, scale: float) -> None:
    """requests: the unit of --requests. scale: the default of --scale."""
    add_common(parser)
    parser.add_argument("--only", metavar="NAME,NAME...", help="run these combinations only")
    parser.add_argument("--requests", type=positive, metavar="N", help=f"{requests} per client and turn that count")
    parser.add_argument("--scale", type=amount, default=scale, metavar="F", help="multiplies the rates of all links (default %(default)s)")
    parser.add_argument("--greedy", action="store_true", help="as in the thesis: placements since the last measurement do not count")
    parser.add_argument("--moves", action="store_true", help="reroute long flows over better paths; otherwise they keep their path, as in the thesis")
    parser.add_argument(
        "--processor", type=amount, default=0.2, metavar="F", help="the processor of each server, as a share of a core (default %(default)s)"
    )
    parser.add_argument(
        "--placement",
        choices=_PLACEMENTS,
        default=balancing.REACTIVE,
        help="the VIP's placement mode (default %(default)s); experiments with FTP allow reactive only",
    )
    parser.add_argument(
        "--controller-at",
        metavar="SWITCH",
        help="the switch whose site has the controller: control channels have the delays of the fastest paths from there (default: no delay)",
    )
    add_congestion(parser, "TCP")


def setup(
    options: argparse.Namespace,
    topology: str,
    workloads: Sequence[Workload],
    servers: int = 3,
    processors: Mapping[str, int] | None = None,
    balanced: Sequence[Workload] = (),
    **more: Any,
) -> Setup:
    """The network with the first servers only, or those that have processors. balanced: the workloads that use the VIP; all if empty."""
    processors = processors or dict(list(PROCESSORS.items())[:servers])
    if options.processor > 1:
        raise UsageError(f"--processor: expected max 1, since a request runs on one core, not {options.processor:g}")
    if options.placement != balancing.REACTIVE and any(isinstance(workload, Ftp) for workload in balanced or workloads):
        raise UsageError(f"--placement: {options.placement} needs a VIP with one port, but FTP's data connections have other ports")
    made = Setup(
        topology,
        options.scale,
        processors,
        options.processor,
        congestion(options.congestion),
        workloads,
        {**({} if options.moves else UNMOVED), **(GREEDY if options.greedy else {})},
        placement=options.placement,
        controller_at=options.controller_at,
        **more,
    )
    made.control_delays_ms()  # refuses an unknown switch before anything starts
    return made
