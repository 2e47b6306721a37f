"""`./malob bench endhost`: the cost of MALOB on a host, compared with os-ken on the same switch and a host with neither."""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.multihomed import SERVER
from malob.cli import table
from malob.cli.arguments import Parser, positive
from malob.system.processes import run
from research.bench import usage, visits
from research.bench.bench_command import BenchCommand, Document, add_connects, check_parallel, turns
from research.bench.endhost_ways import MALOB, NONE, OSKEN, WAYS, Ways, start_seconds
from research.bench.readings import figure
from research.distribution import percentile
from research.experiments.endhost.site import TCP_PORT, EndhostSite, open_site
from research.experiments.frame import arguments, machine
from research.experiments.frame.folder import Folder

_UPLINKS = 2
_FILE_BYTES = 1000

#: The options that the document has.
_PARAMETERS = ("ways", "rounds", "seconds", "settle", "connects", "requests", "parallel", "seed")

#: Connections before the measurement, so that the switch and both ends learn addresses.
_WARM_UP = 5

#: The values of each round by name, by case.
Rounds = Mapping[str, Sequence[Mapping[str, float]]]

#: The rows of the table: description, and digits after the decimal point.
METRICS = {
    "start_s": ("started, s", 2),
    "rss_idle_mb": ("memory (RSS) after start, MB", 1),
    "rss_load_mb": ("memory (RSS) after load, MB", 1),
    "idle_cpu_percent": ("processor when idle, % of a core", 2),
    "connect_median_ms": ("connect(), median, ms", 2),
    "connect_p95_ms": ("connect(), 95 of 100, ms", 2),
    "controller_median_ms": ("of that in the controller, median, ms", 2),
    "flows_per_s": ("new flows per second", 0),
    "cpu_us_per_flow": ("processor per flow, µs", 0),
    "failed": ("requests that failed", 0),
    "supervisor_rss_mb": ("memory (RSS) of the supervisor, MB", 1),
    "supervisor_idle_cpu_percent": ("processor of the idle supervisor, % of a core", 2),
}


@dataclass(frozen=True)
class Target:
    """A target of MALOB. figure: a name of METRICS, or "first_packet_ms". strict: the value must be below the limit."""

    figure: str
    words: str
    limit: float
    strict: bool = False

    def holds(self, value: float) -> bool:
        return value < self.limit if self.strict else value <= self.limit


TARGETS = (
    Target("rss_load_mb", "memory at most 120 MB", 120),
    Target("idle_cpu_percent", "idle below 0.5 % of a core", 0.5, strict=True),
    Target("start_s", "started below 2 s", 2, strict=True),
    Target("first_packet_ms", "first packets at most 2 ms later at the median", 2),
)


class EndhostCommand(BenchCommand):
    name = "endhost"
    purpose = "the cost of MALOB on a host with several uplinks, compared with os-ken and no switch; needs root"
    description = (
        "Measures the cost of MALOB on a host with two uplinks, compared with os-ken doing round robin on the same switch, and"
        " with no switch: memory, start, processor when idle, connect(), new flows per second; medians of the rounds."
        " Exit code 1 if a request failed or a target is missed."
    )
    out_help = "also write them to DIR/endhost.json, and MALOB's logs to DIR/logs"
    has_load = False

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--rounds", type=positive, default=3, metavar="N", help="rounds of each case (default %(default)s)")
        parser.add_argument("--only", metavar="WAYS", help=f"some of {','.join(WAYS)}")
        parser.add_argument("--seconds", type=arguments.amount, default=20.0, metavar="N", help="how long to measure idle controllers (default 20)")
        parser.add_argument(
            "--settle",
            type=positive,
            default=20,
            metavar="N",
            help="seconds to wait after the start until a controller counts as idle (default %(default)s)",
        )
        add_connects(parser)
        parser.add_argument("--requests", type=positive, default=2000, metavar="N", help="requests of ab per round (default %(default)s)")
        parser.add_argument("--parallel", type=positive, default=20, metavar="N", help="parallel requests (default %(default)s)")
        parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the order of cases in each round (default %(default)s)")
        parser.add_argument("--congestion", metavar="NAME", help="congestion control of the server (default cubic if the kernel has it)")

    def check(self, options: argparse.Namespace) -> None:
        check_parallel(options)
        options.ways = tuple(arguments.chosen(options.only, WAYS))
        options.congestion = arguments.congestion(options.congestion)

    def parts(self, options: argparse.Namespace) -> Sequence[str]:
        return ("lab", "endhost", "bench", *(["os-ken"] if OSKEN in options.ways else []))

    def measure(self, options: argparse.Namespace) -> Document:
        facts = machine.facts()
        order = random.Random(options.seed)
        rounds: dict[str, list[dict[str, float]]] = {way: [] for way in options.ways}
        with tempfile.TemporaryDirectory(prefix="malob-bench-") as name:
            directory = Path(name)
            with open_site([None] * _UPLINKS, options.congestion, Folder((options.out or directory) / "logs"), [_FILE_BYTES]) as site:
                bench = _Bench(site, Ways(site, directory), options, directory)
                for way in turns(options.ways, options.rounds, lambda ways, _: order.sample(ways, len(ways))):
                    rounds[way].append(bench.round(way))
        found = figures(rounds)
        parameters = {key: getattr(options, key) for key in _PARAMETERS}
        return {"parameters": parameters, "machine": facts, "figures": found, "checks": checks(found), "rounds": rounds}

    def lines(self, found: Document) -> list[str]:
        header = ["", *found["figures"]]
        return [*table.render(header, rows(found["figures"]), right=range(1, len(header))), "", *verdicts(found["checks"])]

    def holds(self, found: Document) -> bool:
        return not any(each["failed"] for each in found["figures"].values()) and all(check["holds"] for check in found["checks"])


class _Bench:
    def __init__(self, site: EndhostSite, ways: Ways, options: argparse.Namespace, directory: Path) -> None:
        self._site, self._ways, self._options, self._directory = site, ways, options, directory

    def round(self, way: str) -> dict[str, float]:
        """Measures one case, from its start to its end."""
        found = {} if way == NONE else {"start_s": start_seconds(way, self._directory)}
        try:
            pids = self._ways.begin(way)
            if pids:
                time.sleep(self._options.settle)
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
        time.sleep(self._options.seconds)
        passed = time.monotonic() - began
        for name, pid in pids.items():
            found[_named(name, "idle_cpu_percent")] = 100 * (usage.cpu_seconds(pid) - before[name]) / passed
        return found

    def _connects(self) -> dict[str, float]:
        command = [sys.executable, "-I", str(visits.VISITING), SERVER, str(TCP_PORT), str(_WARM_UP + self._options.connects), "0"]
        words = run(self._site.network.on_host(command), timeout_s=600)
        times_ms = [time_us / 1000 for time_us in visits.connect_us(words)[_WARM_UP:]]
        return {"connect_median_ms": statistics.median(times_ms), "connect_p95_ms": percentile(times_ms, 95)}

    def _load(self, controller: int | None) -> dict[str, float]:
        before = usage.cpu_seconds(controller) if controller else 0.0
        words = run(
            self._site.network.on_host(
                [
                    "ab",
                    "-q",
                    "-n",
                    str(self._options.requests),
                    "-c",
                    str(self._options.parallel),
                    "-s",
                    "20",
                    f"http://{SERVER}:{TCP_PORT}/{_FILE_BYTES}",
                ]
            ),
            timeout_s=600,
        )
        found = {"flows_per_s": figure(words, r"Requests per second:\s+([\d.]+)"), "failed": figure(words, r"Failed requests:\s+(\d+)")}
        if controller:
            found["cpu_us_per_flow"] = 1e6 * (usage.cpu_seconds(controller) - before) / self._options.requests
            found["rss_load_mb"] = usage.resident_mb(controller)
        return found


def _named(program: str, figure_name: str) -> str:
    return figure_name if program == "controller" else f"{program}_{figure_name}"


def figures(rounds: Rounds) -> dict[str, dict[str, float]]:
    """By case: the median of each metric over its rounds; of failures, the sum.

    "first_packet_ms" is the additional time of connect() compared with no switch, per round, if it was measured.
    """
    found: dict[str, dict[str, float]] = {}
    for way, results in rounds.items():
        found[way] = {name: _together(name, [result[name] for result in results]) for name in METRICS if all(name in result for result in results)}
        if way != NONE and rounds.get(NONE):
            pairs = zip(results, rounds[NONE])
            found[way]["first_packet_ms"] = statistics.median(
                with_switch["connect_median_ms"] - without["connect_median_ms"] for with_switch, without in pairs
            )
    return found


def _together(name: str, values: Sequence[float]) -> float:
    return sum(values) if name == "failed" else statistics.median(values)


def checks(found: Mapping[str, Mapping[str, float]]) -> list[dict[str, Any]]:
    """Each target with its value and whether it is reached; targets that were not measured are omitted."""
    malob = found.get(MALOB, {})
    return [
        {"figure": target.figure, "target": target.words, "value": malob[target.figure], "holds": target.holds(malob[target.figure])}
        for target in TARGETS
        if target.figure in malob
    ]


def rows(found: Mapping[str, Mapping[str, float]]) -> list[list[str]]:
    """Lines of a table: a metric, and its value for each case."""
    shown = {**METRICS, "first_packet_ms": ("connect(), median, later than without, ms", 2)}
    return [
        [words, *("-" if name not in way else f"{way[name]:.{digits}f}" for way in found.values())]
        for name, (words, digits) in shown.items()
        if any(name in way for way in found.values())
    ]


def verdicts(checked: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each target."""
    return [f"{'holds ' if check['holds'] else 'missed'}  {check['target']}: {check['value']:.2f}" for check in checked]
