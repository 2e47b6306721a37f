"""`bench compare` in small: with no balancer, MALOB, and the kernel's own, which every machine of the tests has."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

import pytest

from malob.network import labs
from malob.system.place import ROOT
from malob.system.processes import ProcessId
from malob.system.waiting import say, wait_until
from research.bench.compare.comparison_site import NAME

_COMMAND = [str(ROOT / "malob"), "bench", "compare", "--networks", "mesh5", "--no-plots"]
_SMALL = ["--repeats", "1", "--connections", "60", "--parallel", "5", "--connects", "10", "--pages", "10"]


@pytest.mark.needs("emulator", "bench", "nft")
class CompareTest(unittest.TestCase):
    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self.shortDescription() or self._testMethodName}")

    def test_small_run_measures_all_and_leaves_nothing_behind(self) -> None:
        with tempfile.TemporaryDirectory(prefix="malob-test-") as directory:
            done = subprocess.run(
                [*_COMMAND, "--only", "none,sl-ps,nftables", *_SMALL, "--json", "--out", directory], capture_output=True, text=True, timeout=240
            )
            self.assertEqual(0, done.returncode, done.stderr)
            document = json.loads(done.stdout)
            self.assertEqual(document, json.loads((Path(directory) / "compare.json").read_text()))
        (network,) = document["networks"]
        self.assertEqual(["none", "sl-ps", "nftables"], list(network["balancers"]))
        for name, found in network["balancers"].items():
            self.check(name, found)
        self.assertEqual("w2", network["proxy_host"])
        self.check_bytes(network["balancers"])
        self.check_nothing_is_left()

    def check(self, name: str, found: dict[str, Any]) -> None:
        self.assertEqual(0, found["failed"], name)
        for key in ("connections_per_s", "mbit_per_s", "connect_p50_ms", "connect_p99_ms", "page_p50_ms", "page_p99_ms"):
            self.assertGreater(found[key], 0, f"{name}: {key}")
        self.assertEqual({"vswitchd", "controller"}, set(found["cpu_s"]), name)
        self.assertEqual(2 * (8 + 5), len(found["link_bytes"]), name)

    def check_bytes(self, found: dict[str, dict[str, Any]]) -> None:
        """Each page crosses the links of a server and of a client; through the proxy two of three cross the proxy's link twice more.

        Only links of hosts are compared: which of the paths between switches are taken, and how long they are, differs from run to run.
        """
        pages = 2 * 10 * 200_000
        for name in ("none", "sl-ps"):
            self.assertGreater(self.host_bytes(found[name]), 2 * pages, name)
            self.assertLess(self.host_bytes(found[name]), 2.5 * pages, name)
            self.assertGreater(found[name]["links_bytes"], 2 * pages, name)
        self.assertGreater(self.host_bytes(found["nftables"]), 3 * pages)
        self.assertGreater(found["nftables"]["link_bytes"]["w2.host>s4"], pages)

    @staticmethod
    def host_bytes(found: dict[str, Any]) -> int:
        return sum(size for link, size in found["link_bytes"].items() if ".host" in link)

    def test_interrupted_run_leaves_nothing_behind(self) -> None:
        """Ctrl-C while it measures"""
        process = subprocess.Popen(
            [*_COMMAND, "--only", "nftables", "--pages", "100000"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            wait_until(self.balances, "the load to begin", 120)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        finally:
            known = ProcessId.of(process.pid)
            if known is not None:
                known.end()
        self.assertEqual(130, process.returncode, said)
        self.check_nothing_is_left()

    def balances(self) -> bool:
        """Whether the table of nftables is there, which is when the load begins."""
        namespace = Path("/run/netns") / f"{NAME}-w2"
        command = ["nsenter", f"--net={namespace}", "nft", "list", "tables"]
        return namespace.exists() and "malob_compare" in subprocess.run(command, capture_output=True, text=True).stdout

    def check_nothing_is_left(self) -> None:
        self.assertEqual([], list(Path("/run/netns").glob(f"{NAME}-*")))
        self.assertNotIn(NAME, labs.running())


if __name__ == "__main__":
    unittest.main()
