"""`lab run endhost-…`: models of files on links, traces, pages, measurements and their evaluation; programs on loopback."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import math
import socket
import socketserver
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from typing import Any, Callable

from lab.multihomed import SERVER
from lab.shaping import trace
from malob.errors import ScriptError, UsageError
from malob.rest.client import RestError
from research.experiments.endhost import browsing, campus_traces, dynamic, model, overhead, policies, recording, static, web
from research.experiments.endhost import pages as endhost_pages
from research.experiments.endhost import paths as endhost_paths
from research.experiments.endhost import races as endhost_races
from research.experiments.endhost import traces as endhost_traces
from research.experiments.endhost.browsing import Load
from research.experiments.endhost.model import Job
from research.experiments.endhost.product import RelayedRestClient
from research.experiments.endhost.program import FILE_LOOP
from research.experiments.endhost.recording import Second
from research.experiments.endhost.static import Case
from research.experiments.frame import arguments
from research.experiments.frame.samples import Record, Sample, SliceResult
from research.experiments.frame.summary import Summary
from research.experiments.programs import connect_loop, file_loop

TEN = 10.0


def job(*rates: float, files: int = 100, at_a_time: int = 20, body: int = 100_000) -> Job:
    return Job(files, at_a_time, body, rates, 0.002)


class ModelTest(unittest.TestCase):
    def test_wire_bytes_are_all_packets_with_their_headers(self) -> None:
        one = job(TEN, body=1448 - model.HEAD_BYTES)
        self.assertEqual(1500 + 60 + 3 * 52, one.wire_bytes)
        self.assertEqual(one.wire_bytes + 1 + 52, job(TEN, body=1449 - model.HEAD_BYTES).wire_bytes)

    def test_whole_files_are_spread_as_no_other_way_is_faster(self) -> None:
        for rates in ((10.0, 10.0), (10.0, 10.0, 10.0), (10.0, 20.0), (7.0, 11.0, 30.0)):
            for files in range(1, 12):
                with self.subTest(rates=rates, files=files):
                    some = job(*rates, files=files)

                    def end(counts: tuple[int, ...], some: Job = some) -> float:
                        return max(count * some.seconds_on(link) for link, count in enumerate(counts))

                    best = min(end(counts) for counts in product(range(files + 1), repeat=len(rates)) if sum(counts) == files)
                    found = tuple(model.whole_files(some))
                    self.assertEqual(files, sum(found))
                    self.assertAlmostEqual(best, end(found))

    def test_hundred_files_on_three_equal_links_leave_one_over(self) -> None:
        self.assertEqual([33, 33, 34], sorted(model.whole_files(job(TEN, TEN, TEN))))

    def test_few_files_at_a_time_wait_for_their_connections(self) -> None:
        alone = job(TEN, TEN, at_a_time=1)
        # two round trips of 2 ms, and 205 bytes at 10 Mbit/s
        self.assertAlmostEqual(0.004164, alone.seconds_before(0))
        self.assertAlmostEqual(100 * (0.004164 + alone.seconds_on(0)), model.ideal_s(alone))
        self.assertAlmostEqual(50 * alone.seconds_on(0) + 0.004164, model.ideal_s(job(TEN, TEN)))

    def test_request_of_the_program_has_the_size_of_the_model(self) -> None:
        orders = {"path": "/100000", "address": SERVER}
        request = file_loop.FileLoop(orders, 0, 1).request
        self.assertEqual(model.SENT_FIRST, 60 + 2 * model.HEADERS + len(request))

    def test_chance_on_one_link_is_no_chance(self) -> None:
        self.assertAlmostEqual(model.ideal_s(job(TEN)), model.by_chance_s(job(TEN), 1, 3))

    def test_chance_with_all_files_at_once_is_the_fuller_link(self) -> None:
        # two files, two links: half of the time both are on one link
        two = job(TEN, TEN, files=2, at_a_time=2)
        expected = two.seconds_before(0) + 1.5 * two.seconds_on(0)
        self.assertAlmostEqual(expected, model.by_chance_s(two, 1, 4000), delta=0.03 * expected)

    def test_chance_costs_what_the_paper_text_expects_of_it(self) -> None:
        for links, percent in ((2, 9), (5, 30)):
            some = job(*(TEN,) * links)
            over = 100 * (model.by_chance_s(some, 1, 300) / model.fluid_s(some) - 1)
            self.assertAlmostEqual(percent, over, delta=3)

    def test_same_seed_gives_the_same_chance(self) -> None:
        self.assertEqual(model.by_chance_s(job(TEN, TEN), 5, 20), model.by_chance_s(job(TEN, TEN), 5, 20))
        self.assertNotEqual(model.by_chance_s(job(TEN, TEN), 5, 20), model.by_chance_s(job(TEN, TEN), 6, 20))


class CampusTracesTest(unittest.TestCase):
    def test_stored_files_are_what_the_program_makes(self) -> None:
        for name, content in campus_traces.files().items():
            self.assertEqual(content, (trace.DIRECTORY / f"{name}.csv").read_text())

    def test_traces_are_as_the_papers_tell(self) -> None:
        realistic = endhost_paths.realistic()
        wifi, lte = ([realistic.capacity_mbps(uplink, second + 0.5) for second in range(400)] for uplink in (0, 1))
        # outdoors at the 110th second: WiFi falls, and has gaps; LTE rises, and is steady
        self.assertGreater(statistics.fmean(wifi[:100]), 3 * statistics.fmean(wifi[120:]))
        self.assertLess(max(lte[:100]), 15)
        self.assertLess(statistics.fmean(lte[:100]), 8)
        self.assertGreater(min(lte[120:]), 12)
        self.assertLess(statistics.stdev(lte[120:]) / statistics.fmean(lte[120:]), 0.2)
        self.assertEqual(sum(end - begin for begin, end in campus_traces.GAPS), wifi.count(0))
        self.assertLessEqual(max(wifi), campus_traces.MAX_MBPS)
        # figure 26: near to 20 and 30 Mbit/s alone
        self.assertAlmostEqual(30, realistic.mean_mbps(0), delta=3)
        self.assertAlmostEqual(20, realistic.mean_mbps(1), delta=2)


class PathsTest(unittest.TestCase):
    def test_synthetic_optimum_is_that_of_figure_11(self) -> None:
        paths = endhost_paths.synthetic()
        self.assertAlmostEqual((5 * 20 + 20 * 60 + 1 * 20) / 100 + 10, paths.optimum_mbps)
        self.assertEqual([5, 20, 1], [paths.capacity_mbps(0, second) for second in (19.9, 20, 80)])

    def test_loss_of_all_is_no_capacity(self) -> None:
        paths = endhost_paths.outage()
        self.assertEqual([20, 0, 20], [paths.capacity_mbps(0, second) for second in (49, 50, 100)])
        self.assertEqual([30, 0, 30], [paths.capacity_mbps(1, second) for second in (149, 150, 200)])
        for each in paths.traces:
            # what the emulator and netem take
            self.assertEqual(
                each.steps,
                trace.parse(
                    "x",
                    "seconds,rate_mbps,delay_ms,loss\n"
                    + "\n".join(f"{step.seconds},{step.rate_mbps},{step.delay_ms},{step.loss}" for step in each.steps),
                ).steps,
            )

    def test_without_gaps_the_rate_of_before_goes_on(self) -> None:
        paths = endhost_paths.outage().without_gaps()
        self.assertEqual([20, 20, 20], [paths.capacity_mbps(0, second) for second in (49, 51, 100)])
        self.assertEqual(20 + 30, paths.optimum_mbps)

    def test_faster_traces_have_the_same_optimum_in_less_time(self) -> None:
        for name in endhost_paths.NAMES:
            whole = endhost_paths.named(name)
            fast = whole.faster(4)
            self.assertEqual((whole.seconds / 4, 4), (fast.seconds, fast.time_scale))
            self.assertAlmostEqual(whole.optimum_mbps, fast.optimum_mbps)

    def test_traces_end_early_or_restart(self) -> None:
        synthetic = endhost_paths.synthetic()
        self.assertAlmostEqual(15, synthetic.lasting(20).optimum_mbps)
        self.assertAlmostEqual((synthetic.optimum_mbps * 200 + 15 * 10) / 210, synthetic.lasting(210).optimum_mbps)
        self.assertEqual([1, 5, 5, 20], [synthetic.capacity_mbps(0, second) for second in (99.9, 100, 119, 120)])
        self.assertAlmostEqual((5 * 10 + 20 * 60 + 1 * 20 + 5 * 10) / 100, synthetic.mean_mbps(0, 10, 110))

    def test_emulator_restarts_a_trace_when_the_model_does(self) -> None:
        for name in endhost_paths.NAMES:
            for paths in (endhost_paths.named(name), endhost_paths.named(name).faster(4)):
                for each in paths.traces:
                    with self.subTest(name, trace=each.name):
                        self.assertTrue(len(each.steps) == 1 or each.period_s == paths.seconds)


class OwnTracesTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def file(self, name: str, text: str) -> Path:
        file = self.directory / name
        file.write_text(text)
        return file

    def test_columns_of_a_csv_are_uplinks(self) -> None:
        own = endhost_traces.load([self.file("walk.csv", "# a walk\nseconds, wifi,lte\n0,10,2.5\n\n30,0,5\n60,20,5\n")])
        paths = own.paths()
        self.assertEqual(90, paths.seconds)
        self.assertEqual([10, 0, 0, 20, 10], [paths.capacity_mbps(0, second) for second in (0, 30, 59, 60, 90)])
        self.assertEqual([2.5, 5, 5, 5, 2.5], [paths.capacity_mbps(1, second) for second in (0, 30, 59, 60, 90)])
        self.assertEqual(1, paths.traces[0].steps[1].loss)
        self.assertAlmostEqual((10 + 0 + 20 + 2.5 + 5 + 5) / 3, paths.optimum_mbps)

    def test_wrong_csv_is_rejected_with_line_and_column(self) -> None:
        for text, words in (
            ("", "x.csv: has no rows"),
            ("seconds,a\n", "x.csv: has no rows"),
            ("time,a\n0,1\n", "x.csv, line 1, column 1: expected 'seconds', not 'time'"),
            ("seconds\n0\n", "x.csv, line 1: expected a column for each uplink"),
            ("seconds,a,\n0,1,1\n", "x.csv, line 1, column 3: has no name"),
            ("seconds,a,a\n0,1,1\n", "x.csv, line 1, column 3: there is a column 'a' already"),
            ("#\nseconds,a,b\n0,1\n", "x.csv, line 3: expected 3 columns, not 2"),
            ("seconds,a,b\n0,1,fast\n", "x.csv, line 2, column 'b': expected a number, not 'fast'"),
            ("seconds,a,b\n0,nan,1\n", "x.csv, line 2, column 'a': expected a number, not 'nan'"),
            ("seconds,a,b\n0,-1,1\n", "x.csv, line 2, column 'a': expected Mbit/s, 0 or from 0.001 to 100,000, not -1"),
            ("seconds,a,b\n0,1,1e-7\n", "x.csv, line 2, column 'b': expected Mbit/s"),
            ("seconds,a,b\n1,1,1\n", "x.csv, line 2, column 'seconds': the first row must be at 0"),
            ("seconds,a,b\n0,1,1\n2,1,1\n2,1,1\n", "x.csv, line 4, column 'seconds': must be at least 0.001 more"),
            ("seconds,a,b\n0,1,1\n1e7,1,1\n", "x.csv, line 3, column 'seconds': must be at most 1,000,000"),
        ):
            with self.subTest(text), self.assertRaises(UsageError) as raised:
                endhost_traces.parse_csv("x.csv", text)
            self.assertIn(words, str(raised.exception))

    def test_opportunities_of_mahimahi_are_packets_of_1500_bytes(self) -> None:
        # ten packets at 1 to 10 ms, none in the second 100 ms, two at the end of the third bin, of 50 ms
        trace_ = endhost_traces.parse_mahimahi("some/walk.down", "\n".join(map(str, [*range(1, 11), 250, 250])) + "\n")
        self.assertEqual("walk.down", trace_.name)
        self.assertEqual(0.25, trace_.period_s)
        self.assertEqual([0, 0.1, 0.2], [step.seconds for step in trace_.steps])
        self.assertEqual([1.2, 0.001, 0.48], [step.rate_mbps for step in trace_.steps])
        self.assertEqual({0.0}, {step.loss for step in trace_.steps})

    def test_mahimahi_restarts_after_its_last_timestamp(self) -> None:
        own = endhost_traces.load([self.file("a.up", "100\n" * 10 + "200\n" * 30), self.file("b", "".join(f"{ms}\n" for ms in range(1, 90_001)))])
        paths = own.paths()
        self.assertEqual(90, paths.seconds)
        self.assertAlmostEqual(2.4 + 12, paths.optimum_mbps, places=6)
        self.assertEqual([1.2, 3.6, 1.2], [round(paths.capacity_mbps(0, second), 6) for second in (60.05, 60.15, 60.25)])
        self.assertAlmostEqual(12, paths.capacity_mbps(1, 100))

    def test_short_trace_of_mahimahi_is_a_constant_rate(self) -> None:
        for text, mbps in (("1\n", 12.0), ("0\n1\n", 24.0), ("2\n4\n6\n", 6.0)):
            only = endhost_traces.parse_mahimahi("x", text)
            self.assertEqual([mbps], [step.rate_mbps for step in only.steps])
            self.assertEqual(1, only.period_s)

    def test_wrong_mahimahi_is_rejected_with_line_and_column(self) -> None:
        for text, words in (
            ("", "x: the last line must be more than 0 ms"),
            ("0\n0\n", "x: the last line must be more than 0 ms"),
            ("1\n\n2\n", "x, line 2, column 1: expected a whole number of milliseconds, not ''"),
            ("1\n2.5\n", "x, line 2, column 1: expected a whole number of milliseconds, not '2.5'"),
            ("-1\n", "x, line 1, column 1: expected a whole number"),
            ("5\n4\n", "x, line 2, column 1: 4 ms is before the line above (5 ms)"),
            ("900000000\n", "x: has more than 100,000 rates"),
        ):
            with self.subTest(text), self.assertRaises(UsageError) as raised:
                endhost_traces.parse_mahimahi("x", text)
            self.assertIn(words, str(raised.exception))

    def test_results_name_files_formats_and_digests(self) -> None:
        csv, mahimahi = "seconds,wifi,lte\n0,10,5\n", "1\n"
        own = endhost_traces.load([self.file("two.csv", csv), self.file("third", mahimahi)])
        digests = [hashlib.sha256(text.encode()).hexdigest() for text in (csv, mahimahi)]
        self.assertEqual(
            [
                {"file": "two.csv", "format": "csv", "sha256": digests[0], "uplinks": {"eth0": "wifi", "eth1": "lte"}},
                {"file": "third", "format": "mahimahi", "sha256": digests[1], "uplinks": {"eth2": "third"}},
            ],
            own.to_json(),
        )
        self.assertEqual(f"trace of eth2: third (mahimahi, SHA-256 {digests[1]})", own.lines()[1])
        self.assertEqual(60, own.paths().seconds)

    def test_wrong_files_are_named(self) -> None:
        binary = self.directory / "binary"
        binary.write_bytes(b"\xff\xfe")
        for files, words in (
            ([self.directory / "none"], "none: No such file"),
            ([binary], "binary is not a text file"),
            ([self.file("one", "1\n")], "expected 2 to 8 uplinks in all files together, not 1"),
        ):
            with self.subTest(words), self.assertRaises(UsageError) as raised:
                endhost_traces.load(files).paths()
            self.assertIn(words, str(raised.exception))

    def test_options_that_choose_other_traces_are_rejected(self) -> None:
        file = self.file("two.csv", "seconds,wifi,lte\n0,10,5\n")
        for more in (["--traces", "outage"], ["--timeouts", "3"]):
            with self.subTest(more), self.assertRaisesRegex(UsageError, "--trace: cannot be combined"):
                self.study("--trace", str(file), *more)
        study = self.study("--trace", str(file), "--only", "wrr", "--seconds", "5", "--time-scale", "2")
        self.assertEqual(["wrr.file"], study.parameters()["cases"])
        self.assertEqual({"file": 5}, study.parameters()["seconds"])
        self.assertNotIn("trace_files", self.study("--traces", "outage").parameters())

    @staticmethod
    def study(*words: str) -> dynamic.DynamicStudy:
        parser = argparse.ArgumentParser()
        dynamic.DynamicStudy.add_options(parser)
        return dynamic.DynamicStudy(parser.parse_args(words))


class PagesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.pages = endhost_pages.load()

    def test_stored_file_is_what_the_program_makes(self) -> None:
        self.assertEqual(endhost_pages.text(endhost_pages.make()), endhost_pages.FILE.read_text())

    def test_pages_are_as_the_paper_tells(self) -> None:
        flows = sorted(map(len, self.pages))
        self.assertEqual(100, len(flows))
        self.assertAlmostEqual(42, statistics.fmean(flows), delta=0.5)
        self.assertEqual([151, 169, 207, 281], flows[-4:])
        sizes = sorted(size for page in self.pages for _, size in page)
        self.assertGreater(sum(1 for size in sizes if size <= 300_000) / len(sizes), 0.95)
        self.assertEqual(4_900_000, sizes[-1])
        self.assertGreaterEqual(sizes[0], endhost_pages.MIN_BYTES)

    def test_a_page_itself_is_at_the_first_origin_and_large_pages_have_many(self) -> None:
        for page in self.pages:
            self.assertEqual(0, page[0][0])
            self.assertLess(max(origin for origin, _ in page), endhost_pages.MAX_ORIGINS)
        largest = max(self.pages, key=len)
        self.assertGreater(len({origin for origin, _ in largest}), 10)

    def test_another_seed_gives_other_pages(self) -> None:
        self.assertNotEqual(self.pages, endhost_pages.make(1))


def slices(case: str, *seconds: float) -> list[SliceResult]:
    return [
        SliceResult(number, number, case, 1.0, [Sample("host", "files", number, 0.0, value, 1, "", True, "")], {}, {}, 0.0, [])
        for number, value in enumerate(seconds, start=1)
    ]


class StaticTest(unittest.TestCase):
    def test_keys_are_those_of_the_contract(self) -> None:
        self.assertEqual("rr.10+10", Case("rr", (10.0, 10.0)).key)
        self.assertEqual("wrr.10+20.25kB", Case("wrr", (10.0, 20.0), 25).key)
        self.assertEqual("group.10+10.c2", Case("group", (10.0, 10.0), at_a_time=2).key)

    def test_cases_are_all_points_of_the_figures_once(self) -> None:
        keys = [case.key for case in static.cases(False, static.POLICIES)]
        self.assertEqual(len(keys), len(set(keys)))
        for key in ("single.10", "rr.10+10+10+10+10", "group.10+20.1kB", "wrr.10+20", "rr.10+10.c1"):
            self.assertIn(key, keys)
        self.assertTrue(all(key.startswith("wrr.") for key in (case.key for case in static.cases(False, ["wrr"]))))

    def test_only_unequal_uplinks_are_told_what_they_can(self) -> None:
        self.assertEqual([None, None], Case("rr", (10.0, 10.0)).weights)
        self.assertEqual([10.0, 20.0], Case("wrr", (10.0, 20.0)).weights)

    def test_number_of_files_is_fetched_by_as_many_connections(self) -> None:
        connections: list[object] = []

        class Answer(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                connections.append(self.client_address)
                while self.rfile.readline().strip():
                    pass
                self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" + bytes(100))

        with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address, port = server.server_address[:2]
            orders = {"address": address, "port": port, "path": "/100", "bytes": 100, "at_a_time": 3, "patience_s": 5, "protocol": 6, "fetches": 7}
            begin = time.monotonic()
            lines = "".join(json.dumps(line) + "\n" for line in (orders, {"begin": begin, "end": begin + 10}))
            done = subprocess.run([sys.executable, "-I", str(FILE_LOOP)], input=lines, capture_output=True, text=True, timeout=20)
            took = time.monotonic() - begin
            server.shutdown()
        found = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual((7, 7, {}), (len(connections), found["files"], found["errors"]))
        self.assertTrue(0 < found["seconds"] < took < 10, (found, took))

    def test_summary_has_times_models_and_targets(self) -> None:
        cases = [Case("rr", (10.0, 10.0)), Case("group", (10.0, 10.0)), Case("single", (10.0,))]
        record = Record(slices("rr.10+10", 4.1, 4.3) + slices("group.10+10", 9.0) + slices("single.10", 8.4))
        results = static.Results(record, cases, {"rr.10+10": [[50, 50], [51, 49]], "group.10+10": []}, 1)
        summary = Summary("endhost-static", {}, {})
        static.summarise(summary, results)
        self.assertAlmostEqual(4.2, summary.value("time_s.rr.10+10") or 0)
        self.assertEqual(4.2, summary.to_json()["paper"]["time_s.rr.10+10"]["value"])
        self.assertEqual(
            {"rr.10+10 to what is wanted": True, "group.10+10 to what is wanted": False}, {check.name: check.holds for check in summary.checks}
        )
        self.assertEqual("50.5 49.5", static.table(results).rows()[0][-1])
        self.assertEqual(["figure-7", "figure-8", "figure-9", "figure-10"], [figure.name for figure in static.figures(results)])


def turn(*received: tuple[float, float], size: int = 1_000_000, errors: dict[str, int] | None = None) -> Any:
    seconds = [Second(number, each, (10.0, 10.0), (None, 9.0)) for number, each in enumerate(received)]
    return dynamic.Turn(seconds, 10, size, errors or {}, float(len(received)))


class DynamicTest(unittest.TestCase):
    def test_keys_are_those_of_the_contract(self) -> None:
        keys = [case.key for case in dynamic.cases(policies.NAMES, endhost_paths.NAMES, 10, [3, 30])]
        self.assertEqual(len(keys), len(set(keys)))
        for key in ("wrr.synthetic", "mptcp-eth1.outage", "wrr.realistic.timeout-3", "wrr.realistic.timeout-30.no-resets"):
            self.assertIn(key, keys)
        self.assertNotIn("rr.outage", keys)

    def test_wrong_timeouts_are_named(self) -> None:
        for text in ("3,x", "0", "-1", ","):
            with self.assertRaisesRegex(UsageError, "--timeouts"):
                dynamic.timeouts(text)

    def test_shares_and_targets_are_of_the_optimum(self) -> None:
        names = ("wrr", "adaptive", "mptcp-eth0")
        cases = dynamic.cases(names, ["synthetic"], 10, [])
        turns = {
            "wrr.synthetic": [turn((11.6, 11.6), (5.8, 5.8))],
            "adaptive.synthetic": [turn((11.6, 11.6))],
            "mptcp-eth0.synthetic": [turn((6.0, 6.0), errors={"reset": 2})],
        }
        results = dynamic.Results(cases, turns, {"synthetic": endhost_paths.synthetic()})
        summary = Summary("endhost-dynamic", {}, {})
        dynamic.summarise(summary, results)
        self.assertAlmostEqual(0.75, summary.value("share.wrr.synthetic") or 0)
        self.assertEqual(2, summary.value("failed_fetches.mptcp-eth0.synthetic"))
        self.assertEqual(20.5, summary.to_json()["paper"]["mbps.wrr.synthetic"]["value"])
        self.assertEqual(
            {
                "optimum to wrr: synthetic": False,
                "wrr to adaptive: synthetic": True,
                "mptcp-eth0 to wrr: synthetic": True,
                "mptcp-eth0 to adaptive: synthetic": True,
            },
            {check.name: check.holds for check in summary.checks},
        )
        names_of_figures = [figure.name for figure in dynamic.figures(results)]
        self.assertEqual(["figure-12", "series-adaptive.synthetic", "series-mptcp-eth0.synthetic", "series-wrr.synthetic"], sorted(names_of_figures))

    def test_longer_seconds_count_for_more(self) -> None:
        some = [Second(0, (1.0,), (5.0,), (None,), 1.0), Second(1, (4.0,), (5.0,), (None,), 2.0)]
        self.assertEqual(3.0, dynamic.Turn(some, 1, 1, {}, 3.0).mbps)

    def test_series_has_a_row_for_each_second_and_uplink(self) -> None:
        rows = recording.rows("wrr.synthetic", 2, [Second(7, (1.5, 2.0), (5.0, 10.0), (None, 9.5))])
        self.assertEqual(
            [["wrr.synthetic", "2", "7", "eth0", "1.5000", "5", ""], ["wrr.synthetic", "2", "7", "eth1", "2.0000", "10", "9.5000"]], rows
        )


class WebTest(unittest.TestCase):
    def test_cases_have_no_second_uplink_where_both_are_alike(self) -> None:
        keys = [case.key for case in web.cases(web.POLICIES, ["tcp", "quic"], ["static", "realistic"], True)]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertNotIn("eth1.tcp.static", keys)
        for key in ("eth1.tcp.realistic", "wrr.quic-video.static", "eth0.video.static", "adaptive.quic.realistic"):
            self.assertIn(key, keys)
        self.assertNotIn("wrr.tcp-video.realistic", keys)

    def test_gains_are_of_means_over_pages(self) -> None:
        cases = web.cases(["eth0", "wrr"], ["tcp"], ["static"], False)
        # page 0 was loaded twice: it counts once; page 2 failed: it does not count
        single = web.Turn([Load(0, 0, 2.0, 0), Load(0, 0, 4.0, 0), Load(1, 0, 5.0, 0), Load(2, 0, 60.0, 1)], None, None)
        both = web.Turn([Load(0, 0, 1.0, 0), Load(1, 0, 3.0, 0)], None, None)
        results = web.Results(cases, {"eth0.tcp.static": [single], "wrr.tcp.static": [both]})
        summary = Summary("endhost-web", {}, {})
        web.summarise(summary, results)
        self.assertEqual(4.0, summary.value("mean_s.eth0.tcp.static"))
        self.assertEqual(50.0, summary.value("gain_percent.wrr-eth0.tcp.static"))
        self.assertEqual([True], [check.holds for check in summary.checks])
        self.assertEqual("1", web.table(results).rows()[0][3])
        chart = web.figures(results)[0]
        self.assertEqual([0.0, 0.5, 1.0], list(chart.lines[0].y))  # type: ignore[union-attr]


class OverheadTest(unittest.TestCase):
    def test_words_of_iperf3_are_read(self) -> None:
        good = {"end": {"sum_received": {"bytes": 1000, "seconds": 2.5}}}
        self.assertEqual((1000, 2.5, ""), overhead.received(json.dumps(good)))
        self.assertEqual((0, 0.0, "unable to connect"), overhead.received('{"error": "unable to connect"}'))
        with self.assertRaises(ScriptError):
            overhead.received("")


class RacesTest(unittest.TestCase):
    def test_one_uplink_is_bad_at_any_time(self) -> None:
        traces = endhost_races.turns()
        self.assertEqual([20.0, 20.0], [each.period_s for each in traces])
        for steps in zip(*(each.steps for each in traces)):
            self.assertEqual(1, len({step.seconds for step in steps}))
            self.assertEqual([5.0, 60.0], sorted(step.delay_ms or 0.0 for step in steps))
            self.assertEqual([0.0, 0.05], sorted(step.loss or 0.0 for step in steps))

    def summary(self, raced_s: float) -> Summary:
        times = {"single.good": [0.010, 0.012, 0.020], "wrr-race.bad": [0.011, raced_s, raced_s]}
        slices = [
            SliceResult(1, 1, case, 1.0, [Sample("host", "connect", 1, 0.0, s, 0, "", True, "") for s in some], {}, {}, 0.0, [])
            for case, some in times.items()
        ]
        races = [{"total": 2, "won_by_second": 1, "extra_packets": 6}, {"total": 2, "won_by_second": 0, "extra_packets": 5}]
        summary = Summary("endhost-races", {}, {})
        endhost_races.summarise(summary, Record(slices), {"wrr-race.bad": races}, list(times))
        return summary

    def test_target_is_the_tail_of_the_good_uplink_alone(self) -> None:
        summary = self.summary(raced_s=0.021)
        self.assertEqual(
            (12.0, 0.25, 2.75),
            tuple(summary.value(key) for key in ("median_ms.single.good", "won_by_second.wrr-race.bad", "extra_packets_per_race.wrr-race.bad")),
        )
        self.assertEqual([True], [check.holds for check in summary.checks])
        self.assertEqual([False], [check.holds for check in self.summary(raced_s=0.023).checks])
        self.assertEqual(["wrr-race.bad", "3", "21.0", "21.0", "2.75"], endhost_races.table(summary, ["wrr-race.bad"]).rows()[0])

    def test_figures_end_before_retransmitted_packets(self) -> None:
        samples = [Sample("host", "connect", 1, 0.0, seconds, 0, "", True, "") for seconds in (1.05, 0.020, 0.010, 0.030)]
        record = Record([SliceResult(1, 1, "rr.bad", 1.0, samples, {}, {}, 0.0, [])])
        good, bad = endhost_races.figures(record, ["rr", "wrr"])
        self.assertEqual([], list(good.lines))
        self.assertEqual(
            [("rr", [0.0, 10.0, 20.0, 30.0], [0.0, 0.25, 0.5, 0.75], 4)], [(line.label, line.x, line.y, line.count) for line in bad.lines]
        )

    def test_target_needs_both_cases(self) -> None:
        summary = Summary("endhost-races", {}, {})
        endhost_races.summarise(summary, Record([]), {}, ["rr.good"])
        self.assertEqual([None], [check.holds for check in summary.checks])

    def test_connections_begin_on_time_while_others_are_open(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            for port, error in ((server.getsockname()[1], ""), (closed.getsockname()[1], "Errno 111")):
                begin = time.monotonic() + 0.05
                orders = {"address": "127.0.0.1", "port": port, "per_second": 100, "patience_s": 5}
                found = asyncio.run(connect_loop.run(orders, begin, begin + 0.1))
                self.assertEqual(10, len(found))
                for number, (began, seconds, trouble) in enumerate(found):
                    self.assertGreaterEqual(began, begin + number / 100)
                    self.assertGreater(5, seconds)
                    self.assertIn(error, trouble)
                    self.assertEqual(bool(error), bool(trouble))


class ArgumentsTest(unittest.TestCase):
    def test_names_come_in_the_order_of_what_there_is(self) -> None:
        self.assertEqual(["rr", "wrr"], arguments.chosen("wrr, rr", ["single", "rr", "wrr"]))
        self.assertEqual(["rr"], arguments.chosen(None, ["rr"]))
        with self.assertRaisesRegex(UsageError, "--traces: 'x' is not one of"):
            arguments.chosen("x", ["rr"], "--traces")


class _Files(BaseHTTPRequestHandler):
    """/SIZE has SIZE bytes; every third answer of /odd breaks off."""

    protocol_version = "HTTP/1.0"
    count = 0

    def do_GET(self) -> None:
        type(self).count += 1
        size = 1000 if self.path == "/odd" else int(self.path[1:])
        self.send_response(200)
        self.end_headers()
        broken = self.path == "/odd" and type(self).count % 3 == 0
        try:
            self.wfile.write(bytes(size // 2 if broken else size))
        except ConnectionError:
            # the client has ended in the middle
            pass

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200 if self.path == "/echo" else 404)
        self.end_headers()
        self.wfile.write(body if self.path == "/echo" else b'{"error":"no such uplink","field":"uplink"}')

    def log_message(self, *_words: Any) -> None:
        pass


def given_time(run: Callable[[float], Any], is_enough: Callable[[Any], bool], seconds: float = 1.0) -> Any:
    """The result of a run of some seconds; on a busy machine, of a longer one."""
    found = run(seconds)
    for factor in (4, 16):
        if not is_enough(found):
            found = run(factor * seconds)
    return found


class ProgramsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Files)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.port = self.server.server_address[1]

    def lines(self, program: str, orders: dict[str, Any], seconds: float) -> list[dict[str, Any]]:
        process = subprocess.Popen([sys.executable, "-I", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(orders) + "\n")
        process.stdin.flush()
        self.assertEqual("ready\n", process.stdout.readline())
        begin = time.monotonic() + 0.1
        words, _ = process.communicate(json.dumps({"begin": begin, "end": begin + seconds}) + "\n", timeout=60)
        self.assertEqual(0, process.returncode)
        return [json.loads(line) for line in words.splitlines()]

    def loop(self, path: str, size: int, port: int | None = None, patience_s: float = 5, seconds: float = 1.0) -> dict[str, Any]:
        orders = {
            "address": "127.0.0.1",
            "port": port or self.port,
            "path": path,
            "bytes": size,
            "at_a_time": 4,
            "patience_s": patience_s,
            "protocol": 6,
        }
        return self.lines(str(FILE_LOOP), orders, seconds)[0]

    def test_files_are_counted_and_so_are_their_bytes(self) -> None:
        found = given_time(lambda seconds: self.loop("/5000", 5000, seconds=seconds), lambda found: found["files"] > 3)
        self.assertGreater(found["files"], 3)
        self.assertEqual({}, found["errors"])
        # transfers in progress at the end have brought bytes, but are no files
        self.assertGreaterEqual(sum(found["received"]), 5000 * found["files"])
        self.assertLess(sum(found["received"]), 5000 * (found["files"] + 5))

    def test_files_that_break_off_are_failures_and_the_loop_goes_on(self) -> None:
        found = given_time(
            lambda seconds: self.loop("/odd", 1000, seconds=seconds), lambda found: found["errors"] and found["files"] > sum(found["errors"].values())
        )
        self.assertEqual(["500 bytes came instead of 1000"], list(found["errors"]))
        self.assertGreater(found["files"], found["errors"]["500 bytes came instead of 1000"])

    def test_silence_is_given_up(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            found = given_time(
                lambda seconds: self.loop("/1", 1, silent.getsockname()[1], patience_s=0.2, seconds=seconds),
                lambda found: sum(found["errors"].values()) >= 4,
            )
        self.assertEqual(0, found["files"])
        self.assertGreaterEqual(sum(found["errors"].values()), 4)

    def test_nobody_there_is_asked_again_but_not_all_the_time(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as gone:
            port = gone.getsockname()[1]
        found = self.loop("/1", 1, port)
        self.assertEqual(1, len(found["errors"]))
        self.assertLessEqual(sum(found["errors"].values()), 4 * 11)

    def test_requests_are_relayed_with_their_answers(self) -> None:
        client = RelayedRestClient(list, self.port)
        self.addCleanup(client.close)
        self.assertEqual({"capacity_bps": None}, client.put("/echo", {"capacity_bps": None}))
        with self.assertRaisesRegex(RestError, "PUT /x: 404: no such uplink"):
            client.put("/x", {})
        self.assertEqual({"n": 1}, client.put("/echo", {"n": 1}))

    def test_relay_says_if_nobody_answers(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as gone:
            port = gone.getsockname()[1]
        client = RelayedRestClient(list, port)
        self.addCleanup(client.close)
        with self.assertRaisesRegex(RestError, "no answer from the controller"):
            client.get("/wm/malob/endhost")

    def test_pages_come_whole_and_in_order(self) -> None:
        page = [["127.0.0.1", 2000], ["127.0.0.1", 300], ["127.0.0.1", 70000]]
        orders = {"pages": [page, page[:1]], "transport": "tcp", "port": self.port, "per_origin": 2, "patience_s": 5, "again": False, "video": None}
        *pages, last = self.lines(str(browsing.PROGRAM), orders, 20)
        self.assertEqual([(0, 0), (1, 0)], [(each["page"], each["failed"]) for each in pages])
        self.assertEqual(0, last["video_bytes"])

    def test_objects_that_do_not_come_are_counted(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as gone:
            port = gone.getsockname()[1]
        orders = {
            "pages": [[["127.0.0.1", 10], ["127.0.0.1", 20]]],
            "transport": "tcp",
            "port": port,
            "per_origin": 2,
            "patience_s": 5,
            "again": False,
            "video": None,
        }
        self.assertEqual(2, self.lines(str(browsing.PROGRAM), orders, 20)[0]["failed"])

    def test_film_goes_on_to_the_end_without_pages(self) -> None:
        film = {"address": "127.0.0.1", "port": self.port, "path": "/1000", "bytes": 1000, "every_s": 0.2}
        orders = {"pages": [], "transport": "tcp", "port": self.port, "per_origin": 2, "patience_s": 5, "again": False, "video": film}
        lines = given_time(lambda seconds: self.lines(str(browsing.PROGRAM), orders, seconds), lambda lines: lines[0]["video_bytes"] >= 2000, 1.1)
        self.assertEqual(1, len(lines))
        self.assertGreater(lines[0]["video_seconds"], 1.0)
        self.assertGreaterEqual(lines[0]["video_bytes"], 2000)
        self.assertEqual(0, lines[0]["video_bytes"] % 1000)
        self.assertLessEqual(lines[0]["video_bytes"], 1000 * (2 + lines[0]["video_seconds"] / 0.2))

    def test_pages_begin_anew_until_the_end(self) -> None:
        orders = {
            "pages": [[["127.0.0.1", 100]]],
            "transport": "tcp",
            "port": self.port,
            "per_origin": 2,
            "patience_s": 5,
            "again": True,
            "video": None,
        }
        pages = given_time(lambda seconds: self.lines(str(browsing.PROGRAM), orders, seconds)[:-1], lambda pages: len(pages) > 2, 0.5)
        self.assertGreater(len(pages), 2)
        self.assertTrue(all(math.isfinite(each["seconds"]) for each in pages))


if __name__ == "__main__":
    unittest.main()
