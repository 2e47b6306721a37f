"""The common parts of the thesis experiments: options, and the network of chapter 4."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab import balancing
from malob.cli.arguments import positive
from malob.errors import UsageError
from research.experiments.arguments import add_common, amount
from research.experiments.scenario import GREEDY, UNMOVED
from research.experiments.site import Setup
from research.experiments.workloads.ftp import Ftp
from research.experiments.workloads.workload import Workload

#: Table 4.2.
PROCESSORS = {"server-1": 4, "server-2": 1, "server-3": 1}

#: The default of Linux in 2015, if this kernel has it.
_PREFERRED_CONGESTION = "cubic"
_CONGESTION = Path("/proc/sys/net/ipv4")


_PLACEMENTS = (balancing.REACTIVE, balancing.PROACTIVE, balancing.AUTO)


def add(parser: argparse.ArgumentParser, requests: str, scale: float) -> None:
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
    parser.add_argument("--congestion", metavar="NAME", help="congestion control of TCP (default cubic if the kernel has it)")


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


def congestion(name: str | None) -> str:
    """The congestion control to use. Raises UsageError if the kernel does not have the requested one."""
    known = (_CONGESTION / "tcp_available_congestion_control").read_text().split()
    if name is None:
        default = (_CONGESTION / "tcp_congestion_control").read_text().strip()
        return _PREFERRED_CONGESTION if _PREFERRED_CONGESTION in known else default
    if name not in known:
        raise UsageError(f"--congestion: this kernel has {', '.join(known)}, not '{name}'")
    return name
