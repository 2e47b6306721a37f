"""What a lab leaves behind: nothing, also when the program that was building it was killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from base.commands import ProcessId, run
from base.place import ROOT, RUN_DIRECTORY
from base.waiting import wait_until
from lab import instance, ovs
from tests.system.base import NAME


class LeftOverTest(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(instance.down, NAME)

    def test_down_removes_all_that_was_built_before_a_crash(self) -> None:
        """kill -9 while the namespaces are made, and while the bridges are"""
        for moment in (lambda: bool(_left("/run/netns")), lambda: bool(ovs.bridges_of(NAME))):
            builder = subprocess.Popen(
                [sys.executable, str(ROOT / "scripts" / "command.py"), "lab", "up", "--name", NAME, "waxman:20",
                 "--control-delay", "5"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            # the database may not run yet
            wait_until(lambda: ovs.database_runs() and moment(), "the lab to be half built", 30, interval_s=0.01)
            # with the command that is under way, which would go on otherwise
            os.killpg(builder.pid, signal.SIGKILL)
            builder.wait()
            state = json.loads((RUN_DIRECTORY / NAME / "state.json").read_text())
            relay = [ProcessId(*process) for process in state["processes"]]
            self.assertEqual([True], [process.alive() for process in relay])
            run([str(ROOT / "malob"), "lab", "down", "--name", NAME])
            self.assertEqual([], _left("/run/netns") + _left("/sys/class/net"))
            self.assertEqual([False], [process.alive() for process in relay])
            self.assertFalse((RUN_DIRECTORY / NAME).exists())


def _left(directory: str) -> list[str]:
    return [path.name for path in Path(directory).glob(f"{NAME}-*")]
