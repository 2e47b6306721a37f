"""The frame of experiments: plan, estimate, progress, statistics, summary, files."""

from __future__ import annotations

import csv
import io
import json
import tempfile
import unittest
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lab.saturation import Saturation
from malob.errors import UsageError
from research.distribution import Distribution
from research.experiments.frame import report, samples, study
from research.experiments.frame.folder import Folder
from research.experiments.frame.progress import Estimate, Progress
from research.experiments.frame.report import Row
from research.experiments.frame.samples import Record, Sample, Slice, SliceResult
from research.experiments.frame.summary import Check, Summary


def sample(seconds: float = 1.0, counted: bool = True, error: str = "", kind: str = "http") -> Sample:
    return Sample("c1", kind, 1, 100.0, seconds, 10, "s1", counted, error)


def slice_result(case: str, samples: Sequence[Sample], cpu: float = 0.5, seconds: float = 10.0) -> SliceResult:
    return SliceResult(1, 1, case, seconds, samples, {"ovs-vswitchd": cpu}, {"ovs-vswitchd": 0.0}, 0.0, [])


class PlanTest(unittest.TestCase):
    def test_each_case_has_one_turn_per_round(self) -> None:
        slices = samples.interleaved(["a", "b", "c"], rounds=4, seed=1)
        self.assertEqual(list(range(1, 13)), [each.number for each in slices])
        for number in range(1, 5):
            self.assertEqual(["a", "b", "c"], sorted(each.case for each in slices if each.round == number))

    def test_order_is_drawn_anew_for_each_round(self) -> None:
        slices = samples.interleaved(list("abcdefgh"), rounds=5, seed=1)
        orders = {tuple(each.case for each in slices if each.round == number) for number in range(1, 6)}
        self.assertEqual(5, len(orders))

    def test_same_seed_gives_the_same_order(self) -> None:
        cases = list("abcdefgh")
        self.assertEqual(samples.interleaved(cases, 3, 7), samples.interleaved(cases, 3, 7))
        self.assertNotEqual(samples.interleaved(cases, 3, 7), samples.interleaved(cases, 3, 8))

    def test_every_case_is_as_likely_to_be_first(self) -> None:
        firsts = Counter(samples.interleaved(["a", "b", "c"], 1, seed)[0].case for seed in range(3000))
        for case in "abc":
            self.assertAlmostEqual(1000, firsts[case], delta=120)


class EstimateTest(unittest.TestCase):
    def test_before_the_first_slice_guesses_count(self) -> None:
        self.assertEqual(70, Estimate({"a": 10, "b": 30}).left_s(["a", "b", "b"]))

    def test_case_that_was_measured_takes_what_it_took(self) -> None:
        estimate = Estimate({"a": 10, "b": 30})
        estimate.add("a", 12)
        estimate.add("a", 16)
        estimate.add("b", 30)
        self.assertEqual(14 + 30, estimate.left_s(["a", "b"]))

    def test_case_that_was_not_is_guessed_by_the_pace_of_others(self) -> None:
        estimate = Estimate({"a": 10, "b": 30})
        estimate.add("a", 20)
        self.assertEqual(60, estimate.left_s(["b"]))


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class ProgressTest(unittest.TestCase):
    def setUp(self) -> None:
        self.now = 0.0
        self.slices = [Slice(1, 1, "a"), Slice(2, 1, "b"), Slice(3, 2, "a"), Slice(4, 2, "b")]

    def go(self, stream: io.StringIO, seconds: float) -> None:
        progress = Progress(self.slices, {"a": 20, "b": 40}, stream, lambda: self.now)
        with progress:
            for each in self.slices:
                progress.begin(each)
                self.now += seconds
                progress.end(each)

    def test_terminal_has_a_bar_that_grows(self) -> None:
        stream = _Terminal()
        self.go(stream, 30)
        shown = stream.getvalue().split("\r\033[K")
        self.assertIn("[" + "." * 24 + "] 0 of 4, about 2 min 00 s left; round 1: a", shown)
        self.assertIn("[" + "#" * 12 + "." * 12 + "] 2 of 4, about 1 min 00 s left; round 2: a", shown)
        self.assertEqual("", shown[-1])

    def test_elsewhere_is_quiet(self) -> None:
        stream = io.StringIO()
        self.go(stream, 30)
        self.assertEqual("", stream.getvalue())

    def test_time_left_passes_while_a_slice_runs(self) -> None:
        stream = _Terminal()
        progress = Progress(self.slices, {"a": 20, "b": 40}, stream, lambda: self.now)
        progress.begin(self.slices[0])
        self.now = 15
        self.assertIn("about 1 min 45 s left", progress._words())
        self.now = 500
        self.assertIn("about 1 min 40 s left", progress._words())


class RecordTest(unittest.TestCase):
    def test_only_what_counts_and_succeeded_is_in_times(self) -> None:
        record = Record(
            [
                slice_result("a", [sample(1), sample(100, counted=False), sample(50, error="no"), sample(70, kind="ftp")]),
                slice_result("b", [sample(9)]),
                slice_result("a", [sample(3)]),
            ]
        )
        self.assertEqual(Distribution(2, 1.2, 2, 2.8), record.times("a", "http"))
        self.assertIsNone(record.times("b", "ftp"))

    def test_cpu_is_weighed_by_time(self) -> None:
        record = Record([slice_result("a", [], cpu=0.2, seconds=30), slice_result("b", [], cpu=0.6, seconds=10)])
        self.assertAlmostEqual(0.3, record.cpu("ovs-vswitchd") or 0)
        self.assertIsNone(record.cpu("link-emulator"))


class ReportTest(unittest.TestCase):
    rows = [Row("a", "a", "http", 2, (0.2, 0.2)), Row("b", "b", "http", 1, (0.4, 0.6))]

    def summarised(self, record: Record) -> Summary:
        summary = Summary("x", {"seed": 1}, {"processors": 2})
        report.summarise(summary, record, self.rows)
        report.add_saturation(summary, record, rejects=True)
        return summary

    def test_metrics_have_contract_keys(self) -> None:
        record = Record([slice_result("a", [sample(1), sample(3)]), slice_result("b", [sample(2, error="no")])])
        document = self.summarised(record).to_json()
        self.assertEqual({"value": 2.0, "unit": "s"}, document["metrics"]["median_s.a"])
        self.assertEqual({"value": 1.2, "unit": "s"}, document["metrics"]["p10_s.a"])
        self.assertEqual({"value": 2.8, "unit": "s"}, document["metrics"]["p90_s.a"])
        self.assertNotIn("median_s.b", document["metrics"])
        self.assertEqual({"median_s.a": {"value": 0.2, "unit": "s"}}, document["paper"], "a range is no figure")
        for key, value in (("experiment", "x"), ("parameters", {"seed": 1}), ("machine", {"processors": 2})):
            self.assertEqual(value, document[key])

    def test_run_with_a_busy_switch_is_rejected(self) -> None:
        for cpu, rejected in ((0.95, False), (0.96, True)):
            with self.subTest(cpu=cpu):
                document = self.summarised(Record([slice_result("a", []), slice_result("b", [], cpu=cpu)])).to_json()
                self.assertEqual(rejected, document["rejected"])
                self.assertEqual(rejected, any("b, 96%" in reason for reason in document["rejected_because"]))

    def test_failed_and_missing_requests_are_troubles(self) -> None:
        good = Record([slice_result("a", [sample(), sample()]), slice_result("b", [sample()])])
        self.assertEqual([], report.troubles(good, self.rows))
        bad = Record([slice_result("a", [sample(), sample(error="no answer")]), slice_result("b", [sample()])])
        self.assertEqual(["1 requests failed: no answer (1)", "a: 1 requests instead of 2"], report.troubles(bad, self.rows))

    def test_table_shows_who_answered(self) -> None:
        record = Record([slice_result("a", [sample(1), sample(3)]), slice_result("b", [])])
        lines = report.table(record, self.rows).printed()
        self.assertEqual(["a", "2", "0", "1.200", "2.000", "2.800", "0.2", "s1:2"], lines[1].split())
        self.assertEqual(["b", "0", "0", "0.4-0.6"], lines[2].split())

    def test_bars_carry_the_paper_at_our_size(self) -> None:
        record = Record([slice_result("a", [sample(1), sample(3)]), slice_result("b", [])])
        bars = report.bars(record, self.rows, 0.5)
        self.assertEqual([("a", 2, 1.2, 2.8, 0.1, 0.1)], [(bar.label, bar.value, bar.low, bar.high, bar.paper_low, bar.paper_high) for bar in bars])


class SummaryTest(unittest.TestCase):
    def test_check_holds_up_to_its_limit(self) -> None:
        for value, holds in ((0.5, True), (0.51, False), (None, None)):
            with self.subTest(value=value):
                self.assertEqual(holds, Check("x", value, 0.5).holds)

    def test_ratio_needs_both(self) -> None:
        summary = Summary("x", {}, {})
        summary.metric("median_s.a", 1, "s")
        self.assertIsNone(summary.ratio("median_s.a", "median_s.b"))
        summary.metric("median_s.b", 4, "s")
        self.assertEqual(0.25, summary.ratio("median_s.a", "median_s.b"))

    def test_metric_is_given_once(self) -> None:
        summary = Summary("x", {}, {})
        summary.metric("a", 1, "s")
        with self.assertRaises(ValueError):
            summary.metric("a", 2, "s")


class _Meter:
    def read(self) -> Saturation:
        return Saturation({"ovs-vswitchd": 0.25}, {"ovs-vswitchd": 0.1}, 0.02, 3)


class _Study:
    """Records its calls; fails at the second slice if configured to."""

    def __init__(self, fails: bool = False) -> None:
        self.asked: list[str] = []
        self.fails = fails

    def begin(self, case: str) -> Sequence[str]:
        self.asked.append(f"begin {case}")
        return ["not at rest"]

    def measure(self, case: str) -> Sequence[Sample]:
        if self.fails and len(self.asked) > 2:
            raise UsageError("no more")
        return [sample(0.25)]

    def saturation_meter(self) -> _Meter:
        self.asked.append("saturation")
        return _Meter()


class MeasurementTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name) / "out"
        self.slices = [Slice(1, 1, "a"), Slice(2, 1, "b")]

    def go(self, cases: _Study) -> Record:
        progress = Progress(self.slices, {"a": 1, "b": 1}, io.StringIO())
        return Record(list(study.measured(cases, self.slices, Folder(self.path), progress)))  # type: ignore[arg-type]

    def rows(self, name: str) -> list[dict[str, str]]:
        with open(self.path / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_strain_is_that_of_the_clients_time(self) -> None:
        cases = _Study()
        record = self.go(cases)
        self.assertEqual(["begin a", "saturation", "begin b", "saturation"], cases.asked)
        self.assertEqual([0.25, 0.25], [each.cpu["ovs-vswitchd"] for each in record.slices])

    def test_raw_data_are_written(self) -> None:
        self.go(_Study())
        requests, slices = self.rows("requests.csv"), self.rows("slices.csv")
        self.assertEqual([("a", "0.250000", "1"), ("b", "0.250000", "1")], [(row["case"], row["seconds"], row["counted"]) for row in requests])
        self.assertEqual(["0.2500", "0.2500"], [row["vswitchd_cpu"] for row in slices])
        self.assertTrue(slices[0]["complaints"].startswith("not at rest; ovs-vswitchd waited 10%"), slices[0])

    def test_interrupted_run_leaves_what_it_has(self) -> None:
        with self.assertRaises(UsageError):
            self.go(_Study(fails=True))
        self.assertEqual(["a"], [row["case"] for row in self.rows("requests.csv")])

    def test_folder_forgets_an_earlier_summary(self) -> None:
        Folder(self.path).document("summary.json", {"old": True})
        self.assertEqual({"old": True}, json.loads((self.path / "summary.json").read_text()))
        Folder(self.path)
        self.assertFalse((self.path / "summary.json").exists())

    def test_folder_that_cannot_be_is_wrong_use(self) -> None:
        self.path.write_text("a file")
        with self.assertRaisesRegex(UsageError, "--out: cannot write to"):
            Folder(self.path)
