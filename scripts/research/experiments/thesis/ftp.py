"""`thesis-ftp`: large files (section 4.2.2, figure 4.3)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from malob.errors import UsageError
from research.experiments.frame import arguments
from research.experiments.frame.arguments import amount
from research.experiments.frame.report import Row
from research.experiments.frame.summary import Check, Summary
from research.experiments.thesis.scenario import ALL, JOINT, SEPARATE, Case, Plot, Scenario, add_options, setup
from research.experiments.workloads import Ftp, Load

NAME = "thesis-ftp"
HELP = "files of 100 MB by FTP (figure 4.3)"

PAPER_MB = 100.0

#: About 35 s if the path is not chosen by throughput. For HTP the text says "improved", without a figure.
PAPER_S = {
    **{name: (35.0, 35.0) for name in SEPARATE if not name.endswith("HTP")},
    **dict.fromkeys(JOINT, (18.0, 18.0)),
}

#: The time of a transfer of 100 MB, for the first estimate.
_EXPECTED_S = 30.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "transfers", 0.15)
    parser.add_argument(
        "--sizes",
        metavar="MB[,MB]",
        help="of the file, multiplied by --scale; a second size shows how times grow with the size (default 100; with --quick 10)",
    )

    parser.add_argument(
        "--fluid", metavar="FILE", help="the output of './malob lab simulate fluid --json': shows each result as a share of the model's speed"
    )


def scenario(options: argparse.Namespace) -> Scenario:
    names = arguments.chosen(options.only, ALL)
    model = _model(options.fluid)
    sizes = _sizes(options.sizes, options.quick)
    requests = options.requests or (2 if options.quick else 4)
    rounds = arguments.rounds(options, 3)
    cases, rows, workloads = [], [], []
    for number, size in enumerate(sizes):
        workload = workload_of(size, options.scale)
        workloads.append(workload)
        for name in names:
            key = name if number == 0 else f"{name}@{size:g}MB"
            cases.append(Case(key, {workload.name: name}, [Load(workload, requests)]))
            paper, group = PAPER_S.get(name) if size == PAPER_MB else None, f"{size:g} MB" if len(sizes) > 1 else ""
            rows.append(Row(key, key, workload.name, 4 * requests * rounds, paper, label=name, group=group))
    return Scenario(
        NAME,
        setup(options, "geni-wan", workloads),
        cases,
        rows,
        rounds,
        [Plot("figure-4.3-ftp", f"FTP, files of {' and '.join(f'{size:g}' for size in sizes)} MB × {options.scale:g}", number="4.3")],
        {"sizes_mb": sizes, "file_bytes": [workload.file_bytes for workload in workloads], "requests_per_client_and_round": requests},
        lambda summary: _checks(summary, names, sizes, model),
    )


def workload_of(size_mb: float, scale: float) -> Ftp:
    """A file that takes as long on the scaled network as one of size_mb on the thesis's."""
    return Ftp(round(size_mb * 1e6 * scale), max(1.0, _EXPECTED_S * size_mb / PAPER_MB))


def _sizes(text: str | None, quick: bool) -> list[float]:
    if text is None:
        return [10.0 if quick else PAPER_MB]
    try:
        sizes = [amount(word) for word in text.split(",")]
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--sizes: {error}") from None
    if len(sizes) > 2 or len(set(sizes)) < len(sizes):
        raise UsageError(f"--sizes: expected one size or two different sizes, not '{text}'")
    return sizes


def _model(file: str | None) -> dict[str, float]:
    """By combination, the fluid model's seconds per MB on the thesis's network at its full rates."""
    if file is None:
        return {}
    try:
        content = json.loads(Path(file).read_text(encoding="utf-8"))
        per_mb = content["parameters"]["scale"] * 1e6 / content["parameters"]["bytes"]
        prefix = "median_s."
        return {name[len(prefix) :]: metric["value"] * per_mb for name, metric in content["metrics"].items() if name.startswith(prefix)}
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise UsageError(f"--fluid: {file} is not the output of './malob lab simulate fluid --json': {error!r}") from None


def _checks(summary: Summary, names: Sequence[str], sizes: Sequence[float], model: dict[str, float]) -> list[Check]:
    """Also adds `share_of_fluid.*`: the speed as a share of the fluid model's.

    And `scaling.*`: the time per MB of the first size as a share of that of the second; 1 if times are proportional to sizes.
    """
    for name in names:
        measured = summary.value(f"median_s.{name}")
        if measured and name in model:
            summary.metric(f"share_of_fluid.{name}", round(model[name] * sizes[0] / measured, 4), "1")
    for name in names if len(sizes) > 1 else []:
        ratio = summary.ratio(f"median_s.{name}", f"median_s.{name}@{sizes[1]:g}MB")
        if ratio is not None:
            summary.metric(f"scaling.{name}", round(ratio * sizes[1] / sizes[0], 4), "1")
    return [Check("median of HT-PS to that of RR+SPH", summary.ratio("median_s.HT-PS", "median_s.RR+SPH"), 0.6)]
