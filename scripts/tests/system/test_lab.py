"""What a lab leaves behind: nothing, also when the program that was building it was killed, and what it does to others: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from lab import instance
from malob.errors import ScriptError
from malob.network import labs, topology
from malob.system import ovs
from malob.system.journal import Journal
from malob.system.place import ROOT, RUN_DIRECTORY
from malob.system.processes import ProcessId, run
from malob.system.waiting import wait_until
from tests.system import full
from tests.system.base import NAME


class LeftOverTest(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(instance.down, NAME)

    def test_down_removes_all_that_was_built_before_a_crash(self) -> None:
        """kill -9 while the namespaces are made, and while the bridges are"""
        for moment in (lambda: bool(_left("/run/netns")), lambda: bool(ovs.bridges_of(NAME))):
            builder = subprocess.Popen(
                [sys.executable, str(ROOT / "scripts" / "command.py"), "lab", "up", "--name", NAME, "waxman:20", "--control-delay", "5"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            # the database may not run yet
            wait_until(lambda: ovs.database_runs() and moment(), "the lab to be half built", 30, interval_s=0.01)
            # with the command that is under way, which would go on otherwise
            os.killpg(builder.pid, signal.SIGKILL)
            builder.wait()
            steps = Journal(RUN_DIRECTORY / NAME / "state.json").steps("process")
            relay = [ProcessId(step["pid"], step["start_ticks"]) for step in steps]
            self.assertEqual([True], [process.alive() for process in relay])
            run([str(ROOT / "malob"), "lab", "down", "--name", NAME])
            self.assertEqual([], _left("/run/netns") + _left("/sys/class/net"))
            self.assertEqual([False], [process.alive() for process in relay])
            self.assertFalse((RUN_DIRECTORY / NAME).exists())

    def test_failure_at_each_step_leaves_nothing(self) -> None:
        """as soon as a step is noted, and as soon as it is done"""
        add, steps = Journal.add, ("daemons", "process", "hosts", "links", "bridges")
        for at, failing in enumerate(steps):
            for early in (True, False):
                noted: list[str] = []

                def failing_add(journal: Journal, kind: str, at: int = at, early: bool = early, noted: list[str] = noted, **facts: Any) -> None:
                    if not early and len(noted) == at + 1:
                        raise ScriptError("no luck")
                    add(journal, kind, **facts)
                    noted.append(kind)
                    if early and len(noted) == at + 1:
                        raise ScriptError("no luck")

                with (
                    self.subTest(failing=failing, early=early),
                    mock.patch.object(Journal, "add", failing_add),
                    # after the last step there is no other one to note
                    mock.patch.object(instance, "wait_until", side_effect=ScriptError("no luck")),
                    self.assertRaisesRegex(ScriptError, "no luck"),
                ):
                    instance.up(topology.load("single"), NAME, control_delays_ms={"s1": 1})
                self.assertEqual(list(steps[: at + 1]), noted)
                self.assertEqual([], _left("/run/netns") + _left("/sys/class/net"))
                self.assertFalse((RUN_DIRECTORY / NAME).exists())


@pytest.mark.needs("emulator")
class TogetherTest(unittest.TestCase):
    """Labs that are built and removed at the same time, and removals that meet obstacles."""

    def setUp(self) -> None:
        for name in (NAME, labs.DEFAULT_NAME):
            self.addCleanup(instance.down, name)

    def test_one_of_two_of_the_same_name_is_refused_and_the_other_is_whole(self) -> None:
        """and one of another name is built beside it"""
        builders = [start("up", "--name", name, "mesh5") for name in (NAME, NAME, labs.DEFAULT_NAME)]
        ended = [(builder.communicate(timeout=120)[1], builder.returncode) for builder in builders]
        self.assertEqual([0, 0, 1], sorted(code for _, code in ended), ended)
        refused = next(words for words, code in ended if code == 1)
        self.assertEqual(f"malob lab: the lab '{NAME}' is up already; './malob lab down --name {NAME}' removes it", refused.splitlines()[-1])
        self.assertEqual([labs.DEFAULT_NAME, NAME], labs.running())
        for name in labs.running():
            lab = instance.find(name)
            self.assertEqual(5, len(ovs.bridges_of(name)))
            run(lab.inside("c1", ["ip", "link", "show", "eth0"]))
        # one goes, and the other stays
        run([str(ROOT / "malob"), "lab", "down", "--name", NAME], timeout_s=60)
        self.assertEqual((0, 5), (len(ovs.bridges_of(NAME)), len(ovs.bridges_of(labs.DEFAULT_NAME))))

    def test_hanging_ovs_vsctl_keeps_nothing_else_from_being_removed(self) -> None:
        """what it could not remove is told, with exit code 1, and removed by the next down"""
        for name in (NAME, labs.DEFAULT_NAME):
            run([str(ROOT / "malob"), "lab", "up", "--name", name, "single"], timeout_s=60)
        with tempfile.TemporaryDirectory() as directory:
            stub = Path(directory, "ovs-vsctl")
            stub.write_text("#!/bin/sh\nexec sleep 600\n")
            stub.chmod(0o755)
            down = start("down", "--name", NAME, PATH=f"{directory}:{os.environ['PATH']}")
            said = down.communicate(timeout=120)[1]
        self.assertEqual(1, down.returncode, said)
        self.assertIn(f"lab '{NAME}': not everything could be removed: bridges: Open vSwitch's database does not answer", said)
        self.assertEqual([], _left("/run/netns"))
        self.assertEqual(1, len(ovs.bridges_of(NAME)))
        run([str(ROOT / "malob"), "lab", "down", "--name", NAME], timeout_s=60)
        self.assertEqual(([], False), (ovs.bridges_of(NAME), (RUN_DIRECTORY / NAME).exists()))

    def test_full_disk_keeps_nothing_from_being_removed(self) -> None:
        RUN_DIRECTORY.mkdir(exist_ok=True)
        with full.small(RUN_DIRECTORY, 8192):
            run([str(ROOT / "malob"), "lab", "up", "--name", NAME, "mesh5"], timeout_s=60)
            with full.full(RUN_DIRECTORY):
                up = start("up", "single")
                said = up.communicate(timeout=120)[1]
                self.assertEqual(1, up.returncode, said)
                self.assertNotIn("Traceback", said)
                self.assertIn("No space left on device", said)
                run([str(ROOT / "malob"), "lab", "down", "--name", NAME], timeout_s=60)
        self.assertEqual(([], []), (_left("/run/netns") + _left("/sys/class/net"), labs.running()))

    def test_list_says_what_there_is_while_labs_come_and_go(self) -> None:
        for words in (("up", "--name", NAME, "geni-wan"), ("down", "--name", NAME)):
            changing = start(*words)
            while changing.poll() is None:
                for more in ([], ["--json"]):
                    listing = start("list", *more)
                    said = listing.communicate(timeout=60)[1]
                    self.assertEqual(0, listing.returncode, said)
            self.assertEqual(0, changing.returncode, changing.communicate()[1])
            if changing.stderr is not None:
                changing.stderr.close()


def start(*words: str, **environment: str) -> subprocess.Popen[str]:
    """Starts `./malob lab`."""
    return subprocess.Popen(
        [sys.executable, str(ROOT / "scripts" / "command.py"), "lab", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def _left(directory: str) -> list[str]:
    return [path.name for path in Path(directory).glob(f"{NAME}-*")]
