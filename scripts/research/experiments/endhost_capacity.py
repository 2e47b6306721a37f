"""`endhost-capacity`: MALOB's measurement of uplink capacities, idle and half loaded (section 8 of the paper of 2020)."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.multihomed import UplinkLine
from lab.strain import StrainMeter
from malob.network.links import Direction
from malob.system.waiting import orderly_end, say
from research.experiments import arguments, endhost_arguments, endhost_capacity_report, machine, measurement, plan, report
from research.experiments.endhost_capacity_cases import DELAY_MS, LOAD_SHARE, LOADS, Case, Outcome, Reading, cases, outcome
from research.experiments.endhost_capacity_report import Results
from research.experiments.endhost_program import HostProgram
from research.experiments.endhost_site import EndhostSite, open_site
from research.experiments.estimate import Estimate
from research.experiments.folder import Folder
from research.experiments.progress import Progress
from research.experiments.samples import Record, Sample
from research.experiments.summary import Summary

NAME = "endhost-capacity"
HELP = "how well capacities of 1 to 50 Mbit/s are measured, idle and half loaded (section 8 of the paper of 2020)"

_PROGRAMS = Path(__file__).parent / "programs"
_WATCH, _HALF_LOAD = _PROGRAMS / "uplink_watch.py", _PROGRAMS / "half_load.py"
_LOAD_PORT, _REST_PORT = 5202, 8080
_QUEUE_PACKETS = 100
_PAUSE_S = 0.2
_SETTING_UP_S = 8.0
_CUT_S = 4.0
_NOTHING = UplinkLine(*(Direction(1000, DELAY_MS, _QUEUE_PACKETS, loss=1.0),) * 2)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    endhost_arguments.add(parser, LOADS)
    parser.add_argument("--seconds", type=arguments.amount, metavar="S", help="duration of each run (default 40; with --quick 15)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """The exit code of the command."""
    loads = arguments.chosen(options.only, LOADS)
    congestion = endhost_arguments.congestion(options)
    endhost_arguments.prepare(options, NAME)
    study = CapacityStudy(options, cases(loads), congestion)
    with orderly_end():
        return _finish(options, study, study.run())


class CapacityStudy:
    """One set of uplinks at a time; MALOB restarts in each run, and all traffic on the uplinks ends with it."""

    def __init__(self, options: argparse.Namespace, some: Sequence[Case], congestion: str) -> None:
        self.cases = some
        self.seconds = options.seconds or (15.0 if options.quick else 40.0)
        self.rounds = options.rounds or (1 if options.quick else 5)
        self.folder = Folder(arguments.out_directory(options, NAME))
        self.facts = machine.facts()
        self.outcomes: dict[Case, list[Outcome]] = {case: [] for case in some}
        self.series: list[list[str]] = []
        #: of the first round, by load and rate: seconds, and the reported capacity as a share of the real one
        self.shares: dict[tuple[str, float], list[tuple[float, float]]] = {}
        self._options, self._congestion = options, congestion
        self._by_key = {case.key: case for case in some}
        self._site: EndhostSite | None = None
        self._rates: list[float] = []

    def run(self) -> Record:
        """All slices."""
        say(f"writing results to {self.folder.path}")
        slices = plan.interleaved([case.key for case in self.cases], self.rounds, self._options.seed)
        guess_s = _SETTING_UP_S + self.seconds + _CUT_S
        progress = Progress(slices, Estimate({case.key: guess_s for case in self.cases}))
        count = max(len(case.rates_mbps) for case in self.cases)
        with open_site([_line(1.0)] * count, self._congestion, self.folder, []) as self._site:
            self._site.start_on_host([sys.executable, "-I", str(_HALF_LOAD), "take", str(_LOAD_PORT)], "half-load-host.log")
            return measurement.run(self, slices, self.folder, progress)

    def begin(self, case: str) -> Sequence[str]:
        assert self._site is not None
        self._site.product.stop()
        each = self._by_key[case]
        self._rates = each.in_round(len(self.outcomes[each]), self._options.seed)
        for uplink, rate in enumerate(self._rates):
            self._site.network.shape(uplink, _line(rate))
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        assert self._site is not None
        each, site = self._by_key[case], self._site
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
        assert self._site is not None
        if load == "idle":
            return None
        network = self._site.network
        targets = [f"{network.address(uplink)}={LOAD_SHARE * rate:g}" for uplink, rate in enumerate(self._rates)]
        command = [sys.executable, "-I", str(_HALF_LOAD), load, str(_LOAD_PORT), *targets]
        return self._site.start_on_server(command, "half-load-server.log")

    def _up_bytes(self) -> list[float]:
        """The bytes sent over each uplink so far: echoes, and answers to the load."""
        assert self._site is not None
        network = self._site.network
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
            self.series += endhost_capacity_report.series_rows(case.key, number, name, rate, began, some)
            if number == 1:
                self.shares[case.load, rate] = [(each.at_s - began, each.capacity_mbps / rate) for each in some if each.capacity_mbps is not None]
            for kind, seconds in (("first", came.first_s), ("cut", came.cut_s)):
                if seconds is not None:
                    samples.append(Sample("host", kind, len(self.series), began, seconds, 0, f"{name}={rate:g}", True, ""))
        return samples

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
            "congestion_control": self._congestion,
            "delay_ms": DELAY_MS,
            "queue_packets": _QUEUE_PACKETS,
            "load": LOAD_SHARE,
            "links_by": "emulator",
            "cases": [case.key for case in self.cases],
        }


def _line(rate_mbps: float) -> UplinkLine:
    return UplinkLine.of(rate_mbps, DELAY_MS, _QUEUE_PACKETS)


def _finish(options: argparse.Namespace, study: CapacityStudy, record: Record) -> int:
    results = Results(study.outcomes)
    summed = Summary(NAME, study.parameters(), study.facts)
    endhost_capacity_report.summarise(summed, results)
    report.add_strain(summed, record)
    study.folder.table("results.csv", endhost_capacity_report.RESULTS, endhost_capacity_report.rows(results))
    study.folder.table("series.csv", endhost_capacity_report.SERIES, study.series)
    table, figures = endhost_capacity_report.table(results), endhost_capacity_report.figures(results, study.shares)
    return endhost_arguments.finish(options, study.folder, summed, record, table, figures)
