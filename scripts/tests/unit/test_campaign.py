"""`lab run all`: which experiment is next, what an interruption leaves, and the page of combined results."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from malob.errors import UsageError
from research import distribution
from research.experiments.campaign import campaign, report
from research.experiments.campaign.campaign import Campaign, Pass
from research.experiments.frame.plots import Chart, Figure

_OPTIONS = argparse.Namespace(quick=False, no_plots=True)

#: Removes its "network" when it is told to end.
_HANGING = """
import pathlib, signal, sys, time
directory = pathlib.Path(sys.argv[1])
directory.mkdir(parents=True)
def end(*_):
    (directory / "removed").touch()
    sys.exit(130)
signal.signal(signal.SIGTERM, end)
(directory / "began").touch()
time.sleep(60)
"""


def summary(median_s: float, base_s: float, rejected: bool = False, paper_s: float | None = 2.0) -> dict[str, Any]:
    paper = {} if paper_s is None else {"median_s.SL-PS": {"value": paper_s, "unit": "s"}, "median_s.RR+SPH": {"value": 4.0, "unit": "s"}}
    return {
        "machine": {"processor": "P", "processors": 2, "kernel": "6", "open_vswitch": "OVS 3"},
        "rejected": rejected,
        "parameters": {"paper_factor": 0.5},
        "metrics": {"median_s.SL-PS": {"value": median_s, "unit": "s"}, "median_s.RR+SPH": {"value": base_s, "unit": "s"}},
        "paper": paper,
        "checks": {"SL-PS to RR+SPH": {"value": median_s / base_s, "at_most": 0.5, "holds": median_s / base_s <= 0.5}},
    }


class _InDirectory(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name) / "all"

    def campaign(self, *passes: tuple[str, float]) -> Campaign:
        made = Campaign(self.path, False)
        for name, seconds in passes:
            made.add(Pass(name, made.complete(name) + 1, seconds, 0, True))
        return made


class OrderTest(_InDirectory):
    def test_experiments_take_turns(self) -> None:
        made = self.campaign()
        order = []
        for _ in range(5):
            name = campaign.next_experiment(made, ["a", "b"], 1000)
            assert name is not None
            order.append(name)
            made.add(Pass(name, made.complete(name) + 1, 10, 0, True))
        self.assertEqual(["a", "b", "a", "b", "a"], order)

    def test_pass_that_would_end_late_gives_way_to_a_shorter_one(self) -> None:
        made = self.campaign(("a", 100), ("b", 20), ("b", 30))
        self.assertEqual("a", campaign.next_experiment(made, ["a", "b"], 100))
        self.assertEqual("b", campaign.next_experiment(made, ["a", "b"], 99))
        self.assertIsNone(campaign.next_experiment(made, ["a", "b"], 29), "the longest pass of b took 30 s")
        self.assertEqual("c", campaign.next_experiment(made, ["a", "b", "c"], 1), "nothing is known of c")

    def test_passes_that_fit(self) -> None:
        made = self.campaign(("a", 100), ("b", 20))
        self.assertEqual(8, campaign.passes_that_fit(made, ["a", "b"], 1000))
        self.assertIsNone(campaign.passes_that_fit(made, ["a", "b", "c"], 1000))

    def test_incomplete_passes_do_not_count(self) -> None:
        made = self.campaign(("a", 10))
        made.add(Pass("a", 2, 1, 1, False))
        self.assertEqual((1, 10), (made.complete("a"), made.expected_s("a")))


class ResumeTest(_InDirectory):
    def test_goes_on_after_the_passes_that_are_there(self) -> None:
        self.campaign(("a", 10), ("b", 20))
        again = Campaign(self.path, False)
        self.assertEqual((1, 20.0), (again.complete("a"), again.expected_s("b")))

    def test_other_passes_are_refused(self) -> None:
        self.campaign(("a", 10))
        with self.assertRaisesRegex(UsageError, "--quick: .* were made without it"):
            Campaign(self.path, True)

    def test_damaged_state_is_refused(self) -> None:
        self.campaign(("a", 10))
        for text in ("{", "{}", '{"quick": false, "passes": [{"a": 1}]}'):
            (self.path / "campaign.json").write_text(text)
            with self.subTest(text=text), self.assertRaisesRegex(UsageError, "--out: cannot use"):
                Campaign(self.path, False)


class PassTest(_InDirectory):
    """Experiments are small programs here."""

    def run_passes(self, programs: dict[str, str], seconds: float) -> tuple[Campaign, bool, str]:
        def command(name: str, _number: int, directory: Path, _options: argparse.Namespace) -> list[str]:
            return [sys.executable, "-c", programs[name], str(directory)]

        made = Campaign(self.path, False)
        said = io.StringIO()
        with mock.patch.object(campaign, "_command", command), contextlib.redirect_stderr(said):
            left_out = campaign._run_passes(made, list(programs), time.monotonic() + seconds, _OPTIONS)
        return made, left_out, said.getvalue()

    def test_time_that_is_over_ends_a_pass_in_order(self) -> None:
        began = time.monotonic()
        made, left_out, said = self.run_passes({"slow": _HANGING}, 2)
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual((0, False), (made.complete("slow"), left_out))
        self.assertTrue((self.path / "slow" / "001" / "removed").exists())
        self.assertIn("slow: not complete in time", said)

    def test_failing_experiment_is_left_out_and_others_go_on(self) -> None:
        good = f"""
import json, pathlib, sys, time
directory = pathlib.Path(sys.argv[1]); directory.mkdir(parents=True)
time.sleep(0.4)
(directory / "summary.json").write_text({json.dumps(summary(1, 4))!r})
"""
        made, left_out, said = self.run_passes({"bad": "raise SystemExit(1)", "good": good}, 3)
        self.assertTrue(left_out)
        self.assertIn("bad failed 2 times: left out", said)
        self.assertEqual(2, sum(1 for each in made.passes if each.experiment == "bad"))
        self.assertGreaterEqual(made.complete("good"), 2)
        self.add_requests(made)
        page = campaign.write_results(made, ["bad", "good"], False).read_text()
        self.assertIn("## good", page)
        self.assertNotIn("## bad", page)

    def add_requests(self, made: Campaign) -> None:
        for each in made.passes:
            if each.complete:
                directory = made.directory(each.experiment, each.number)
                (directory / "requests.csv").write_text("case,seconds,counted,error\nSL-PS,1.0,1,\n")


class ReportTest(_InDirectory):
    def test_ratios_are_formed_within_passes(self) -> None:
        made = report.combined("thesis-http", [summary(1, 4), summary(3, 6), summary(10, 40)])
        self.assertEqual((3, 0.25), (made.ratios["SL-PS"].count, made.ratios["SL-PS"].median))
        self.assertEqual(3, made.metrics["median_s.SL-PS"].median)
        self.assertEqual((0.25, 0.5), (made.ratios["SL-PS"].low, made.ratios["SL-PS"].high))

    def test_page_has_claims_with_their_intervals_and_the_papers_figures(self) -> None:
        one = report.combined("thesis-http", [summary(1, 4)])
        several = report.combined("thesis-ftp", [summary(1, 4), summary(3, 4, rejected=True)])
        missed = report.combined("thesis-bio", [summary(3, 4), summary(3, 4)])
        text = "\n".join(report.page([one, several, missed], []))
        self.assertIn("| thesis-http | SL-PS to RR+SPH | 0.250 | 1 | ≤ 0.5 | met | `lab run thesis-http` |", text)
        self.assertIn("| thesis-ftp | SL-PS to RR+SPH | 0.500 (0.250 to 0.750) | 2 | ≤ 0.5 | open | `lab run thesis-ftp` |", text)
        self.assertIn("| ≤ 0.5 | **missed** | `lab run thesis-bio` |", text)
        self.assertIn("| median_s.SL-PS | 1.000 | 1 | 1.000 | s |", text)
        self.assertIn("2 passes, 1 of them rejected; P, 2 processors", text)

    def test_figures_have_ratios_and_distributions_with_n(self) -> None:
        made = report.combined("thesis-http", [summary(1, 4), summary(3, 6)])
        self.path.mkdir()
        (self.path / "requests.csv").write_text("case,seconds,counted,error\nSL-PS,1.0,1,\nSL-PS,3.0,1,\nSL-PS,9.0,0,\nSL-PS,9.0,1,timeout\n")
        report.add_times(made, [self.path, self.path])
        ratios, ecdf = report.figures(made)
        assert isinstance(ratios, Figure) and isinstance(ecdf, Chart)
        self.assertEqual([("SL-PS", 0.375, 0.5)], [(bar.label, bar.value, bar.paper_low) for bar in ratios.bars])
        self.assertEqual((2, 4), (ratios.bars[0].count, ecdf.lines[0].count))
        self.assertEqual((1.0, 3.0, 0.0, 1.0), (ecdf.lines[0].x[0], ecdf.lines[0].x[-1], ecdf.lines[0].y[0], ecdf.lines[0].y[-1]))

    def test_experiment_without_the_baseline_has_no_figures(self) -> None:
        without = summary(1, 4)
        del without["metrics"]["median_s.RR+SPH"]
        self.assertEqual([], report.figures(report.combined("mptcp", [without])))

    def test_table_has_all_metrics(self) -> None:
        file = self.path.with_suffix(".csv")
        report.write_table(file, [report.combined("thesis-http", [summary(1, 4), summary(3, 4)])])
        with open(file, newline="") as lines:
            rows = list(csv.reader(lines))
        self.assertEqual(["thesis-http", "median_s.SL-PS", "2", "2", "1", "3", "1.0", "s"], rows[1])


class IntervalTest(unittest.TestCase):
    def test_interval_holds_the_median_of_the_population_as_often_as_it_says(self) -> None:
        import numpy

        numbers = numpy.random.default_rng(7)
        hits = 0
        for _ in range(200):
            found = distribution.median_interval(list(numbers.normal(10, 2, 25)))
            hits += found.low <= 10 <= found.high
        self.assertGreater(hits, 175, "of 200; 190 are expected")
        self.assertLess(hits, 200)

    def test_one_value_is_its_own_interval(self) -> None:
        self.assertEqual(distribution.Interval(1, 3.0, 3.0, 3.0), distribution.median_interval([3.0]))
