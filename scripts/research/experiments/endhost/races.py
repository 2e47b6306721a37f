"""`endhost-races`: how long connect() takes over two uplinks, one of which may be bad, with and without races. Not in the papers."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Callable

from lab.multihomed import SERVER, UplinkLine
from lab.shaping.trace import Step, Trace
from research import distribution
from research.experiments.endhost.program import HostProgram
from research.experiments.endhost.site import TCP_PORT
from research.experiments.endhost.study import EndhostStudy
from research.experiments.frame import arguments, plots
from research.experiments.frame.plots import Chart
from research.experiments.frame.samples import Record, Sample
from research.experiments.frame.study import Report
from research.experiments.frame.summary import Check, Summary
from research.experiments.frame.table import Column, Table

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

_PROGRAM = Path(__file__).parents[1] / "programs" / "connect_loop.py"
_PER_SECOND = 20
_PATIENCE_S = 15.0
_TO_BEGIN_S = 0.1

#: MALOB opens some connections before it is measured: a JVM that has just started takes several times as long.
_WARM_UP_S = 5.0

#: The delay that MALOB may add to a connection.
ADDED_MS = 2.0

#: The end of figures' time axis: a SYN over a bad uplink is answered by then, if it is not lost.
_SHOWN_MS = 150.0


class RaceStudy(EndhostStudy):
    """Connections at equal intervals, one run after the other."""

    name = "endhost-races"
    purpose = "how long connect() takes over two uplinks, one of which may be bad, with and without races"
    policies = POLICIES
    runs = ("each run", 60.0, 20.0)
    setting_up_s = 4.0 + _WARM_UP_S

    def __init__(self, options: argparse.Namespace) -> None:
        self.chosen = arguments.chosen(options.only, POLICIES)
        keys = [f"{policy}.{condition}" for policy in self.chosen for condition in CONDITIONS]
        super().__init__(options, keys, arguments.rounds(options, 5), [UplinkLine.of(_MBPS, _GOOD["delay_ms"], _QUEUE_PACKETS)] * 2)
        #: by case: races, those won by the second uplink, and additional packets
        self.races: dict[str, list[dict[str, int]]] = {}

    def begin(self, case: str) -> Sequence[str]:
        policy = case.rpartition(".")[0]
        self.site.network.restore()
        if policy == "single":
            self.site.be_plain()
        else:
            self.site.be_balanced(ALGORITHMS[policy], options=_RACED if policy == "wrr-race" else ())
            self._connect(_WARM_UP_S)
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        policy, _, condition = case.rpartition(".")
        if condition == "bad":
            for uplink, trace in enumerate(turns()):
                self.site.network.play(uplink, trace)
        before = self._race_counts(policy)
        found = self._connect(self.seconds)
        if before:
            self.races.setdefault(case, []).append({name: count - before[name] for name, count in self._race_counts(policy).items()})
        return [
            Sample("host", "connect", number, began, seconds, 0, "", True, error) for number, (began, seconds, error) in enumerate(found, start=1)
        ]

    def _connect(self, seconds: float) -> list[tuple[float, float, str]]:
        orders = {"address": SERVER, "port": TCP_PORT, "per_second": _PER_SECOND, "patience_s": _PATIENCE_S}
        with closing(HostProgram(self.site, _PROGRAM, "the host's loop of connections", orders)) as program:
            begin = time.monotonic() + _TO_BEGIN_S
            program.start(begin, begin + seconds)
            return [(began, took, error) for began, took, error in program.answer()]

    def _race_counts(self, policy: str) -> dict[str, int]:
        """MALOB's counters of races so far; empty for policies without."""
        return dict(self.site.product.status()["races"]) if policy == "wrr-race" else {}

    def own_parameters(self) -> dict[str, object]:
        return {
            "seconds": self.seconds,
            "per_second": _PER_SECOND,
            "rate_mbps": _MBPS,
            "good": _GOOD,
            "bad": {**_BAD, "turn_s": _TURN_S},
            "links_by": "emulator",
        }

    def report(self, record: Record) -> Report:
        summarise(self.summed, record, self.races, self.keys)
        return table(self.summed, self.keys), figures(record, self.chosen)


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


def table(summed: Summary, cases: Sequence[str]) -> Table[str]:
    """Connections, median and p99 in ms, and additional packets for each race."""

    def of(name: str) -> Callable[[str], float | None]:
        return lambda case: summed.value(f"{name}.{case}")

    forms = {"connections": ".0f", "median_ms": ".1f", "p99_ms": ".1f", "extra_packets_per_race": ".2f"}
    columns: list[Column[str]] = [Column("case", "case", str), *(Column(name, name, of(name), form) for name, form in forms.items())]
    return Table(columns, cases)


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
