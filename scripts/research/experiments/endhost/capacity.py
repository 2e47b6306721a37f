"""`endhost-capacity`: MALOB's measurement of uplink capacities, idle and half loaded (section 8 of the paper of 2020)."""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from lab.multihomed import UplinkLine
from malob.network.links import Direction
from research.experiments.endhost.program import HostProgram
from research.experiments.endhost.study import EndhostStudy
from research.experiments.frame import arguments
from research.experiments.frame.plots import Bar, Chart, Figure, Line
from research.experiments.frame.samples import Record, Sample
from research.experiments.frame.study import Report
from research.experiments.frame.summary import Check, Summary
from research.experiments.frame.table import Column, Table

#: The number of uplinks measured at the same time; so few that the time of the emulator and the switch is negligible.
GROUPS = ((1.0, 5.0, 20.0), (2.0, 10.0, 50.0))

#: Other traffic on the uplinks: none; datagrams at random times; blocks of ten packets over TCP.
LOADS = ("idle", "udp", "tcp")
LOAD_SHARE = 0.5

#: One way.
DELAY_MS = 1.0

NEAR = 0.1

_PROGRAMS = Path(__file__).parents[1] / "programs"
_WATCH, _HALF_LOAD = _PROGRAMS / "uplink_watch.py", _PROGRAMS / "half_load.py"
_LOAD_PORT, _REST_PORT = 5202, 8080
_QUEUE_PACKETS = 100
_PAUSE_S = 0.2
_SETTING_UP_S = 8.0
_CUT_S = 4.0
_NOTHING = UplinkLine(*(Direction(1000, DELAY_MS, _QUEUE_PACKETS, loss=1.0),) * 2)

SERIES = ["case", "round", "uplink", "rate_mbps", "second", "alive", "capacity_mbps"]

#: Targets: seconds to the first estimate, share of estimates that are not near, share of echoes, seconds to a drop.
_FIRST_S, _WRONG, _PROBES, _CUT_S = 5.0, 0.1, 0.01, 2.0


@dataclass(frozen=True)
class Case:
    load: str
    rates_mbps: tuple[float, ...]

    @property
    def key(self) -> str:
        """As in idle.1+5+20."""
        return f"{self.load}.{'+'.join(f'{rate:g}' for rate in self.rates_mbps)}"

    def in_round(self, number: int, seed: int) -> list[float]:
        """The rates of the uplinks: drawn again in each round."""
        rates = list(self.rates_mbps)
        random.Random(f"{seed}/{number}/{self.key}").shuffle(rates)
        return rates


def cases(loads: Sequence[str]) -> list[Case]:
    return [Case(load, rates) for load in loads for rates in GROUPS]


@dataclass(frozen=True)
class Reading:
    """MALOB's estimate of an uplink at a time. capacity_mbps: None if unknown."""

    at_s: float
    alive: bool
    capacity_mbps: float | None


@dataclass(frozen=True)
class Outcome:
    """The result of one uplink in one run; None for events that did not happen.

    first_s: the time from its start until its capacity was reported. near, unknown: shares of the readings after that; the
    rest was wrong. probes: share of the uplink used by echoes, of the direction with more of them; None with TCP, which
    answers. cut_s: the time until the drop of its rate to nothing was noticed.
    """

    rate_mbps: float
    first_s: float | None
    near: float | None
    unknown: float | None
    probes: float | None
    cut_s: float | None


def outcome(rate_mbps: float, readings: Sequence[Reading], cut_s: float, probes: float | None) -> Outcome:
    """readings: in order of time. cut_s: when its rate fell to nothing, by the same clock."""
    alive = [each for each in readings if each.alive]
    before = [each for each in readings if each.at_s < cut_s]
    known = [each for each in before if each.capacity_mbps is not None]
    gone = [each for each in readings if each.at_s >= cut_s and (not each.alive or each.capacity_mbps == 0)]
    first = known[0] if known else None
    later = [each for each in before if first is not None and each.at_s >= first.at_s]
    near = [each for each in later if each.capacity_mbps is not None and abs(each.capacity_mbps / rate_mbps - 1) <= NEAR]
    unknown = [each for each in later if each.capacity_mbps is None]
    return Outcome(
        rate_mbps,
        None if first is None else max(0.0, first.at_s - alive[0].at_s),
        len(near) / len(later) if later else None,
        len(unknown) / len(later) if later else None,
        probes,
        gone[0].at_s - cut_s if gone else None,
    )


class Results:
    """Outcomes of all runs, by load and rate."""

    def __init__(self, outcomes: Mapping[Case, Sequence[Outcome]]) -> None:
        self.by_place: dict[tuple[str, float], list[Outcome]] = {}
        for case, some in outcomes.items():
            for each in some:
                self.by_place.setdefault((case.load, each.rate_mbps), []).append(each)
        self.places = sorted(self.by_place, key=lambda place: (LOADS.index(place[0]), place[1]))


def summarise(summary: Summary, results: Results) -> None:
    """Adds metrics of all cases, and targets."""
    table(results).add_metrics(summary, lambda place: f"{place[0]}.{place[1]:g}")
    for load, rate in results.places:
        some, key = results.by_place[load, rate], f"{load}.{rate:g}"
        summary.metric(f"told.{key}", round(sum(each.first_s is not None for each in some) / len(some), 4), "1")
        cut_s, not_near = _mean([each.cut_s for each in some]), _mean([None if each.near is None else 1 - each.near for each in some])
        if cut_s is not None:
            summary.metric(f"cut_s.{key}", round(cut_s, 4), "s")
        worst_first = _worst([each.first_s for each in some])
        summary.checks.append(Check(f"{key} first estimate, s", worst_first, _FIRST_S))
        summary.checks.append(Check(f"{key} not near", not_near, _WRONG))
        if any(each.probes is not None for each in some):
            summary.checks.append(Check(f"{key} echoes", _worst([each.probes for each in some]), _PROBES))
        summary.checks.append(Check(f"{key} drop to zero, s", _worst([each.cut_s for each in some]), _CUT_S))


def _worst(values: Sequence[float | None]) -> float | None:
    """None if one of these events did not happen."""
    known = _known(values)
    return max(known) if len(known) == len(values) and known else None


def table(results: Results) -> Table[tuple[str, float]]:
    """A row for each load and rate: means over the runs that have values."""

    def values(of: Callable[[Outcome], float | None]) -> Callable[[tuple[str, float]], list[float | None]]:
        return lambda place: [of(each) for each in results.by_place[place]]

    def mean(of: Callable[[Outcome], float | None]) -> Callable[[tuple[str, float]], float | None]:
        return lambda place: _mean(values(of)(place))

    first_s, cut_s = values(lambda each: each.first_s), values(lambda each: each.cut_s)
    columns: list[Column[tuple[str, float]]] = [
        Column("load", "load", lambda place: place[0]),
        Column("rate_mbps", "Mbit/s", lambda place: place[1], "g"),
        Column("runs", "runs", lambda place: len(results.by_place[place]), "d"),
        Column("told", "told", lambda place: len(_known(first_s(place))), "d"),
        Column("first_s", "first s", mean(lambda each: each.first_s), ".3f", unit="s"),
        Column("first_s_worst", "worst s", lambda place: max(_known(first_s(place)), default=None), ".3f"),
        Column("near", "near", mean(lambda each: each.near), ".3f", unit="1"),
        Column("unknown", "unknown", mean(lambda each: each.unknown), ".3f", unit="1"),
        Column("probes", "echoes", mean(lambda each: each.probes), ".4f", unit="1"),
        Column("cut_s_worst", "drop seen s", lambda place: _worst(cut_s(place)), ".3f"),
    ]
    return Table(columns, results.places)


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _mean(values: Sequence[float | None]) -> float | None:
    known = _known(values)
    return statistics.fmean(known) if known else None


def series_rows(case: str, number: int, uplink: str, rate_mbps: float, began_s: float, readings: Sequence[Reading]) -> list[list[str]]:
    """Of series.csv."""
    return [
        [
            case,
            str(number),
            uplink,
            f"{rate_mbps:g}",
            f"{each.at_s - began_s:.3f}",
            str(int(each.alive)),
            "" if each.capacity_mbps is None else f"{each.capacity_mbps:.4f}",
        ]
        for each in readings
    ]


def figures(results: Results, series: Mapping[tuple[str, float], Sequence[tuple[float, float]]]) -> list[Figure | Chart]:
    """series: by load and rate, of the first round: seconds, and the reported capacity as a share of the real one."""
    bars = [
        Bar(f"{rate:g} Mbit/s", statistics.fmean(known), min(known), max(known), len(known), group=load, cluster=f"{rate:g} Mbit/s")
        for load, rate in sorted(results.places, key=lambda place: (place[1], LOADS.index(place[0])))
        if (known := [each.first_s for each in results.by_place[load, rate] if each.first_s is not None])
    ]
    charts = []
    for load in dict.fromkeys(place[0] for place in results.places):
        lines = [
            Line(f"{rate:g} Mbit/s", [x for x, _ in points], [y for _, y in points], count=1)
            for (of, rate), points in sorted(series.items())
            if of == load and points
        ]
        charts.append(Chart(f"capacity-{load}", f"Measured capacity ({load}), first round", "s", "measured / true", lines))
    return [Figure("first-estimate", "Time to the first estimate of an uplink's capacity", "s", bars, whiskers="least and most of the runs"), *charts]


class CapacityStudy(EndhostStudy):
    """One set of uplinks at a time; MALOB restarts in each run, and all traffic on the uplinks ends with it."""

    name = "endhost-capacity"
    purpose = "how well capacities of 1 to 50 Mbit/s are measured, idle and half loaded (section 8 of the paper of 2020)"
    policies = LOADS
    runs = ("each run", 40.0, 15.0)
    setting_up_s = _SETTING_UP_S + _CUT_S

    def __init__(self, options: argparse.Namespace) -> None:
        self.cases = {case.key: case for case in cases(arguments.chosen(options.only, LOADS))}
        uplinks = max(len(case.rates_mbps) for case in self.cases.values())
        super().__init__(options, list(self.cases), arguments.rounds(options, 5), [_line(1.0)] * uplinks)
        self.outcomes: dict[Case, list[Outcome]] = {case: [] for case in self.cases.values()}
        self.series: list[list[str]] = []
        #: of the first round, by load and rate: seconds, and the reported capacity as a share of the real one
        self.shares: dict[tuple[str, float], list[tuple[float, float]]] = {}
        self._rates: list[float] = []

    def prepare_site(self) -> None:
        self.site.start_on_host([sys.executable, "-I", str(_HALF_LOAD), "take", str(_LOAD_PORT)], "half-load-host.log")

    def begin(self, case: str) -> Sequence[str]:
        self.site.product.stop()
        each = self.cases[case]
        self._rates = each.in_round(len(self.outcomes[each]), self.options.seed)
        for uplink, rate in enumerate(self._rates):
            self.site.network.shape(uplink, _line(rate))
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        each, site = self.cases[case], self.site
        load = self._start_load(each.load)
        orders = {"port": _REST_PORT, "pause_s": _PAUSE_S}
        watch = HostProgram(site, _WATCH, "what watches uplinks", orders)
        try:
            began = time.monotonic()
            cut = began + _SETTING_UP_S + self.seconds
            watch.start(began, cut + _CUT_S)
            site.product.start([None] * len(self._rates))
            before, measured = self._up_bytes(), time.monotonic()
            if measured > began + _SETTING_UP_S:
                return [Sample("host", "first", 0, began, measured - began, 0, "", True, "MALOB was up too late")]
            time.sleep(max(0.0, cut - time.monotonic()))
            probed = [(after - count) * 8e-6 / (cut - measured) for after, count in zip(self._up_bytes(), before)]
            for uplink in range(len(self._rates)):
                site.network.shape(uplink, _NOTHING)
            cut = time.monotonic()
            readings = watch.answer()
        finally:
            watch.close()
            if load is not None:
                load.kill()
                load.wait()
        return self._evaluate(each, began, cut, probed, readings)

    def _start_load(self, load: str) -> subprocess.Popen[bytes] | None:
        if load == "idle":
            return None
        network = self.site.network
        targets = [f"{network.address(uplink)}={LOAD_SHARE * rate:g}" for uplink, rate in enumerate(self._rates)]
        command = [sys.executable, "-I", str(_HALF_LOAD), load, str(_LOAD_PORT), *targets]
        return self.site.start_on_server(command, "half-load-server.log")

    def _up_bytes(self) -> list[float]:
        """The bytes sent over each uplink so far: echoes, and answers to the load."""
        network = self.site.network
        return [network.emulator.read(network.up_device(uplink)).mbytes * 1e6 for uplink in range(len(self._rates))]

    def _evaluate(self, case: Case, began: float, cut: float, probed_mbps: Sequence[float], readings: list[Any]) -> list[Sample]:
        samples = []
        number = len(self.outcomes[case]) // len(self._rates) + 1
        for uplink, rate in enumerate(self._rates):
            name = f"eth{uplink}"
            some = [Reading(at, found[name][0], None if found[name][1] is None else found[name][1] / 1e6) for at, found in readings if name in found]
            probes = None if case.load == "tcp" else probed_mbps[uplink] / rate
            came = outcome(rate, some, cut, probes)
            self.outcomes[case].append(came)
            self.series += series_rows(case.key, number, name, rate, began, some)
            if number == 1:
                self.shares[case.load, rate] = [(each.at_s - began, each.capacity_mbps / rate) for each in some if each.capacity_mbps is not None]
            for kind, seconds in (("first", came.first_s), ("cut", came.cut_s)):
                if seconds is not None:
                    samples.append(Sample("host", kind, len(self.series), began, seconds, 0, f"{name}={rate:g}", True, ""))
        return samples

    def own_parameters(self) -> dict[str, object]:
        return {"seconds": self.seconds, "delay_ms": DELAY_MS, "queue_packets": _QUEUE_PACKETS, "load": LOAD_SHARE, "links_by": "emulator"}

    def report(self, record: Record) -> Report:
        results = Results(self.outcomes)
        summarise(self.summed, results)
        self.folder.table("series.csv", SERIES, self.series)
        return table(results), figures(results, self.shares)


def _line(rate_mbps: float) -> UplinkLine:
    return UplinkLine.of(rate_mbps, DELAY_MS, _QUEUE_PACKETS)
