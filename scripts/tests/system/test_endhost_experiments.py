"""An experiment on a host with several uplinks in part, with MALOB on that host as users start it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import pytest

from lab import multihomed
from malob.errors import ScriptError
from malob.system.journal import Journal
from malob.system.namespaces import exists
from malob.system.place import ROOT
from malob.system.processes import run
from malob.system.waiting import say, wait_until


@pytest.mark.real_time
@pytest.mark.needs("emulator", "endhost", "bench")
class EndhostExperimentsTest(unittest.TestCase):
    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self.shortDescription() or self._testMethodName}")
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        self.addCleanup(directory.cleanup)
        self.out = Path(directory.name) / "out"

    def command(self, *words: str) -> list[str]:
        return [str(ROOT / "malob"), "lab", "run", *words, "--no-plots", "--out", str(self.out)]

    def assert_nothing_left(self) -> None:
        self.assertFalse(multihomed.DIRECTORY.exists())
        self.assertEqual([], list(Path("/run/netns").glob(f"{multihomed.NAME}-*")))
        self.assertEqual([], list(Path("/sys/class/net").glob(f"{multihomed.NAME}-*")))

    def test_changing_rates_in_part(self) -> None:
        """two uplinks together carry more than one, by MALOB and by the kernel's MPTCP; nothing is left behind"""
        words = ["endhost-dynamic", "--quick", "--only", "wrr,mptcp-eth0", "--json"]
        summary: dict[str, Any] = json.loads(run(self.command(*words), timeout_s=300))
        self.assertEqual(summary, json.loads((self.out / "summary.json").read_text()))
        mbps = {policy: summary["metrics"][f"mbps.{policy}.synthetic"]["value"] for policy in ("wrr", "mptcp-eth0")}
        # the second uplink alone has 10 Mbit/s, the first one 13.2 on average
        self.assertGreater(mbps["wrr"], 14)
        self.assertLess(mbps["wrr"], 24)
        self.assertGreater(mbps["mptcp-eth0"], 0)
        self.assertGreater(summary["metrics"]["cpu.ovs-vswitchd"]["value"], 0)
        series = (self.out / "series.csv").read_text().splitlines()
        # ten seconds, or fewer on a machine that is late, two uplinks, two policies
        self.assertLessEqual(len(series), 1 + 10 * 2 * 2)
        self.assertGreater(len(series), 1 + 5 * 2 * 2)
        self.assert_nothing_left()

    def test_run_after_a_killed_one(self) -> None:
        """kill -9 in the middle, and Ctrl-C in the next run, which removes what both have left"""
        words = self.command("endhost-static", "--quick", "--only", "rr")
        for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
            process = subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
            self.addCleanup(process.wait, 60)
            wait_until(lambda: exists(f"{multihomed.NAME}-host") and self._owner() == process.pid, "the network to be built", 60)
            os.kill(process.pid, number)
            self.assertEqual(code, process.wait(60))
        self.assert_nothing_left()

    def _owner(self) -> int | None:
        try:
            return int(Journal(multihomed.JOURNAL).read()["owner"][0])
        except ScriptError:
            return None
