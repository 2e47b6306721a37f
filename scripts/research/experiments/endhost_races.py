"""`endhost-races`: how long connect() takes over two uplinks, one of which may be bad, with and without races. Not in the papers."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from lab.multihomed import SERVER, UplinkLine
from lab.shaping.trace import Step, Trace
from lab.strain import StrainMeter
from malob.cli.table import render
from malob.system.waiting import orderly_end, say
from research import distribution
from research.experiments import arguments, endhost_arguments, machine, measurement, plan, plots, report
from research.experiments.endhost_program import HostProgram
from research.experiments.endhost_site import TCP_PORT, EndhostSite, open_site
from research.experiments.estimate import Estimate
from research.experiments.folder import Folder
from research.experiments.plots import Chart
from research.experiments.progress import Progress
from research.experiments.samples import Record, Sample
from research.experiments.summary import Check, Summary

NAME = "endhost-races"
HELP = "how long connect() takes over two uplinks, one of which may be bad, with and without races"

#: "single" is a host without MALOB, which uses eth0; "wrr-race" sends each SYN over both uplinks.
ALGORITHMS = {"rr": "RR", "wrr": "WRR", "wrr-race": "WRR"}
POLICIES = ("single", *ALGORITHMS)
_RACED = ("--race-ports", str(TCP_PORT))

#: Both uplinks are good, or they take turns in being bad.
CONDITIONS = ("good", "bad")
_MBPS, _QUEUE_PACKETS = 20.0, 100
_GOOD = {"delay_ms": 5.0, "loss": 0.0}
_BAD = {"delay_ms": 60.0, "loss": 0.05}
_TURN_S = 10.0

_PROGRAM = Path(__file__).parent / "programs" / "connect_loop.py"
_PER_SECOND = 20
_PATIENCE_S = 15.0
_TO_BEGIN_S = 0.1

#: MALOB opens some connections before it is measured: a JVM that has just started takes several times as long.
_WARM_UP_S = 5.0
_SETTING_UP_S = 4.0

#: The delay that MALOB may add to a connection.
ADDED_MS = 2.0

#: The end of figures' time axis: a SYN over a bad uplink is answered by then, if it is not lost.
_SHOWN_MS = 150.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    endhost_arguments.add(parser, POLICIES)
    parser.add_argument("--seconds", type=arguments.amount, metavar="S", help="duration of each run (default 60; with --quick 20)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """The exit code of the command."""
    policies = arguments.chosen(options.only, POLICIES)
    congestion = endhost_arguments.congestion(options)
    endhost_arguments.prepare(options, NAME)
    study = RaceStudy(options, policies, congestion)
    with orderly_end():
        return _finish(options, study, study.run())


class RaceStudy:
    """Connections at equal intervals, one run after the other."""

    def __init__(self, options: argparse.Namespace, policies: Sequence[str], congestion: str) -> None:
        self.policies = policies
        self.cases = [f"{policy}.{condition}" for policy in policies for condition in CONDITIONS]
        self.seconds = options.seconds or (20.0 if options.quick else 60.0)
        self.rounds = options.rounds or (1 if options.quick else 5)
        self.folder = Folder(arguments.out_directory(options, NAME))
        self.facts = machine.facts()
        #: by case: races, those won by the second uplink, and additional packets
        self.races: dict[str, list[dict[str, int]]] = {}
        self._options, self._congestion = options, congestion
        self._site: EndhostSite | None = None

    def run(self) -> Record:
        """All slices."""
        say(f"writing results to {self.folder.path}")
        slices = plan.interleaved(self.cases, self.rounds, self._options.seed)
        progress = Progress(slices, Estimate(dict.fromkeys(self.cases, _SETTING_UP_S + _WARM_UP_S + self.seconds)))
        lines = [UplinkLine.of(_MBPS, _GOOD["delay_ms"], _QUEUE_PACKETS)] * 2
        with open_site(lines, self._congestion, self.folder, []) as self._site:
            return measurement.run(self, slices, self.folder, progress)

    def begin(self, case: str) -> Sequence[str]:
        assert self._site is not None
        policy = case.rpartition(".")[0]
        self._site.network.restore()
        if policy == "single":
            self._site.be_plain()
        else:
            self._site.be_balanced(ALGORITHMS[policy], options=_RACED if policy == "wrr-race" else ())
            self._connect(_WARM_UP_S)
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        assert self._site is not None
        policy, _, condition = case.rpartition(".")
        if condition == "bad":
            for uplink, trace in enumerate(turns()):
                self._site.network.play(uplink, trace)
        before = self._race_counts(policy)
        found = self._connect(self.seconds)
        if before:
            self.races.setdefault(case, []).append({name: count - before[name] for name, count in self._race_counts(policy).items()})
        return [
            Sample("host", "connect", number, began, seconds, 0, "", True, error) for number, (began, seconds, error) in enumerate(found, start=1)
        ]

    def _connect(self, seconds: float) -> list[tuple[float, float, str]]:
        assert self._site is not None
        orders = {"address": SERVER, "port": TCP_PORT, "per_second": _PER_SECOND, "patience_s": _PATIENCE_S}
        program = HostProgram(self._site, _PROGRAM, "the host's loop of connections", orders)
        try:
            begin = time.monotonic() + _TO_BEGIN_S
            program.start(begin, begin + seconds)
            return [(began, took, error) for began, took, error in program.answer()]
        finally:
            program.close()

    def _race_counts(self, policy: str) -> dict[str, int]:
        """MALOB's counters of races so far; empty for policies without."""
        assert self._site is not None
        return dict(self._site.product.status()["races"]) if policy == "wrr-race" else {}

    def strain_meter(self) -> StrainMeter:
        assert self._site is not None
        return self._site.strain_meter()

    def parameters(self) -> dict[str, object]:
        """The fixed parameters."""
        return {
            "seconds": self.seconds,
            "rounds": self.rounds,
            "seed": self._options.seed,
            "quick": self._options.quick,
            "per_second": _PER_SECOND,
            "rate_mbps": _MBPS,
            "good": _GOOD,
            "bad": {**_BAD, "turn_s": _TURN_S},
            "congestion_control": self._congestion,
            "links_by": "emulator",
            "cases": self.cases,
        }


def turns() -> list[Trace]:
    """By uplink: the first is bad first, then the second, and so on."""
    return [
        Trace(name, "", (Step(0.0, _MBPS, **first), Step(_TURN_S, _MBPS, **second)))
        for name, first, second in (("eth0", _BAD, _GOOD), ("eth1", _GOOD, _BAD))
    ]


def summarise(summed: Summary, record: Record, races: dict[str, list[dict[str, int]]], cases: Sequence[str]) -> None:
    """Adds metrics and the target of races: with a bad uplink, p99 is that of the other one, and the delay that MALOB may add."""
    for case in cases:
        milliseconds = _milliseconds(record, case)
        if milliseconds:
            for percent, name in ((50, "median_ms"), (99, "p99_ms")):
                summed.metric(f"{name}.{case}", round(distribution.percentile(milliseconds, percent), 3), "ms")
            summed.metric(f"connections.{case}", len(milliseconds), "1")
    for case, runs in races.items():
        total = sum(each["total"] for each in runs)
        if total:
            summed.metric(f"won_by_second.{case}", round(sum(each["won_by_second"] for each in runs) / total, 4), "1")
            summed.metric(f"extra_packets_per_race.{case}", round(sum(each["extra_packets"] for each in runs) / total, 4), "1")
    raced, single = summed.value("p99_ms.wrr-race.bad"), summed.value("p99_ms.single.good")
    added = None if raced is None or single is None else raced - single
    summed.checks.append(Check("p99 of races over a bad and a good uplink, minus that of the good one alone, ms", added, ADDED_MS))


def rows(summed: Summary, cases: Sequence[str]) -> list[list[str]]:
    """For each case: its name, connections, median and p99 in ms, and additional packets for each race."""
    found = []
    for case in cases:
        values = [summed.value(f"{name}.{case}") for name in ("connections", "median_ms", "p99_ms", "extra_packets_per_race")]
        found.append([case, *("" if value is None else f"{value:.{digits}f}" for value, digits in zip(values, (0, 1, 1, 2)))])
    return found


def _finish(options: argparse.Namespace, study: RaceStudy, record: Record) -> int:
    summed = Summary(NAME, study.parameters(), study.facts)
    summarise(summed, record, study.races, study.cases)
    report.add_strain(summed, record)
    cells = rows(summed, study.cases)
    heads = ["case", "connections", "median_ms", "p99_ms", "extra_packets_per_race"]
    study.folder.table("results.csv", heads, cells)
    table = render(heads, cells, right=[1, 2, 3, 4])
    return endhost_arguments.finish(options, study.folder, summed, record, table, figures(record, study.policies))


def figures(record: Record, policies: Sequence[str]) -> list[Chart]:
    """The distribution of each condition, up to where all but retransmitted SYNs are answered."""
    found = []
    for condition, words in (("good", "both good"), ("bad", "one of them bad")):
        times = {policy: _milliseconds(record, f"{policy}.{condition}") for policy in policies}
        lines = [plots.cumulated(policy, some, until=_SHOWN_MS) for policy, some in times.items() if some]
        found.append(Chart(f"connect-{condition}", f"connect() over two uplinks, {words}", "milliseconds", "share of connections", lines))
    return found


def _milliseconds(record: Record, case: str) -> list[float]:
    """How long the connections of a case took, without failed ones."""
    return [1000 * sample.seconds for sample in record.samples(case, "connect") if sample.good]
