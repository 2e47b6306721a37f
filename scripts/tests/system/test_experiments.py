"""An experiment of the thesis in part, on real Open vSwitch."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import pytest

from malob.network import labs
from malob.system.place import ROOT
from malob.system.processes import run
from malob.system.waiting import say, wait_until
from research.experiments.site.site import NAME

_SHORT = ["--quick", "--rounds", "1", "--no-plots"]


@pytest.mark.long
@pytest.mark.needs("emulator", "experiments", "plots")
class ExperimentsTest(unittest.TestCase):
    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self.shortDescription() or self._testMethodName}")
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        self.addCleanup(directory.cleanup)
        self.out = Path(directory.name) / "out"

    def command(self, *words: str) -> list[str]:
        return [str(ROOT / "malob"), "lab", "run", *words, "--out", str(self.out)]

    def rows(self, name: str) -> list[dict[str, str]]:
        with open(self.out / name, newline="") as file:
            return list(csv.DictReader(file))

    def assert_nothing_left(self) -> None:
        self.assertNotIn(NAME, labs.running())
        self.assertEqual([], list(Path("/run/netns").glob(f"{NAME}-*")))
        self.assertEqual([], list(Path("/sys/fs/cgroup").glob(f"**/malob-{NAME}")))

    def test_http_in_part(self) -> None:
        """two combinations, with figures: the files, the contract's keys, and nothing left behind"""
        words = ["thesis-http", "--quick", "--rounds", "1", "--requests", "2", "--only", "RR+SPH,LC+SPH", "--json"]
        summary: dict[str, Any] = json.loads(run(self.command(*words), timeout_s=300))
        self.assertEqual(summary, json.loads((self.out / "summary.json").read_text()))
        self.assertEqual("thesis-http", summary["experiment"])
        for key in ("median_s", "p10_s", "p90_s"):
            for case in ("RR+SPH", "LC+SPH"):
                metric = summary["metrics"][f"{key}.{case}"]
                self.assertEqual("s", metric["unit"])
                # the nearest server is 14 ms away and back, and TCP needs a round trip before the first page
                self.assertGreater(metric["value"], 0.05)
        self.assertEqual(8, summary["metrics"]["requests.RR+SPH"]["value"])
        self.assertGreater(summary["metrics"]["cpu.ovs-vswitchd"]["value"], 0)
        counted = [row for row in self.rows("requests.csv") if row["counted"] == "1"]
        self.assertEqual({("300000", "")}, {(row["bytes"], row["error"]) for row in counted})
        self.assertEqual(16, len(counted))
        self.assertEqual({"RR+SPH", "LC+SPH"}, {row["case"] for row in self.rows("slices.csv")})
        self.assertEqual(["RR+SPH", "LC+SPH"], [row["case"] for row in self.rows("results.csv")])
        self.assertIn("<svg", (self.out / "figure-4.2-http.svg").read_text())
        self.assertTrue((self.out / "figure-4.2-http.png").read_bytes().startswith(b"\x89PNG"))
        self.assert_nothing_left()

    def test_all_kinds_through_one_vip(self) -> None:
        """pages, files and computations at the same time, and Ctrl-C in the middle of a second run"""
        words = [*_SHORT, "--requests", "1", "--only", "RR+SPH", "--size", "2", "--alone", "0.5"]
        run(self.command("thesis-mix", *words), timeout_s=300)
        results = {row["kind"]: (row["requests"], row["failed"]) for row in self.rows("results.csv")}
        self.assertEqual({"http": ("80", "0"), "ftp": ("4", "0"), "compute": ("12", "0")}, results)
        servers = {row["server"] for row in self.rows("requests.csv")}
        self.assertEqual({"server-1", "server-2", "server-3"}, servers)
        process = subprocess.Popen(self.command("thesis-mix", *words), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(process.wait, 60)
        wait_until(lambda: (self.out.parent / "out" / "requests.csv").exists() and NAME in labs.running(), "the network to be built", 30)
        os.kill(process.pid, signal.SIGINT)
        self.assertEqual(130, process.wait(60))
        self.assertFalse((self.out / "summary.json").exists())
        self.assert_nothing_left()

    def test_run_after_a_killed_one(self) -> None:
        """kill -9 in the middle: the next run removes what is left, and goes through"""
        words = ["thesis-http", *_SHORT, "--requests", "1", "--only", "RR+SPH"]
        process = subprocess.Popen(self.command(*words), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True)
        assert process.stderr is not None
        self.addCleanup(process.stderr.close)
        for line in process.stderr:
            if line.startswith("warming up"):
                break
        process.kill()
        process.wait()
        self.assertIn(NAME, labs.running())
        run(self.command(*words), timeout_s=300)
        self.assertEqual("4", self.rows("results.csv")[0]["requests"])
        self.assert_nothing_left()

    def test_wrong_arguments(self) -> None:
        """exit code 2 and a sentence, and nothing is built"""
        done = subprocess.run(self.command("thesis-http", "--only", "XX"), capture_output=True, text=True)
        self.assertEqual((2, ""), (done.returncode, done.stdout))
        self.assertIn("--only: 'XX' is not one of", done.stderr)
        self.assertFalse(self.out.exists())
