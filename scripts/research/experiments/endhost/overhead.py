"""`endhost-overhead`: the cost of the switch on the host for one TCP connection (figure 5 of the paper of 2020)."""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Sequence

from lab.multihomed import SERVER
from malob.errors import ScriptError
from malob.system.processes import run as run_command
from malob.system.waiting import wait_until
from research import distribution
from research.experiments.endhost.study import EndhostStudy
from research.experiments.frame import arguments
from research.experiments.frame.plots import Bar, Figure
from research.experiments.frame.samples import Record, Sample
from research.experiments.frame.study import Report
from research.experiments.frame.table import Column, Table

#: "none" is a host without MALOB; down is towards the host.
POLICIES = ("none", "switch")
_WAYS = {"down": ["--reverse"], "up": []}
_PORT = 5201
_UNIT = "Mbit/s"


class OverheadStudy(EndhostStudy):
    """One connection at a time. The switch should be at its limit here, so this does not make the results invalid."""

    name = "endhost-overhead"
    purpose = "throughput with the switch on the host against none (figure 5 of the end host's paper of 2020)"
    policies = POLICIES
    runs = ("each connection", 10.0, 3.0)
    setting_up_s = 4.0
    parts = (*EndhostStudy.parts, "throughput")
    rejects = False

    def __init__(self, options: argparse.Namespace) -> None:
        keys = [f"{policy}.{way}" for policy in arguments.chosen(options.only, POLICIES) for way in _WAYS]
        super().__init__(options, keys, arguments.rounds(options, 5), [None])
        self._number = 0

    def prepare_site(self) -> None:
        server = self.site.start_on_server(["iperf3", "--server", "--port", str(_PORT)], "iperf3.log")
        wait_until(lambda: server.poll() is not None or self._listens(), "iperf3 to listen", 10)

    def _listens(self) -> bool:
        return subprocess.run(self.site.network.on_server(["sh", "-c", f"ss -Hltn sport = :{_PORT} | grep -q ."])).returncode == 0

    def begin(self, case: str) -> Sequence[str]:
        if case.startswith("none."):
            self.site.be_plain()
        else:
            self.site.be_balanced("RR")
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        self._number += 1
        began = time.monotonic()
        options = ["--port", str(_PORT), "--json", "--omit", "1", "--time", f"{self.seconds:g}", *_WAYS[case.rpartition(".")[2]]]
        words = run_command(self.site.network.on_host(["iperf3", "--client", SERVER, *options]), timeout_s=self.seconds + 30, check=False)
        size, seconds, error = received(words)
        return [Sample("host", "stream", self._number, began, seconds, size, "", True, error)]

    def own_parameters(self) -> dict[str, object]:
        return {"seconds": self.seconds}

    def report(self, record: Record) -> Report:
        runs = {case: [sample.size * 8e-6 / sample.seconds for sample in record.samples(case, "stream") if sample.good] for case in self.keys}
        means = {case: found for case, values in runs.items() if (found := distribution.mean(values)) is not None}
        columns: list[Column[str]] = [
            Column("case", "case", str),
            Column("runs", "runs", lambda case: means[case].count, "d"),
            Column("mbps", _UNIT, lambda case: means[case].value, ".2f", unit=_UNIT, digits=2),
            Column("ci90", "± (90 %)", lambda case: means[case].ci90, ".2f", unit=_UNIT, digits=2),
        ]
        table = Table(columns, means)
        table.add_metrics(self.summed, str)
        for way in _WAYS:
            share = self.summed.ratio(f"mbps.switch.{way}", f"mbps.none.{way}")
            if share is not None:
                self.summed.metric(f"share.{way}", round(share, 4), "1")
        bars = []
        for case, found in sorted(means.items(), key=lambda pair: pair[0][::-1]):
            policy, _, way = case.rpartition(".")
            bars.append(Bar(policy, found.value, min(runs[case]), max(runs[case]), found.count, group=policy, cluster=way))
        figure = Figure("figure-5", "One TCP connection over an uplink without limit", _UNIT, bars, whiskers="lowest and highest run")
        return table, [figure]


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
