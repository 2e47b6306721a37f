from __future__ import annotations

import json
import subprocess
import sys
import unittest
from pathlib import Path

from lab.faults import pulse, watching
from lab.faults.pulsing import Beat
from malob.system.waiting import wait_until
from research.bench import faults

MONITORED = """\
ONFST_FLOW_MONITOR reply (OF1.3) (xid=0x6):
2026-11-22 10:26:40.511: ONFST_FLOW_MONITOR reply (OF1.3) (xid=0x0):
 event=ADDED table=2 cookie=0x6524000000000007 dl_dst=0a:4d:4c:00:00:07 actions=output:1
 event=MODIFIED table=2 cookie=0x6524000000000008 dl_dst=0a:4d:4c:00:00:08 actions=output:1
2026-11-22 10:26:40.928: ONFST_FLOW_MONITOR reply (OF1.3) (xid=0x0):
 event=DELETED reason=delete table=2 cookie=0x6524000000000007 dl_dst=0a:4d:4c:00:00:07
 event=ADDED table=1 cookie=0x6522000000000007 tcp,nw_src=10.0.0.1 actions=output:2
"""


class WatchTest(unittest.TestCase):
    def test_rules_of_labels_with_their_times(self) -> None:
        told = watching.told(MONITORED)
        self.assertEqual(["0a:4d:4c:00:00:07", "0a:4d:4c:00:00:08"], [label for _, label in told])
        self.assertEqual([1795343200.511] * 2, [round(when, 3) for when, _ in told])


class PulseTest(unittest.TestCase):
    """Both ends on this machine."""

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-I", str(Path(pulse.__file__)), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_answers_are_counted_and_the_end_is_told(self) -> None:
        server = self.start("serve", "0")
        port = self.read(server).split()[-1]
        asking = self.start("ask", "127.0.0.1", port, "0.001")
        seen = 0

        def answered() -> bool:
            nonlocal seen
            assert asking.stdin is not None
            asking.stdin.write("tell\n")
            asking.stdin.flush()
            beat = Beat(**json.loads(self.read(asking)))
            self.assertEqual((None, 0, 0), (beat.error, beat.retransmitted, beat.retransmitted_back))
            seen += beat.answers
            return seen > 10

        wait_until(answered, "ten answers", 10)
        server.kill()
        self.assertIsNotNone(Beat(**json.loads(self.read(asking))).error)

    def test_nobody_listens(self) -> None:
        self.assertIn("refused", Beat(**json.loads(self.read(self.start("ask", "127.0.0.1", "1", "1")))).error or "")

    def read(self, process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        return process.stdout.readline()


class FiguresTest(unittest.TestCase):
    def test_medians_and_the_worst(self) -> None:
        rounds = [
            faults.Round(Beat(100, longest, None, retransmitted, 1), repaired, 1.0)
            for longest, retransmitted, repaired in ((10, 0, 40.0), (210, 2, None), (30, 1, 60.0))
        ]
        figures = faults.figures(rounds)
        self.assertEqual({"median": 30, "worst": 210}, figures["longest_ms"])
        self.assertEqual({"median": 50, "worst": 60}, figures["repaired_ms"])
        self.assertEqual((3, 0, 2), (figures["rounds"], figures["lost"], figures["retransmitted"]))
        _, row = faults.table({"link-down": figures}).printed()
        self.assertRegex(row, r"link-down +3 +0 +30, 210 +2 +50, 60 +1\.0, 1\.0")

    def test_connections_that_were_lost(self) -> None:
        lost = faults.figures([faults.Round(Beat(1, 1, "closed", 0, 0), None, 1.0)])
        self.assertEqual((1, None), (lost["lost"], lost["repaired_ms"]))
