"""`all`: every experiment, again and again, within a given time, and one page of results.

A pass is one run of one experiment with one round per case. Its number is its seed, and it has a directory of its own
below --out, with the raw data. Experiments take turns, so each gets about as many passes as the others. The next
invocation with the same --out goes on after the last complete pass.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab import processes
from malob.cli.arguments import Commands
from malob.errors import ScriptError, UsageError
from malob.system.place import ROOT
from malob.system.preparation import need_root
from malob.system.progress import in_words
from malob.system.waiting import orderly_end, postponed, say, undisturbed
from research.experiments.campaign import report
from research.experiments.frame import plots
from research.experiments.frame.arguments import amount, chosen
from research.experiments.frame.folder import write_json
from research.preparation import prepare

NAME = "all"
HELP = "every experiment within a given time, in passes, and a page of their results"

#: An experiment that failed so often in a row is left out until the next invocation.
MAX_FAILURES = 2

#: The time for an interrupted experiment to remove its network.
_CLEANING_UP_S = 120.0


@dataclass(frozen=True)
class Pass:
    """One run of an experiment that has ended. number: from 1 for each experiment. complete: whether it wrote its summary."""

    experiment: str
    number: int
    seconds: float
    exit_code: int
    complete: bool


class Campaign:
    """The passes of all experiments in one directory. Each ended pass is on the disk at once."""

    def __init__(self, path: Path, quick: bool) -> None:
        """Reads what an earlier invocation left there. Raises UsageError if its passes were not of the same kind."""
        self.path = path
        self.passes: list[Pass] = []
        self._quick = quick
        self._file = path / "campaign.json"
        try:
            path.mkdir(parents=True, exist_ok=True)
            known: dict[str, Any] = json.loads(self._file.read_text(encoding="utf-8")) if self._file.exists() else {"quick": quick, "passes": []}
            self.passes = [Pass(**each) for each in known["passes"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"--out: cannot use {path}: {error}") from None
        if known["quick"] != quick:
            raise UsageError(f"--quick: the passes in {path} were made {'with' if known['quick'] else 'without'} it; use another --out")

    def add(self, ended: Pass) -> None:
        self.passes.append(ended)
        write_json(self._file, {"quick": self._quick, "passes": [asdict(each) for each in self.passes]})

    def complete(self, experiment: str) -> int:
        """The number of its complete passes."""
        return sum(1 for each in self.passes if each.experiment == experiment and each.complete)

    def expected_s(self, experiment: str) -> float | None:
        """How long a pass takes: the longest so far. None before the first."""
        return max((each.seconds for each in self.passes if each.experiment == experiment and each.complete), default=None)

    def directory(self, experiment: str, number: int) -> Path:
        """Where a pass writes."""
        return self.path / experiment / f"{number:03}"


def next_experiment(campaign: Campaign, experiments: Sequence[str], left_s: float) -> str | None:
    """One with the fewest passes, if its next pass can end in time; None if no pass can. The first pass of each may always begin."""
    fitting = [name for name in experiments if (campaign.expected_s(name) or 0) <= left_s]
    return min(fitting, key=campaign.complete, default=None)


def passes_that_fit(campaign: Campaign, experiments: Sequence[str], left_s: float) -> int | None:
    """How many passes of all experiments will fit into the time; None as long as one has had none."""
    durations = [campaign.expected_s(name) for name in experiments]
    known = [each for each in durations if each is not None]
    return int(left_s // sum(known)) if known and len(known) == len(durations) else None


def add_parser(experiments: Commands, names: Sequence[str]) -> None:
    """names: of the experiments, in the order of their first passes."""
    parser = experiments.add_parser(NAME, help=HELP, description=(__doc__ or "").strip())
    parser.add_argument("--hours", type=amount, required=True, metavar="H", help="begin no pass that would end later, and interrupt one that is late")
    parser.add_argument("--out", type=Path, default=Path("results/all"), metavar="DIR", help="the directory for all passes (default %(default)s)")
    parser.add_argument("--only", metavar="NAME,NAME...", help="these experiments only")
    parser.add_argument("--quick", action="store_true", help="the quick version of each experiment, too short for reliable results")
    parser.add_argument("--no-plots", action="store_true", help="draw no figures (matplotlib is not needed)")
    parser.set_defaults(run=lambda options: run(options, names))


def run(options: argparse.Namespace, names: Sequence[str]) -> int:
    """The exit code of the command."""
    experiments = chosen(options.only, names)
    need_root(f"lab run {NAME}")
    prepare(*([] if options.no_plots else ["plots"]))
    campaign = Campaign(options.out, options.quick)
    until = time.monotonic() + options.hours * 3600
    with orderly_end():
        try:
            left_out = _run_passes(campaign, experiments, until, options)
        finally:
            written = write_results(campaign, experiments, not options.no_plots)
            say(f"results are in {written}")
    missing = [name for name in experiments if not campaign.complete(name)]
    if missing:
        say(f"without a complete pass: {', '.join(missing)}; the same command goes on")
    return 1 if missing or left_out else 0


def _run_passes(campaign: Campaign, experiments: Sequence[str], until: float, options: argparse.Namespace) -> bool:
    """Runs passes until no further one fits. Returns whether an experiment was left out because it failed."""
    failures: Counter[str] = Counter()
    usable = list(experiments)
    while (left_s := until - time.monotonic()) > 0:
        name = next_experiment(campaign, usable, left_s)
        if name is None:
            break
        number = campaign.complete(name) + 1
        _announce(campaign, usable, name, number, left_s)
        ended = _run_pass(name, number, campaign.directory(name, number), left_s, options)
        if ended is None:
            break
        campaign.add(ended)
        failures[name] = 0 if ended.complete else failures[name] + 1
        if failures[name] == MAX_FAILURES:
            say(f"{name} failed {MAX_FAILURES} times: left out")
            usable.remove(name)
    return len(usable) < len(experiments)


def _announce(campaign: Campaign, experiments: Sequence[str], name: str, number: int, left_s: float) -> None:
    expected_s = campaign.expected_s(name)
    pass_end = "" if expected_s is None else f", ends about {_clock(expected_s)}"
    fitting = passes_that_fit(campaign, experiments, left_s)
    more = f"; time for about {fitting} more of each" if fitting else ""
    say(f"{name}, pass {number}{pass_end}; all end by {_clock(left_s)}, in {in_words(left_s)}{more}")


def _clock(after_s: float) -> str:
    return time.strftime("%a %H:%M", time.localtime(time.time() + after_s))


def _command(name: str, number: int, directory: Path, options: argparse.Namespace) -> list[str]:
    words = ["--rounds", "1", "--seed", str(number), "--out", str(directory)]
    flags = [flag for flag, wanted in (("--quick", options.quick), ("--no-plots", options.no_plots)) if wanted]
    return [sys.executable, str(ROOT / "scripts" / "command.py"), "malob.cli", "lab", "run", name, *words, *flags]


def _run_pass(name: str, number: int, directory: Path, left_s: float, options: argparse.Namespace) -> Pass | None:
    """None if it was interrupted because the time was over."""
    command = _command(name, number, directory, options)
    began = time.monotonic()
    process: subprocess.Popen[bytes] | None = None
    try:
        with postponed():
            # not the terminal's: Ctrl-C reaches it once, from here
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
        process.wait(left_s)
    except subprocess.TimeoutExpired:
        say(f"{name}: not complete in time")
        return None
    finally:
        # its network goes with it, after Ctrl-C and at the end of the time alike
        if process is not None:
            with undisturbed():
                processes.end(process, _CLEANING_UP_S)
    complete = (directory / "summary.json").exists()
    return Pass(name, number, round(time.monotonic() - began, 1), process.returncode, complete)


def write_results(campaign: Campaign, experiments: Sequence[str], drawn: bool) -> Path:
    """Writes results.md, results.csv and figures from all complete passes. Returns the page."""
    results = []
    for name in experiments:
        ended = [each for each in campaign.passes if each.experiment == name and each.complete]
        directories = [campaign.directory(name, each.number) for each in ended]
        if directories:
            results.append(report.combined(name, [_summary(directory) for directory in directories]))
            report.add_times(results[-1], directories)
    page = campaign.path / "results.md"
    figures = [figure for each in results for figure in report.figures(each)]
    try:
        page.write_text("\n".join(report.page(results, figures if drawn else [])) + "\n", encoding="utf-8")
        report.write_table(campaign.path / "results.csv", results)
    except OSError as error:
        raise ScriptError(f"cannot write to {campaign.path}: {error.strerror}") from None
    if drawn:
        plots.draw(figures, campaign.path)
    return page


def _summary(directory: Path) -> dict[str, object]:
    try:
        summary: dict[str, object] = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
        return summary
    except (OSError, ValueError) as error:
        raise ScriptError(f"cannot read {directory / 'summary.json'}: {error}") from None
