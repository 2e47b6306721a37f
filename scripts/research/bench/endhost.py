"""Measures the cost of MALOB on a host, compared with os-ken on the same switch and a host with neither."""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.multihomed import SERVER
from malob.system.processes import run
from malob.system.progress import Bar
from research.bench import endhost_figures, usage
from research.bench.endhost_figures import MALOB, NONE
from research.bench.endhost_ways import Ways, start_seconds
from research.bench.open_vswitch import CONNECTING, figure
from research.distribution import percentile
from research.experiments import machine
from research.experiments.endhost_site import TCP_PORT, EndhostSite, open_site
from research.experiments.folder import Folder

_UPLINKS = 2
_FILE_BYTES = 1000

#: Connections before the measurement, so that the switch and both ends learn addresses.
_WARM_UP = 5


@dataclass(frozen=True)
class Plan:
    """ways: of endhost_figures.WAYS.

    seconds: for which an idle controller is watched, settle seconds after its start. connects: the number that is timed in a
    round, one after the other. requests, parallel: of small files by ab.
    """

    ways: tuple[str, ...]
    rounds: int
    seconds: float
    settle: float
    connects: int
    requests: int
    parallel: int
    seed: int


def measure(plan: Plan, congestion: str, out: Path | None) -> dict[str, Any]:
    """Builds network and host, measures all cases in turn, removes everything, and returns the figures.

    out: the directory for MALOB's logs, or None. Raises ScriptError.
    """
    facts = machine.facts()
    order = random.Random(plan.seed)
    rounds: dict[str, list[dict[str, float]]] = {way: [] for way in plan.ways}
    with tempfile.TemporaryDirectory(prefix="malob-bench-") as name:
        directory = Path(name)
        with open_site([None] * _UPLINKS, congestion, Folder((out or directory) / "logs"), [_FILE_BYTES]) as site:
            bench = _Bench(site, Ways(site, directory), plan, directory)
            with Bar(plan.rounds * len(plan.ways)) as bar:
                for number in range(plan.rounds):
                    for way in order.sample(plan.ways, len(plan.ways)):
                        bar.begin(f"round {number + 1}, {way}")
                        rounds[way].append(bench.round(way))
    found = endhost_figures.figures(rounds)
    return {"parameters": asdict(plan), "machine": facts, "figures": found, "checks": endhost_figures.checks(found), "rounds": rounds}


class _Bench:
    def __init__(self, site: EndhostSite, ways: Ways, plan: Plan, directory: Path) -> None:
        self._site, self._ways, self._plan, self._directory = site, ways, plan, directory

    def round(self, way: str) -> dict[str, float]:
        """Measures one case, from its start to its end."""
        found = {} if way == NONE else {"start_s": start_seconds(way, self._directory)}
        try:
            pids = self._ways.begin(way)
            if pids:
                time.sleep(self._plan.settle)
                found.update(self._idle(pids))
            found.update(self._connects())
            if way == MALOB:
                # from packet-in to rules, measured by itself
                found["controller_median_ms"] = self._site.product.status()["first_packet_ms"]["median"]
            found.update(self._load(pids.get("controller")))
        finally:
            self._ways.end()
        return found

    def _idle(self, pids: dict[str, int]) -> dict[str, float]:
        found = {_named(name, "rss_idle_mb" if name == "controller" else "rss_mb"): usage.resident_mb(pid) for name, pid in pids.items()}
        began, before = time.monotonic(), {name: usage.cpu_seconds(pid) for name, pid in pids.items()}
        time.sleep(self._plan.seconds)
        passed = time.monotonic() - began
        for name, pid in pids.items():
            found[_named(name, "idle_cpu_percent")] = 100 * (usage.cpu_seconds(pid) - before[name]) / passed
        return found

    def _connects(self) -> dict[str, float]:
        words = run(
            self._site.network.on_host([sys.executable, "-I", str(CONNECTING), SERVER, str(TCP_PORT), str(_WARM_UP + self._plan.connects)]),
            timeout_s=600,
        )
        times_ms = [int(line) / 1000 for line in words.split()][_WARM_UP:]
        return {"connect_median_ms": statistics.median(times_ms), "connect_p95_ms": percentile(times_ms, 95)}

    def _load(self, controller: int | None) -> dict[str, float]:
        before = usage.cpu_seconds(controller) if controller else 0.0
        words = run(
            self._site.network.on_host(
                ["ab", "-q", "-n", str(self._plan.requests), "-c", str(self._plan.parallel), "-s", "20", f"http://{SERVER}:{TCP_PORT}/{_FILE_BYTES}"]
            ),
            timeout_s=600,
        )
        found = {"flows_per_s": figure(words, r"Requests per second:\s+([\d.]+)"), "failed": figure(words, r"Failed requests:\s+(\d+)")}
        if controller:
            found["cpu_us_per_flow"] = 1e6 * (usage.cpu_seconds(controller) - before) / self._plan.requests
            found["rss_load_mb"] = usage.resident_mb(controller)
        return found


def _named(program: str, figure_name: str) -> str:
    return figure_name if program == "controller" else f"{program}_{figure_name}"
