"""`bench endhost` in small, without os-ken, which comes from another package index than all else."""

from __future__ import annotations

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import pytest

from lab import multihomed
from malob.system.place import ROOT
from malob.system.waiting import say


@pytest.mark.needs("endhost", "bench", "os-ken")
class EndhostBenchTest(unittest.TestCase):
    def test_small_run_measures_both_ways_and_leaves_nothing_behind(self) -> None:
        """what MALOB on a host costs, against none: every figure is there, no request fails, all is removed"""
        say(f"\n{type(self).__name__}: {self.shortDescription()}")
        with tempfile.TemporaryDirectory(prefix="malob-test-") as directory:
            done = subprocess.run(
                [
                    str(ROOT / "malob"),
                    "bench",
                    "endhost",
                    "--only",
                    "malob,none",
                    "--rounds",
                    "1",
                    "--seconds",
                    "1",
                    "--settle",
                    "1",
                    "--connects",
                    "20",
                    "--requests",
                    "200",
                    "--json",
                    "--out",
                    directory,
                ],
                capture_output=True,
                text=True,
                timeout=240,
            )
            # 1 where a busy machine misses a target
            self.assertIn(done.returncode, (0, 1), done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual(result, json.loads((Path(directory) / "endhost.json").read_text()))
        malob, none = result["figures"]["malob"], result["figures"]["none"]
        self.assertEqual((0, 0), (malob["failed"], none["failed"]))
        self.assertEqual({"connect_median_ms", "connect_p95_ms", "flows_per_s", "failed"}, set(none))
        for name in ("start_s", "rss_idle_mb", "rss_load_mb", "cpu_us_per_flow", "first_packet_ms", "supervisor_rss_mb", "controller_median_ms"):
            self.assertGreater(malob[name], 0, name)
        self.assertEqual(4, len(result["checks"]))
        self.assertFalse(multihomed.DIRECTORY.exists())
        self.assertEqual([], list(Path("/run/netns").glob(f"{multihomed.NAME}-*")))


if __name__ == "__main__":
    unittest.main()
