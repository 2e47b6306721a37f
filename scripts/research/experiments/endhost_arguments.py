"""What the experiments on a host with several uplinks share: options, preparation, and the report at the end."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from malob.system.preparation import need_root
from malob.system.waiting import say
from research import preparation
from research.experiments import plots, report, thesis_arguments
from research.experiments.arguments import add_common
from research.experiments.folder import Folder
from research.experiments.plots import Chart, Figure
from research.experiments.samples import Record
from research.experiments.summary import Summary


def add(parser: argparse.ArgumentParser, policies: Sequence[str]) -> None:
    add_common(parser)
    parser.add_argument("--only", metavar="POLICY,POLICY...", help=f"run these only, of {', '.join(policies)}")
    parser.add_argument("--congestion", metavar="NAME", help="congestion control of the senders (default cubic if the kernel has it)")


def congestion(options: argparse.Namespace) -> str:
    """The congestion control to use. Raises UsageError if the kernel does not have it."""
    return thesis_arguments.congestion(options.congestion)


def prepare(options: argparse.Namespace, name: str, *needs: str) -> None:
    """Installs what an experiment uses; needs: besides what all of them use. Raises MissingError without root."""
    need_root(f"lab run {name}")
    preparation.prepare("lab", "endhost", "bench", *needs, *([] if options.no_plots else ["plots"]))


def finish(
    options: argparse.Namespace, folder: Folder, summed: Summary, record: Record, table: Sequence[str], figures: Sequence[Figure | Chart]
) -> int:
    """Reports the results; returns the exit code.

    Writes summary.json and draws the figures. Prints the table and all targets, or the summary as JSON; then errors and the location
    of the results.
    """
    folder.document("summary.json", summed.to_json())
    if not options.no_plots:
        plots.draw(figures, folder.path)
    if options.json:
        print(json.dumps(summed.to_json(), indent=2))
    else:
        checks = report.check_lines(summed)
        print("\n".join(["", *table, *(["", *checks] if checks else [])]))
    for reason in summed.rejected:
        say(f"rejected: {reason}")
    failed = record.failed()
    if failed:
        say(f"{len(failed)} measurements failed: " + ", ".join(sorted({sample.error for sample in failed})))
    say(f"summary, raw data and figures are in {folder.path}")
    missed = [check for check in summed.checks if check.holds is False]
    return 1 if failed or (options.check and (missed or summed.rejected)) else 0
