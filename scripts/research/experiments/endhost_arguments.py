"""The options of the experiments on a host with several uplinks, and their end."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from malob.system.waiting import say
from research.experiments import thesis_arguments
from research.experiments.arguments import add_common
from research.experiments.samples import Record
from research.experiments.summary import Summary


def add(parser: argparse.ArgumentParser, policies: Sequence[str]) -> None:
    add_common(parser)
    parser.add_argument("--only", metavar="POLICY,POLICY...", help=f"run these only, of {', '.join(policies)}")
    parser.add_argument("--congestion", metavar="NAME", help="congestion control of the senders (default cubic if the kernel has it)")


def congestion(options: argparse.Namespace) -> str:
    """The congestion control to use. Raises UsageError if the kernel does not have it."""
    return thesis_arguments.congestion(options.congestion)


def verdict(summed: Summary, record: Record, strict: bool, path: Path) -> int:
    """Prints errors and the location of the results; returns the exit code."""
    for reason in summed.rejected:
        say(f"rejected: {reason}")
    failed = record.failed()
    if failed:
        say(f"{len(failed)} measurements failed: " + ", ".join(sorted({sample.error for sample in failed})))
    say(f"summary, raw data and figures are in {path}")
    missed = [check for check in summed.checks if check.holds is False]
    return 1 if failed or (strict and (missed or summed.rejected)) else 0
