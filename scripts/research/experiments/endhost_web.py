"""`endhost-web`: web pages over two uplinks, by TCP and by QUIC (sections 5 and 6 of the paper on web pages)."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from contextlib import closing

from lab.multihomed import UplinkLine
from lab.strain import StrainMeter
from malob.cli.arguments import positive
from malob.system.waiting import orderly_end, say
from research.experiments import (
    arguments,
    endhost_arguments,
    endhost_pages,
    endhost_paths,
    endhost_web_cases,
    endhost_web_report,
    machine,
    measurement,
    plan,
    report,
)
from research.experiments.endhost_browsing import VIDEO_BYTES, VIDEO_MBPS, VIDEO_PORT, Browsing, Load, VideoWatch
from research.experiments.endhost_paths import DELAY_MS
from research.experiments.endhost_recording import Recording
from research.experiments.endhost_site import QUIC_PORT, TCP_PORT, EndhostSite, open_site
from research.experiments.endhost_web_cases import LINKS, POLICIES, STATIC_MBPS, TRANSPORTS, Case
from research.experiments.endhost_web_report import Results, Turn
from research.experiments.estimate import Estimate
from research.experiments.folder import Folder
from research.experiments.progress import Progress
from research.experiments.samples import Record, Sample
from research.experiments.summary import Summary

NAME = "endhost-web"
HELP = "web pages over two uplinks, by TCP and QUIC, with a film or without (figures 9 to 17 of the end host's paper on web pages)"

_QUEUE_PACKETS = 100
_PATIENCE_S = 30.0
_LEAD_S = 0.5
_FIRST_ESTIMATE_S = 6.0

#: The end of runs with static links, which would not end otherwise.
_MAX_S = 3600.0
_GUESSED_PAGE_S = 3.0

#: A film without pages.
_ALONE_S, _ALONE_QUICK_S = 60.0, 12.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    endhost_arguments.add(parser, POLICIES)
    parser.add_argument("--transport", metavar="NAME,NAME", help=f"of {', '.join(TRANSPORTS)} (default both)")
    parser.add_argument("--links", metavar="NAME,NAME", help=f"of {', '.join(LINKS)} (default both; with --quick {LINKS[0]})")
    parser.add_argument("--pages", type=positive, metavar="N", help=f"load the first N pages (default {endhost_pages.PAGES}; with --quick 3)")
    parser.add_argument("--no-video", action="store_true", help="do not stream a video meanwhile")
    parser.add_argument("--time-scale", type=arguments.amount, default=1.0, metavar="F", help="plays the trace F times faster (default %(default)g)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """The exit code of the command."""
    study = WebStudy(options, endhost_arguments.congestion(options))
    endhost_arguments.prepare(options, NAME, *(["quic"] if "quic" in study.transports else []))
    with orderly_end():
        return _finish(options, study, study.run())


class WebStudy:
    """Runs all cases in turn on one network."""

    def __init__(self, options: argparse.Namespace, congestion: str) -> None:
        """Raises UsageError."""
        policies = arguments.chosen(options.only, POLICIES)
        self.transports = arguments.chosen(options.transport, TRANSPORTS, "--transport")
        links = arguments.chosen(options.links, LINKS, "--links")
        if options.quick and not options.links:
            links = list(LINKS[:1])
        self._options, self._congestion = options, congestion
        self.pages = endhost_pages.load()[: options.pages or (3 if options.quick else endhost_pages.PAGES)]
        self.rounds = options.rounds or 1
        self.cases = endhost_web_cases.cases(policies, self.transports, links, not (options.no_video or options.quick))
        self.turns: dict[str, list[Turn]] = {case.key: [] for case in self.cases}
        self.facts = machine.facts()
        self._paths = endhost_paths.realistic().faster(options.time_scale)
        self._by_key = {case.key: case for case in self.cases}
        self._site: EndhostSite | None = None
        self._rows: list[list[str]] = []

    def run(self) -> Record:
        """All slices."""
        self.folder = Folder(arguments.out_directory(self._options, NAME))
        say(f"writing results to {self.folder.path}")
        slices = plan.interleaved(list(self._by_key), self.rounds, self._options.seed)
        guesses = {case.key: self._paths.seconds if case.links == "realistic" else len(self.pages) * _GUESSED_PAGE_S for case in self.cases}
        sizes = {size for page in self.pages for _, size in page} | {VIDEO_BYTES}
        line = UplinkLine.of(STATIC_MBPS, DELAY_MS, _QUEUE_PACKETS)
        with open_site([line, line], self._congestion, self.folder, sorted(sizes), [VIDEO_PORT]) as self._site:
            self._site.add_origins(endhost_pages.MAX_ORIGINS)
            if "quic" in self.transports:
                self._site.start_quic()
            return measurement.run(self, slices, self.folder, Progress(slices, Estimate(guesses)))

    def begin(self, case: str) -> Sequence[str]:
        assert self._site is not None
        each, site = self._by_key[case], self._site
        if each.links == "realistic":
            for uplink, trace in enumerate(self._paths.traces):
                site.network.shape(uplink, UplinkLine.of(trace.steps[0].rate_mbps, DELAY_MS, _QUEUE_PACKETS))
        else:
            site.network.restore()
        if each.policy.algorithm is None:
            site.be_plain(each.policy.uplink or 0)
            return []
        site.be_balanced(each.policy.algorithm)
        for name in site.network.names:
            site.product.record_capacity(name, STATIC_MBPS if each.policy.recorded else None)
        time.sleep(0 if each.policy.recorded else _FIRST_ESTIMATE_S)
        return []

    def measure(self, case: str) -> Sequence[Sample]:
        assert self._site is not None
        each, site = self._by_key[case], self._site
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
        return [
            Sample(
                "host",
                each.transport,
                load.page,
                began + load.began_s,
                load.seconds,
                sum(size for _, size in self.pages[load.page]),
                "",
                True,
                f"{load.failed} objects did not come" if load.failed else "",
            )
            for load in turn.loads
        ]

    def _most_s(self, case: Case) -> float:
        if case.alone:
            return _ALONE_QUICK_S if self._options.quick else _ALONE_S
        return self._paths.seconds if case.links == "realistic" else _MAX_S

    def _ordered(self, drawn: bool) -> list[int]:
        """Numbers of pages; if links change, in a random order that is the same for all."""
        numbers = list(range(len(self.pages)))
        if drawn:
            random.Random(f"{self._options.seed}/order").shuffle(numbers)
        return numbers

    def _keep(self, case: str, turn: Turn) -> None:
        self.turns[case].append(turn)
        self._rows += endhost_web_report.page_rows(case, len(self.turns[case]), turn)
        self.folder.table("pages.csv", endhost_web_report.PAGES, self._rows)

    def strain_meter(self) -> StrainMeter:
        assert self._site is not None
        return self._site.strain_meter()

    def parameters(self) -> dict[str, object]:
        """The fixed parameters."""
        return {
            "pages": len(self.pages),
            "flows_per_page": round(sum(map(len, self.pages)) / len(self.pages), 2),
            "seed": self._options.seed,
            "quick": self._options.quick,
            "rounds": self.rounds,
            "time_scale": self._options.time_scale,
            "static_mbps": STATIC_MBPS,
            "delay_ms": DELAY_MS,
            "queue_packets": _QUEUE_PACKETS,
            "congestion_control": self._congestion,
            "video_mbps": VIDEO_MBPS,
            "patience_s": _PATIENCE_S,
            "links_by": "emulator",
            "cases": [case.key for case in self.cases],
        }


def _finish(options: argparse.Namespace, study: WebStudy, record: Record) -> int:
    results = Results(study.cases, study.turns)
    summed = Summary(NAME, study.parameters(), study.facts)
    endhost_web_report.summarise(summed, results)
    report.add_strain(summed, record)
    study.folder.table("results.csv", endhost_web_report.RESULTS, endhost_web_report.rows(results))
    table, figures = endhost_web_report.table(results), endhost_web_report.figures(results)
    return endhost_arguments.finish(options, study.folder, summed, record, table, figures)
