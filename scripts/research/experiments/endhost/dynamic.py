"""`endhost-dynamic`: files in a loop over uplinks whose rates change (section 8, figures 11 to 26, of the paper of 2020)."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from lab.multihomed import UplinkLine
from malob.errors import UsageError
from research.experiments.endhost import paths as endhost_paths
from research.experiments.endhost import policies as endhost_policies
from research.experiments.endhost import recording as endhost_recording
from research.experiments.endhost import traces as endhost_traces
from research.experiments.endhost.paths import DELAY_MS, Paths
from research.experiments.endhost.policies import Policy
from research.experiments.endhost.program import Fetching
from research.experiments.endhost.recording import Recording, Second
from research.experiments.endhost.study import EndhostStudy
from research.experiments.frame import arguments
from research.experiments.frame.plots import Bar, Chart, Figure, Line
from research.experiments.frame.samples import Record, Sample
from research.experiments.frame.study import Report
from research.experiments.frame.summary import Check, Summary
from research.experiments.frame.table import Column, Table

FILE_BYTES, AT_A_TIME = 100_000, 20
_QUEUE_PACKETS = 100

#: The paper's choice.
_PATIENCE_S = 10.0
_LEAD_S = 0.5
_SETTING_UP_S = 8.0

#: The values of --quick that other options override.
_QUICK_POLICIES = ("eth1", "rr", "wrr", "mptcp-eth0")
_QUICK_SCALE = 10.0

#: The figures in the text (sections 8.1 and 8.2), in Mbit/s.
PAPER_MBPS = {
    "eth0.synthetic": 11,
    "eth1.synthetic": 9,
    "rr.synthetic": 12.5,
    "mbw.synthetic": 14.5,
    "mptcp-eth0.synthetic": 19,
    "wrr.synthetic": 20.5,
    "eth0.realistic": 30,
    "eth1.realistic": 20,
    "rr.realistic": 22.5,
    "mbw.realistic": 38.5,
    "mptcp-eth0.realistic": 39,
    "wrr.realistic": 43.2,
}

#: The target of WRR as a share of the optimum.
_WANTED_SHARE = 0.9

#: Only MPTCP and the policies compared with it run with the outage.
_OUTAGE_POLICIES = ("wrr", "wrr-est", "adaptive", "mptcp-eth0", "mptcp-eth1")
_TITLES = {"synthetic": "figure-12", "realistic": "figure-26", "outage": "figure-25", endhost_traces.NAME: "together"}


@dataclass(frozen=True)
class Case:
    """A policy on a trace. usual: it has the default patience, which is not in its key. resets: MALOB can see when an uplink
    has no throughput, and resets its flows; otherwise the outage is behind the gateway, and the host does not notice it."""

    policy: Policy
    trace: str
    patience_s: float
    usual: bool = True
    resets: bool = True

    @property
    def key(self) -> str:
        """The part of a metric's key after the quantity."""
        patience = "" if self.usual else f".timeout-{self.patience_s:g}"
        return f"{self.policy.name}.{self.trace}{patience}{'' if self.resets else '.no-resets'}"


@dataclass(frozen=True)
class Turn:
    """The result of one run. size: bytes of files; errors: numbers of failed fetches by error."""

    seconds: Sequence[Second]
    files: int
    size: int
    errors: Mapping[str, int]
    lasted_s: float

    @property
    def mbps(self) -> float:
        """The bytes that all uplinks delivered, in IP packets."""
        lasted_s = sum(second.lasted_s for second in self.seconds)
        return sum(sum(second.received_mbps) * second.lasted_s for second in self.seconds) / lasted_s if lasted_s else 0.0

    @property
    def goodput_mbps(self) -> float:
        return self.size * 8e-6 / self.lasted_s


def timeouts(text: str | None) -> list[float]:
    """The values of --timeouts. Raises UsageError."""
    found = []
    for word in text.split(",") if text else []:
        try:
            value = float(word)
        except ValueError:
            value = 0
        if not 0 < value <= 3600:
            raise UsageError(f"--timeouts: '{word.strip()}' is not a number of seconds above 0")
        found.append(value)
    return found


def cases(policies: Sequence[str], traces: Sequence[str], patience_s: float, more: Sequence[float]) -> list[Case]:
    """All policies on all traces; more: patiences of WRR on the realistic one, each with resets and without."""
    found = [
        Case(endhost_policies.named(name), trace, patience_s)
        for trace in traces
        for name in policies
        if trace != "outage" or name in _OUTAGE_POLICIES
    ]
    return found + [Case(endhost_policies.named("wrr"), "realistic", each, usual=False, resets=resets) for each in more for resets in (True, False)]


class Results:
    """By case, the results of all its runs."""

    def __init__(self, all_cases: Sequence[Case], turns: Mapping[str, Sequence[Turn]], paths: Mapping[str, Paths]) -> None:
        self.turns = {case: turns[case.key] for case in all_cases if turns[case.key]}
        self.paths = paths

    def mbps(self, case: Case) -> float:
        return statistics.fmean(turn.mbps for turn in self.turns[case])

    def goodput_mbps(self, case: Case) -> float:
        return statistics.fmean(turn.goodput_mbps for turn in self.turns[case])

    def optimum_mbps(self, case: Case) -> float:
        return self.paths[case.trace].optimum_mbps

    def failed(self, case: Case) -> int:
        """Fetches."""
        return sum(sum(turn.errors.values()) for turn in self.turns[case])

    def share(self, case: Case) -> float:
        """Of the optimum."""
        return self.mbps(case) / self.optimum_mbps(case)


def summarise(summary: Summary, results: Results) -> None:
    """Adds the metrics of all cases, the paper's figures, and targets."""
    table(results).add_metrics(summary, lambda case: case.key)
    for case in results.turns:
        summary.metric(f"failed_fetches.{case.key}", results.failed(case), "1")
        if case.key in PAPER_MBPS:
            summary.paper(f"mbps.{case.key}", PAPER_MBPS[case.key], "Mbit/s")
    for trace in dict.fromkeys(case.trace for case in results.turns):
        summary.metric(f"optimum_mbps.{trace}", round(results.paths[trace].optimum_mbps, 4), "Mbit/s")
        summary.checks += _checks(summary, trace)


def _checks(summary: Summary, trace: str) -> list[Check]:
    def ratio(other: str, mine: str) -> float | None:
        return summary.ratio(other, f"mbps.{mine}.{trace}")

    wanted = (
        []
        if trace == "outage"
        else [Check(f"optimum to {mine}: {trace}", ratio(f"optimum_mbps.{trace}", mine), 1 / _WANTED_SHARE) for mine in ("wrr", "wrr-est")]
    )
    wanted += [
        Check(f"{other} to {mine}: {trace}", ratio(f"mbps.{other}.{trace}", mine), 1.0)
        for mine, other in (("adaptive", "wrr"), ("wrr", "mptcp-eth0"), ("wrr", "mptcp-eth1"), ("adaptive", "mptcp-eth0"), ("adaptive", "mptcp-eth1"))
    ]
    return [check for check in wanted if check.value is not None]


def table(results: Results) -> Table[Case]:
    """A row for each case that was measured."""
    turns = results.turns
    columns: list[Column[Case]] = [
        Column("policy", "policy", lambda case: case.policy.name),
        Column("trace", "trace", lambda case: case.trace),
        Column("patience_s", "patience", lambda case: f"{case.patience_s:g}"),
        Column("resets", "resets", lambda case: "yes" if case.resets else "no"),
        Column("runs", "runs", lambda case: len(turns[case]), "d"),
        Column("mbps", "Mbit/s", results.mbps, ".3f", ".2f", unit="Mbit/s"),
        Column("goodput_mbps", "of files", results.goodput_mbps, ".3f", ".2f", unit="Mbit/s"),
        Column("optimum_mbps", "optimum", results.optimum_mbps, ".3f", ".2f"),
        Column("share", "", results.share, ".4f", unit="1"),
        Column("", "% of it", lambda case: 100 * results.share(case), ".1f"),
        Column("files", "files", lambda case: sum(turn.files for turn in turns[case]), "d"),
        Column("failed", "failed", results.failed, "d"),
        Column("paper_mbps", "paper", lambda case: PAPER_MBPS.get(case.key), "g"),
    ]
    return Table(columns, turns)


def figures(results: Results) -> list[Figure | Chart]:
    """Bars of each trace, the series of each case, and the time-outs."""
    found: list[Figure | Chart] = []
    for trace in dict.fromkeys(case.trace for case in results.turns):
        mine = [case for case in results.turns if case.trace == trace and case.usual]
        optimum = results.paths[trace].optimum_mbps
        bars = [
            Bar(case.policy.name, results.mbps(case), *_range(results, case), len(results.turns[case]), paper, paper, optimum)
            for case in mine
            for paper in [PAPER_MBPS.get(case.key)]
        ]
        marks = {"paper_label": "paper", "optimum_label": "all that uplinks can carry", "whiskers": "lowest and highest run"}
        found.append(Figure(_TITLES[trace], f"All uplinks together, {trace} trace", "Mbit/s", bars, **marks))
    found += [_series(results, case) for case in results.turns]
    swept = [case for case in results.turns if not case.usual]
    lines = []
    for label, resets in (("with resets", True), ("without", False)):
        if mine := [case for case in swept if case.resets == resets]:
            at, mbps = [case.patience_s for case in mine], [results.mbps(case) for case in mine]
            lines.append(Line(label, at, mbps, count=min(len(results.turns[case]) for case in mine)))
    if lines:
        found.append(Chart("figure-21", "WRR on the realistic trace", "time-out of sockets, s", "Mbit/s", lines))
    return found


def _range(results: Results, case: Case) -> tuple[float, float]:
    values = [turn.mbps for turn in results.turns[case]]
    return min(values), max(values)


def _series(results: Results, case: Case) -> Chart:
    """Of the first run."""
    seconds = results.turns[case][0].seconds
    at = [float(second.number) for second in seconds]
    lines = []
    for uplink in range(len(results.paths[case.trace].traces)):
        name = f"eth{uplink}"
        lines.append(Line(name, at, [second.received_mbps[uplink] for second in seconds], count=1))
        lines.append(Line(f"{name}, capacity", at, [second.capacity_mbps[uplink] for second in seconds], of="model"))
        known = [(second.number, estimate) for second in seconds if (estimate := second.estimate_mbps[uplink]) is not None]
        if known and not case.policy.recorded:
            lines.append(Line(f"estimate of {name}", [x for x, _ in known], [y for _, y in known], of="model"))
    lines.append(Line("together", at, [sum(second.received_mbps) for second in seconds], count=1))
    lines.append(Line("together, capacity", at, [sum(second.capacity_mbps) for second in seconds], of="model"))
    return Chart(f"series-{case.key}", f"{case.policy.name}, {case.trace} trace", "s", "Mbit/s", lines)


class DynamicStudy(EndhostStudy):
    """Runs all cases in turn on one network."""

    name = "endhost-dynamic"
    purpose = "files in a loop over uplinks whose rates change, and MPTCP on the same (figures 11 to 26 of the paper of 2020)"
    policies = endhost_policies.NAMES

    def __init__(self, options: argparse.Namespace) -> None:
        """Raises UsageError."""
        policies = arguments.chosen(options.only, self.policies) if options.only or not options.quick else _QUICK_POLICIES
        available = list(endhost_paths.NAMES)
        if options.trace is not None and (options.traces or options.timeouts):
            raise UsageError("--trace: cannot be combined with --traces or --timeouts")
        self.own = None if options.trace is None else endhost_traces.load(options.trace)
        traces = arguments.chosen(options.traces, available, "--traces") if options.traces or not options.quick else available[:1]
        self.time_scale = options.time_scale or (_QUICK_SCALE if options.quick else 1.0)
        all_paths = [self.own.paths()] if self.own else map(endhost_paths.named, available)
        self._paths = {paths.name: paths.faster(self.time_scale) for paths in all_paths}
        if options.seconds is not None:
            self._paths = {name: paths.lasting(options.seconds) for name, paths in self._paths.items()}
        found = cases(policies, [endhost_traces.NAME] if self.own else traces, options.patience, timeouts(options.timeouts))
        self.cases = {case.key: case for case in found}
        lines = [UplinkLine.of(10, DELAY_MS, _QUEUE_PACKETS)] * max(len(paths.traces) for paths in self._paths.values())
        super().__init__(options, list(self.cases), arguments.rounds(options, 1), lines, [FILE_BYTES])
        self.turns: dict[str, list[Turn]] = {key: [] for key in self.cases}
        self._series: list[list[str]] = []

    @classmethod
    def add_options(cls, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
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

    def guesses_s(self) -> dict[str, float]:
        return {key: self._paths[case.trace].seconds + _SETTING_UP_S for key, case in self.cases.items()}

    def begin(self, case: str) -> Sequence[str]:
        each = self.cases[case]
        self.shape(self._paths[each.trace], _QUEUE_PACKETS)
        self.use(each.policy)
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        each, number = self.cases[case], len(self.turns[case]) + 1
        paths, policy = self._paths[each.trace], each.policy
        recording = Recording(self.site, paths, policy.recorded, policy.algorithm is not None, not each.resets)
        with closing(Fetching(self.site, FILE_BYTES, AT_A_TIME, each.patience_s, policy.protocol)) as loop:
            began = time.monotonic() + _LEAD_S
            loop.start(began, began + paths.seconds)
            recording.start(began)
            fetched = loop.result()
            recording.join()
        self.turns[case].append(Turn(recording.seconds, fetched.files, fetched.size, fetched.errors, paths.seconds))
        self._series += endhost_recording.rows(case, number, recording.seconds)
        self.folder.table("series.csv", endhost_recording.HEADER, self._series)
        error = "" if fetched.files else "no file came"
        return [Sample("host", "loop", number, began, paths.seconds, fetched.size, "", True, error)]

    def own_parameters(self) -> dict[str, object]:
        used = sorted({case.trace for case in self.cases.values()})
        return {
            "file_bytes": FILE_BYTES,
            "at_a_time": AT_A_TIME,
            "patience_s": self.options.patience,
            "time_scale": self.time_scale,
            "seconds": {name: self._paths[name].seconds for name in used},
            **({"trace_files": self.own.to_json()} if self.own else {}),
            "delay_ms": DELAY_MS,
            "queue_packets": _QUEUE_PACKETS,
            "links_by": "emulator",
        }

    def report(self, record: Record) -> Report:
        results = Results(list(self.cases.values()), self.turns, self._paths)
        summarise(self.summed, results)
        self.notes = ["", *self.own.lines()] if self.own else []
        return table(results), figures(results)
