"""`endhost-web`: web pages over two uplinks, by TCP and by QUIC (sections 5 and 6 of the paper on web pages)."""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Callable

from lab.multihomed import UplinkLine
from malob.cli.arguments import positive
from research import distribution
from research.distribution import Distribution
from research.experiments.endhost import pages as endhost_pages
from research.experiments.endhost import paths
from research.experiments.endhost import policies as endhost_policies
from research.experiments.endhost.browsing import VIDEO_BYTES, VIDEO_MBPS, VIDEO_PORT, Browsing, Load, VideoWatch
from research.experiments.endhost.paths import DELAY_MS
from research.experiments.endhost.policies import Policy
from research.experiments.endhost.recording import Recording
from research.experiments.endhost.site import QUIC_PORT, TCP_PORT
from research.experiments.endhost.study import EndhostStudy
from research.experiments.frame import arguments, plots
from research.experiments.frame.plots import Bar, Chart, Figure
from research.experiments.frame.samples import Record, Sample
from research.experiments.frame.study import Report
from research.experiments.frame.summary import Check, Summary
from research.experiments.frame.table import Column, Table

POLICIES = ("eth0", "eth1", "wrr", "adaptive")
TRANSPORTS = ("tcp", "quic")
LINKS = ("static", "realistic")

#: The rate of each uplink with static links: not in the paper; with these, pages take seconds, as there.
STATIC_MBPS = 4.0

#: The paper's saving of WRR in the mean time of the single interface (sections 5.1, 5.2 and 6.2), in percent.
PAPER_GAINS = {"tcp.static": {"eth0": 37}, "quic.static": {"eth0": 30}, "quic-video.static": {"eth0": 22}, "tcp.realistic": {"eth0": 33, "eth1": 13}}

#: The paper's medians and means, in seconds.
PAPER_MEDIANS_S = {"eth0.tcp.static": 12, "wrr.tcp.static": 7.5, "eth0.tcp.realistic": 6.3, "eth1.tcp.realistic": 4.8, "wrr.tcp.realistic": 3.9}
PAPER_MEANS_S = {"eth0.tcp.realistic": 8.6, "eth1.tcp.realistic": 6.7, "wrr.tcp.realistic": 5.8}

_QUEUE_PACKETS = 100
_PATIENCE_S = 30.0
_LEAD_S = 0.5

#: The end of runs with static links, which would not end otherwise.
_MAX_S = 3600.0
_GUESSED_PAGE_S = 3.0

#: A film without pages.
_ALONE_S, _ALONE_QUICK_S = 60.0, 12.0

PAGES = ["case", "round", "page", "began_s", "seconds", "failed"]


@dataclass(frozen=True)
class Case:
    """links: one of LINKS. video: a film is watched meanwhile; alone: only the film."""

    policy: Policy
    transport: str
    links: str
    video: bool = False
    alone: bool = False

    @property
    def scenario(self) -> str:
        """The key in metrics that all policies share."""
        name = "video" if self.alone else self.transport + ("-video" if self.video else "")
        return f"{name}.{self.links}"

    @property
    def key(self) -> str:
        """The part of a metric's key after the quantity."""
        return f"{self.policy.name}.{self.scenario}"


def cases(policies: Sequence[str], transports: Sequence[str], links: Sequence[str], video: bool) -> list[Case]:
    """All cases; with equal uplinks, one single-uplink policy is enough. video: with the film if links are static."""
    found = []
    for link in links:
        some = [name for name in policies if link == "realistic" or name != "eth1"]
        for transport in transports:
            found += [Case(endhost_policies.named(name), transport, link) for name in some]
            if video and link == "static":
                found += [Case(endhost_policies.named(name), transport, link, video=True) for name in some]
    if video and "static" in links and "eth0" in policies:
        found.append(Case(endhost_policies.named("eth0"), "tcp", "static", video=True, alone=True))
    return found


@dataclass(frozen=True)
class Turn:
    """The result of one run. began_s of loads: since its beginning. The film's rate as the host sees it, and by MALOB's statistics of
    its flow; None if missing."""

    loads: Sequence[Load]
    video_mbps: float | None
    video_mbps_by_flow: float | None


class Results:
    """By case."""

    def __init__(self, cases: Sequence[Case], turns: Mapping[str, Sequence[Turn]]) -> None:
        self.turns = {case: turns[case.key] for case in cases if turns[case.key]}

    def seconds(self, case: Case) -> list[float]:
        """The times of all complete pages."""
        return sorted(load.seconds for turn in self.turns[case] for load in turn.loads if not load.failed)

    def per_page(self, case: Case) -> dict[int, float]:
        """The mean time by page."""
        found: dict[int, list[float]] = {}
        for turn in self.turns[case]:
            for load in turn.loads:
                if not load.failed:
                    found.setdefault(load.page, []).append(load.seconds)
        return {page: statistics.fmean(values) for page, values in found.items()}

    def mean_s(self, case: Case) -> float | None:
        """The mean over pages of each page's mean, so that every page has the same weight; None without pages."""
        values = list(self.per_page(case).values())
        return statistics.fmean(values) if values else None

    def failed(self, case: Case) -> int:
        return sum(1 for turn in self.turns[case] for load in turn.loads if load.failed)

    def times_s(self, case: Case) -> Distribution | None:
        """Of the pages' means."""
        return distribution.of(self.per_page(case).values())

    def video_mbps(self, case: Case) -> float | None:
        """The film's rate as the host sees it."""
        return _mean([turn.video_mbps for turn in self.turns[case]])

    def video_mbps_by_flow(self, case: Case) -> float | None:
        return _mean([turn.video_mbps_by_flow for turn in self.turns[case]])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def page_rows(case: str, number: int, turn: Turn) -> list[list[str]]:
    """Of pages.csv."""
    return [[case, str(number), str(load.page), f"{load.began_s:.4f}", f"{load.seconds:.4f}", str(load.failed)] for load in turn.loads]


def summarise(summary: Summary, results: Results) -> None:
    """Adds the metrics of all cases, gains, the paper's figures, and targets."""
    table(results).add_metrics(summary, lambda case: case.key)
    for case in results.turns:
        if pages := len(results.seconds(case)):
            summary.metric(f"pages.{case.key}", pages, "1")
        for name, figures_s in (("median_s", PAPER_MEDIANS_S), ("mean_s", PAPER_MEANS_S)):
            if case.key in figures_s:
                summary.paper(f"{name}.{case.key}", figures_s[case.key], "s")
    for scenario in dict.fromkeys(case.scenario for case in results.turns):
        _add_gains(summary, scenario)


def _add_gains(summary: Summary, scenario: str) -> None:
    """gain_percent.MINE-OTHER.SCENARIO: the saving of one in another's mean time."""
    for mine in ("wrr", "adaptive"):
        for other in ("eth0", "eth1"):
            ratio = summary.ratio(f"mean_s.{mine}.{scenario}", f"mean_s.{other}.{scenario}")
            if ratio is None:
                continue
            summary.metric(f"gain_percent.{mine}-{other}.{scenario}", round(100 * (1 - ratio), 2), "%")
            paper = PAPER_GAINS.get(scenario, {}).get(other)
            if paper is not None and mine == "wrr":
                summary.paper(f"gain_percent.{mine}-{other}.{scenario}", paper, "%")
                summary.checks.append(Check(f"{mine} to {other}: {scenario}", ratio, 1 - paper / 100))


def table(results: Results) -> Table[Case]:
    """A row for each case that was measured."""

    def percentile(of: Callable[[Distribution], float]) -> Callable[[Case], float | None]:
        return lambda case: None if (found := results.times_s(case)) is None else of(found)

    columns: list[Column[Case]] = [
        Column("policy", "policy", lambda case: case.policy.name),
        Column("scenario", "scenario", lambda case: case.scenario),
        Column("pages", "pages", lambda case: len(results.seconds(case)), "d"),
        Column("failed", "failed", results.failed, "d"),
        Column("mean_s", "mean s", results.mean_s, ".4f", ".3f", unit="s"),
        Column("p10_s", "p10 s", percentile(lambda found: found.p10), ".4f", ".3f"),
        Column("median_s", "median s", percentile(lambda found: found.median), ".4f", ".3f", unit="s"),
        Column("p90_s", "p90 s", percentile(lambda found: found.p90), ".4f", ".3f"),
        Column("video_mbps", "film, Mbit/s", results.video_mbps, ".4f", ".3f", unit="Mbit/s"),
        Column("video_mbps_by_flow", "by its flow", results.video_mbps_by_flow, ".4f", ".3f", unit="Mbit/s"),
    ]
    return Table(columns, results.turns)


def figures(results: Results) -> list[Figure | Chart]:
    """The distribution of each scenario, means, and the film's rate."""
    found: list[Figure | Chart] = []
    for scenario in dict.fromkeys(case.scenario for case in results.turns if not case.alone):
        mine = [case for case in results.turns if case.scenario == scenario and results.per_page(case)]
        lines = [plots.cumulated(case.policy.name, results.per_page(case).values()) for case in mine]
        found.append(Chart(f"pages-{scenario}", f"Pages, {scenario}", "time to load a page, s", "share of pages", lines))
    means, films = [], []
    for case, turns in results.turns.items():
        name, pages, mean_s, video_mbps = case.policy.name, results.times_s(case), results.mean_s(case), results.video_mbps(case)
        paper = PAPER_MEANS_S.get(case.key)
        if pages is not None and mean_s is not None:
            means.append(Bar(name, mean_s, pages.p10, pages.p90, pages.count, paper, paper, group=name, cluster=case.scenario))
        if video_mbps is not None:
            films.append(Bar(name, video_mbps, video_mbps, video_mbps, len(turns), optimum=VIDEO_MBPS, group=name, cluster=case.scenario))
    return [
        *found,
        Figure("means", "Mean time to load a page", "s", means, paper_label="paper"),
        Figure("video", "Rate of the film", "Mbit/s", films, optimum_label="the film's own", whiskers="none"),
    ]


class WebStudy(EndhostStudy):
    """Runs all cases in turn on one network."""

    name = "endhost-web"
    purpose = "web pages over two uplinks, by TCP and QUIC, with a film or without (figures 9 to 17 of the end host's paper on web pages)"
    policies = POLICIES

    def __init__(self, options: argparse.Namespace) -> None:
        """Raises UsageError."""
        policies = arguments.chosen(options.only, POLICIES)
        self.transports = arguments.chosen(options.transport, TRANSPORTS, "--transport")
        links = arguments.chosen(options.links, LINKS, "--links") if options.links or not options.quick else LINKS[:1]
        self.parts = (*self.parts, *(["quic"] if "quic" in self.transports else []))
        self.pages = endhost_pages.load()[: options.pages or (3 if options.quick else endhost_pages.PAGES)]
        self.cases = {case.key: case for case in cases(policies, self.transports, links, not (options.no_video or options.quick))}
        sizes = {size for page in self.pages for _, size in page} | {VIDEO_BYTES}
        lines = [UplinkLine.of(STATIC_MBPS, DELAY_MS, _QUEUE_PACKETS)] * 2
        super().__init__(options, list(self.cases), arguments.rounds(options, 1), lines, sorted(sizes), [VIDEO_PORT])
        self.turns: dict[str, list[Turn]] = {key: [] for key in self.cases}
        self._paths = paths.realistic().faster(options.time_scale)
        self._rows: list[list[str]] = []

    @classmethod
    def add_options(cls, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--transport", metavar="NAME,NAME", help=f"of {', '.join(TRANSPORTS)} (default both)")
        parser.add_argument("--links", metavar="NAME,NAME", help=f"of {', '.join(LINKS)} (default both; with --quick {LINKS[0]})")
        parser.add_argument("--pages", type=positive, metavar="N", help=f"load the first N pages (default {endhost_pages.PAGES}; with --quick 3)")
        parser.add_argument("--no-video", action="store_true", help="do not stream a video meanwhile")
        parser.add_argument(
            "--time-scale", type=arguments.amount, default=1.0, metavar="F", help="plays the trace F times faster (default %(default)g)"
        )

    def guesses_s(self) -> dict[str, float]:
        pages_s = len(self.pages) * _GUESSED_PAGE_S
        return {key: self._paths.seconds if case.links == "realistic" else pages_s for key, case in self.cases.items()}

    def prepare_site(self) -> None:
        self.site.add_origins(endhost_pages.MAX_ORIGINS)
        if "quic" in self.transports:
            self.site.start_quic()

    def begin(self, case: str) -> Sequence[str]:
        each = self.cases[case]
        if each.links == "realistic":
            self.shape(self._paths, _QUEUE_PACKETS)
        else:
            self.site.network.restore()
        self.use(each.policy, STATIC_MBPS)
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        each, site = self.cases[case], self.site
        dynamic = each.links == "realistic"
        pages = [] if each.alone else self._ordered(dynamic)
        port = QUIC_PORT if each.transport == "quic" else TCP_PORT
        watch = VideoWatch(site.product) if each.video and each.policy.algorithm is not None else None
        recording = Recording(site, self._paths, each.policy.recorded, False) if dynamic else None
        with closing(Browsing(site, [self.pages[number] for number in pages], each.transport, port, _PATIENCE_S, dynamic, each.video)) as browsing:
            began = time.monotonic() + _LEAD_S
            browsing.start(began, began + self._most_s(each))
            if recording is not None:
                recording.start(began)
            loads, seen_mbps = browsing.results()
            if recording is not None:
                recording.join()
        turn = Turn(
            [Load(pages[load.page], load.began_s - began, load.seconds, load.failed) for load in loads],
            seen_mbps,
            None if watch is None else watch.mbps(),
        )
        self._keep(case, turn)
        samples = []
        for load in turn.loads:
            size, error = sum(size for _, size in self.pages[load.page]), f"{load.failed} objects did not come" if load.failed else ""
            samples.append(Sample("host", each.transport, load.page, began + load.began_s, load.seconds, size, "", True, error))
        return samples

    def _most_s(self, case: Case) -> float:
        if case.alone:
            return _ALONE_QUICK_S if self.options.quick else _ALONE_S
        return self._paths.seconds if case.links == "realistic" else _MAX_S

    def _ordered(self, drawn: bool) -> list[int]:
        """Numbers of pages; if links change, in a random order that is the same for all."""
        numbers = list(range(len(self.pages)))
        if drawn:
            random.Random(f"{self.options.seed}/order").shuffle(numbers)
        return numbers

    def _keep(self, case: str, turn: Turn) -> None:
        self.turns[case].append(turn)
        self._rows += page_rows(case, len(self.turns[case]), turn)
        self.folder.table("pages.csv", PAGES, self._rows)

    def own_parameters(self) -> dict[str, object]:
        return {
            "pages": len(self.pages),
            "flows_per_page": round(sum(map(len, self.pages)) / len(self.pages), 2),
            "time_scale": self.options.time_scale,
            "static_mbps": STATIC_MBPS,
            "delay_ms": DELAY_MS,
            "queue_packets": _QUEUE_PACKETS,
            "video_mbps": VIDEO_MBPS,
            "patience_s": _PATIENCE_S,
            "links_by": "emulator",
        }

    def report(self, record: Record) -> Report:
        results = Results(list(self.cases.values()), self.turns)
        summarise(self.summed, results)
        return table(results), figures(results)
