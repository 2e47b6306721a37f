"""`endhost-dynamic`: files in a loop over uplinks whose rates change (section 8, figures 11 to 26, of the paper of 2020)."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from lab.multihomed import UplinkLine
from lab.strain import StrainMeter
from malob.errors import UsageError
from malob.system.waiting import orderly_end, say
from research.experiments import (
    arguments,
    endhost_arguments,
    endhost_dynamic_report,
    endhost_paths,
    endhost_policies,
    endhost_recording,
    endhost_traces,
    machine,
    measurement,
    plan,
    report,
)
from research.experiments.endhost_dynamic_report import Results, Turn
from research.experiments.endhost_loop import FetchLoop
from research.experiments.endhost_paths import DELAY_MS, Paths
from research.experiments.endhost_recording import Recording
from research.experiments.endhost_site import EndhostSite, open_site
from research.experiments.endhost_traces import OwnTraces
from research.experiments.estimate import Estimate
from research.experiments.folder import Folder
from research.experiments.progress import Progress
from research.experiments.samples import Record, Sample
from research.experiments.summary import Summary

NAME = "endhost-dynamic"
HELP = "files in a loop over uplinks whose rates change, and MPTCP on the same (figures 11 to 26 of the paper of 2020)"

FILE_BYTES, AT_A_TIME = 100_000, 20
_QUEUE_PACKETS = 100

#: The paper's choice.
_PATIENCE_S = 10.0

#: Time for MALOB to measure the initial rates of a trace, as on a host where it has been running for a while.
_FIRST_ESTIMATE_S = 6.0
_LEAD_S = 0.5
_SETTING_UP_S = 8.0
_QUICK_POLICIES = ("eth1", "rr", "wrr", "mptcp-eth0")
_QUICK_SCALE = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    endhost_arguments.add(parser, endhost_policies.NAMES)
    parser.add_argument(
        "--traces", metavar="NAME,NAME...", help=f"of {', '.join(endhost_paths.NAMES)} (default all; with --quick {endhost_paths.NAMES[0]})"
    )
    parser.add_argument(
        "--trace",
        action="append",
        type=Path,
        metavar="FILE",
        help="play your own trace instead: a .csv with a column of seconds and one of Mbit/s for each uplink, or a trace of Mahimahi, one file"
        " per uplink (repeat)",
    )
    parser.add_argument(
        "--seconds", type=arguments.amount, metavar="S", help="play each trace for S seconds; shorter ones restart (default each once)"
    )
    parser.add_argument(
        "--time-scale",
        type=arguments.amount,
        metavar="F",
        help=f"plays traces F times faster; time-outs stay the same (default 1; with --quick {_QUICK_SCALE:g})",
    )
    parser.add_argument(
        "--patience",
        type=arguments.amount,
        default=_PATIENCE_S,
        metavar="S",
        help="how long the host waits on a silent connection before it closes it (default %(default)g)",
    )
    parser.add_argument(
        "--timeouts",
        metavar="S,S...",
        help="also run wrr on the realistic trace with each of these values of --patience, with and without resets (figure 21: 3,5,7,10,30)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """The exit code of the command."""
    study = DynamicStudy(options, endhost_arguments.congestion(options))
    endhost_arguments.prepare(options, NAME)
    with orderly_end():
        return _finish(options, study, study.run())


@dataclass(frozen=True)
class _Settings:
    """The values of --quick that other options override."""

    policies: Sequence[str]
    traces: Sequence[str]
    time_scale: float


def _settings(options: argparse.Namespace) -> _Settings:
    policies = arguments.chosen(options.only, endhost_policies.NAMES)
    traces = arguments.chosen(options.traces, endhost_paths.NAMES, "--traces")
    if options.quick:
        policies = policies if options.only else list(_QUICK_POLICIES)
        traces = traces if options.traces else list(endhost_paths.NAMES[:1])
    if options.trace:
        traces = [endhost_traces.NAME]
    return _Settings(policies, traces, options.time_scale or (_QUICK_SCALE if options.quick else 1.0))


def _own(options: argparse.Namespace) -> OwnTraces | None:
    if options.trace is None:
        return None
    if options.traces or options.timeouts:
        raise UsageError("--trace: cannot be combined with --traces or --timeouts")
    return endhost_traces.load(options.trace)


class DynamicStudy:
    """Runs all cases in turn on one network."""

    def __init__(self, options: argparse.Namespace, congestion: str) -> None:
        """Raises UsageError."""
        self.own = _own(options)
        settings = _settings(options)
        self._options, self._congestion = options, congestion
        available = {paths.name: paths for paths in ([self.own.paths()] if self.own else map(endhost_paths.named, endhost_paths.NAMES))}
        self._paths = {name: self._played(paths, settings) for name, paths in available.items()}
        self.time_scale = settings.time_scale
        self.rounds = options.rounds or 1
        self.cases = endhost_dynamic_report.cases(
            settings.policies, settings.traces, options.patience, endhost_dynamic_report.timeouts(options.timeouts)
        )
        self.turns: dict[str, list[Turn]] = {case.key: [] for case in self.cases}
        self.facts = machine.facts()
        self._by_key = {case.key: case for case in self.cases}
        self._done: Counter[str] = Counter()
        self._series: list[list[str]] = []
        self._site: EndhostSite | None = None

    def _played(self, paths: Paths, settings: _Settings) -> Paths:
        whole = paths.faster(settings.time_scale)
        return whole if self._options.seconds is None else whole.lasting(self._options.seconds)

    def run(self) -> Record:
        """All slices."""
        self.folder = Folder(arguments.out_directory(self._options, NAME))
        say(f"writing results to {self.folder.path}")
        slices = plan.interleaved(list(self._by_key), self.rounds, self._options.seed)
        guesses = {case.key: self._paths[case.trace].seconds + _SETTING_UP_S for case in self.cases}
        uplinks = max(len(paths.traces) for paths in self._paths.values())
        lines = [UplinkLine.of(10, DELAY_MS, _QUEUE_PACKETS)] * uplinks
        with open_site(lines, self._congestion, self.folder, [FILE_BYTES]) as self._site:
            return measurement.run(self, slices, self.folder, Progress(slices, Estimate(guesses)))

    def begin(self, case: str) -> Sequence[str]:
        assert self._site is not None
        each, site = self._by_key[case], self._site
        paths = self._paths[each.trace]
        for uplink, trace in enumerate(paths.traces):
            site.network.shape(uplink, UplinkLine.of(trace.steps[0].rate_mbps, DELAY_MS, _QUEUE_PACKETS))
        if each.policy.algorithm is None:
            site.be_plain(each.policy.uplink or 0)
            return []
        site.be_balanced(each.policy.algorithm)
        for name in site.network.names:
            site.product.record_capacity(name, None)
        time.sleep(0 if each.policy.recorded else _FIRST_ESTIMATE_S)
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        assert self._site is not None
        each, site = self._by_key[case], self._site
        paths, policy = self._paths[each.trace], each.policy
        self._done[case] += 1
        recording = Recording(site, paths, policy.recorded, policy.algorithm is not None, not each.resets)
        with closing(FetchLoop(site, policy, FILE_BYTES, AT_A_TIME, each.patience_s)) as loop:
            began = time.monotonic() + _LEAD_S
            loop.start(began, began + paths.seconds)
            recording.start(began)
            fetched = loop.result()
            recording.join()
        turn = Turn(recording.seconds, fetched.files, fetched.size, fetched.errors, paths.seconds)
        self.turns[case].append(turn)
        self._series += endhost_recording.rows(case, self._done[case], recording.seconds)
        self.folder.table("series.csv", endhost_recording.HEADER, self._series)
        error = "" if fetched.files else "no file came"
        return [Sample("host", "loop", self._done[case], began, paths.seconds, fetched.size, "", True, error)]

    def strain_meter(self) -> StrainMeter:
        assert self._site is not None
        return self._site.strain_meter()

    def results(self) -> Results:
        return Results(self.cases, self.turns, self._paths)

    def parameters(self) -> dict[str, object]:
        """The fixed parameters."""
        used = sorted({case.trace for case in self.cases})
        return {
            "file_bytes": FILE_BYTES,
            "at_a_time": AT_A_TIME,
            "patience_s": self._options.patience,
            "seed": self._options.seed,
            "quick": self._options.quick,
            "rounds": self.rounds,
            "time_scale": self.time_scale,
            "seconds": {name: self._paths[name].seconds for name in used},
            **({"trace_files": self.own.to_json()} if self.own else {}),
            "delay_ms": DELAY_MS,
            "queue_packets": _QUEUE_PACKETS,
            "congestion_control": self._congestion,
            "links_by": "emulator",
            "cases": [case.key for case in self.cases],
        }


def _finish(options: argparse.Namespace, study: DynamicStudy, record: Record) -> int:
    results = study.results()
    summed = Summary(NAME, study.parameters(), study.facts)
    endhost_dynamic_report.summarise(summed, results)
    report.add_strain(summed, record)
    study.folder.table("results.csv", endhost_dynamic_report.RESULTS, endhost_dynamic_report.rows(results))
    table, figures = endhost_dynamic_report.table(results), endhost_dynamic_report.figures(results)
    files = ["", *study.own.lines()] if study.own else []
    return endhost_arguments.finish(options, study.folder, summed, record, [*table, *files], figures)
