"""`endhost-overhead`: the cost of the switch on the host for one TCP connection (figure 5 of the paper of 2020)."""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Sequence

from lab.multihomed import SERVER
from lab.strain import StrainMeter
from malob.cli.table import render
from malob.errors import ScriptError
from malob.system.processes import run as run_command
from malob.system.waiting import orderly_end, say, wait_until
from research import distribution
from research.experiments import arguments, endhost_arguments, machine, measurement, plan
from research.experiments.endhost_site import EndhostSite, open_site
from research.experiments.estimate import Estimate
from research.experiments.folder import Folder
from research.experiments.plots import Bar, Figure
from research.experiments.progress import Progress
from research.experiments.samples import Record, Sample
from research.experiments.summary import Summary

NAME = "endhost-overhead"
HELP = "throughput with the switch on the host against none (figure 5 of the end host's paper of 2020)"

#: "none" is a host without MALOB; down is towards the host.
POLICIES = ("none", "switch")
_WAYS = {"down": ["--reverse"], "up": []}
_PORT = 5201
_SETTING_UP_S = 4.0
_UNIT = "Mbit/s"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    endhost_arguments.add(parser, POLICIES)
    parser.add_argument("--seconds", type=arguments.amount, metavar="S", help="duration of each connection (default 10; with --quick 3)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """The exit code of the command."""
    policies = arguments.chosen(options.only, POLICIES)
    congestion = endhost_arguments.congestion(options)
    endhost_arguments.prepare(options, NAME, "throughput")
    study = OverheadStudy(options, policies, congestion)
    with orderly_end():
        return _finish(options, study, study.run())


class OverheadStudy:
    """One connection at a time."""

    def __init__(self, options: argparse.Namespace, policies: Sequence[str], congestion: str) -> None:
        self.cases = [f"{policy}.{way}" for policy in policies for way in _WAYS]
        self.seconds = options.seconds or (3.0 if options.quick else 10.0)
        self.rounds = options.rounds or (1 if options.quick else 5)
        self.folder = Folder(arguments.out_directory(options, NAME))
        self.facts = machine.facts()
        self._options, self._congestion = options, congestion
        self._site: EndhostSite | None = None
        self._number = 0

    def run(self) -> Record:
        """All slices."""
        say(f"writing results to {self.folder.path}")
        slices = plan.interleaved(self.cases, self.rounds, self._options.seed)
        progress = Progress(slices, Estimate(dict.fromkeys(self.cases, self.seconds + _SETTING_UP_S)))
        with open_site([None], self._congestion, self.folder, []) as self._site:
            server = self._site.start_on_server(["iperf3", "--server", "--port", str(_PORT)], "iperf3.log")
            wait_until(lambda: server.poll() is not None or self._listens(), "iperf3 to listen", 10)
            return measurement.run(self, slices, self.folder, progress)

    def _listens(self) -> bool:
        assert self._site is not None
        return subprocess.run(self._site.network.on_server(["sh", "-c", f"ss -Hltn sport = :{_PORT} | grep -q ."])).returncode == 0

    def begin(self, case: str) -> Sequence[str]:
        assert self._site is not None
        if case.startswith("none."):
            self._site.be_plain()
        else:
            self._site.be_balanced("RR")
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        assert self._site is not None
        self._number += 1
        began = time.monotonic()
        words = run_command(
            self._site.network.on_host(
                [
                    "iperf3",
                    "--client",
                    SERVER,
                    "--port",
                    str(_PORT),
                    "--json",
                    "--omit",
                    "1",
                    "--time",
                    f"{self.seconds:g}",
                    *_WAYS[case.rpartition(".")[2]],
                ]
            ),
            timeout_s=self.seconds + 30,
            check=False,
        )
        size, seconds, error = received(words)
        return [Sample("host", "stream", self._number, began, seconds, size, "", True, error)]

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
            "cases": self.cases,
        }


def received(words: str) -> tuple[int, float, str]:
    """From iperf3's output: received bytes, seconds, and the error or an empty string. Raises ScriptError if there is no output."""
    try:
        found = json.loads(words)
    except ValueError:
        raise ScriptError("iperf3 printed no results") from None
    if "error" in found:
        return 0, 0.0, str(found["error"])
    total = found["end"]["sum_received"]
    return int(total["bytes"]), float(total["seconds"]), ""


def _finish(options: argparse.Namespace, study: OverheadStudy, record: Record) -> int:
    runs = {case: [sample.size * 8e-6 / sample.seconds for sample in record.samples(case, "stream") if sample.good] for case in study.cases}
    means = {case: found for case, values in runs.items() if (found := distribution.mean(values)) is not None}
    summed = Summary(NAME, study.parameters(), study.facts)
    for case, found in means.items():
        summed.metric(f"mbps.{case}", round(found.value, 2), _UNIT)
        if found.ci90 is not None:
            summed.metric(f"ci90.{case}", round(found.ci90, 2), _UNIT)
    for way in _WAYS:
        share = summed.ratio(f"mbps.switch.{way}", f"mbps.none.{way}")
        if share is not None:
            summed.metric(f"share.{way}", round(share, 4), "1")
    _add_cpu(summed, record)
    rows = [[case, str(found.count), f"{found.value:.2f}", "" if found.ci90 is None else f"{found.ci90:.2f}"] for case, found in means.items()]
    study.folder.table("results.csv", ["case", "runs", "mbps", "ci90"], rows)
    bars = [
        Bar(
            case.rpartition(".")[0],
            found.value,
            min(runs[case]),
            max(runs[case]),
            found.count,
            group=case.rpartition(".")[0],
            cluster=case.rpartition(".")[2],
        )
        for case, found in sorted(means.items(), key=lambda pair: pair[0][::-1])
    ]
    figure = Figure("figure-5", "One TCP connection over an uplink without limit", _UNIT, bars, whiskers="lowest and highest run")
    table = render(["case", "runs", _UNIT, "± (90 %)"], rows, right=[1, 2, 3])
    return endhost_arguments.finish(options, study.folder, summed, record, table, [figure])


def _add_cpu(summed: Summary, record: Record) -> None:
    """The switch should be at its limit here, so this does not reject the run."""
    used = record.cpu("ovs-vswitchd")
    if used is not None:
        summed.metric("cpu.ovs-vswitchd", round(used, 4), "cores")
