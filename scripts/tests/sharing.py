"""Runs the classes of the system tests side by side, each as if on a machine of its own.

One that says alone = True runs when all others are done; one that says beside = True, as it takes long and does little, runs beside them.

A class has a network, mounts, processes and a /run of its own, so that an Open vSwitch that the machine runs is not
touched, and whatever a class leaves behind goes with it. What needs the network outside, as packages do, is prepared before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Iterable, Sequence

from base.place import ROOT
from base.waiting import say
from tests.counts import Counts

#: Most of a class is waiting, but what it measures must not wait for a processor.
_SIDE_BY_SIDE = 2
_LIMIT_S = 420.0
#: Each class has one of its own there, and for that there must be one.
_KEPT = Path("/var/lib/malob")

#: The shell stays, as the first process of its namespace, and collects what daemons leave: the last line is for that.
_MACHINE = """
set -e
mount -t tmpfs none /run
mkdir -p /run/netns /run/lock /run/cgroup /var/lib/malob
mount --rbind /sys/fs/cgroup /run/cgroup
mount -t sysfs sysfs /sys
mount --rbind /run/cgroup /sys/fs/cgroup 2>/dev/null || true
mount -t tmpfs none /var/lib/malob
ip link set lo up
set +e
"$@"
exit $?
"""


def run_classes(suites: "Iterable[type[unittest.TestCase]]", pattern: "str | None") -> Counts:
    """Runs the tests of the classes whose names match the pattern, if there is one, and shows what each class printed once it is done."""
    classes = sorted(suites, key=lambda each: -unittest.defaultTestLoader.loadTestsFromTestCase(each).countTestCases())
    alone = [each for each in classes if getattr(each, "alone", False)]
    beside = [each for each in classes if getattr(each, "beside", False)]
    shared = [each for each in classes if each not in alone and each not in beside]
    there_before = _KEPT.exists()
    total = _run([(shared, _SIDE_BY_SIDE), (beside, 1)], pattern) + _run([(alone, 1)], pattern)
    if not there_before:
        _KEPT.rmdir()
    return total


def _run(groups: "Sequence[tuple[Sequence[type[unittest.TestCase]], int]]", pattern: "str | None") -> Counts:
    """Runs groups beside each other, of each group so many at a time."""
    total = Counts()
    runs, results, pools = [], [], []
    for chosen, workers in groups:
        pools.append(ThreadPoolExecutor(workers))
        for each in chosen:
            runs.append(_ClassRun(each, pattern))
            results.append(pools[-1].submit(runs[-1].counts))
    try:
        for result in as_completed(results):
            total += result.result()
    finally:
        # after Ctrl-C: none that has not begun begins, and those that run are ended
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        for run in runs:
            run.end()
    return total


class _ClassRun:
    def __init__(self, tested: "type[unittest.TestCase]", pattern: "str | None") -> None:
        self._name = f"{tested.__module__}.{tested.__qualname__}"
        self._pattern = pattern
        self._process: "subprocess.Popen[bytes] | None" = None
        self._ended = False

    def counts(self) -> Counts:
        begun = time.monotonic()
        with tempfile.NamedTemporaryFile(prefix="malob-counts-") as result, tempfile.TemporaryFile() as printed:
            if self._ended:
                return Counts()
            self._process = subprocess.Popen(
                _on_its_own([
                    sys.executable, str(ROOT / "scripts" / "command.py"), "tests", "--class", self._name, "--counts", result.name,
                    *(["--only", self._pattern] if self._pattern else [])]),
                stdin=subprocess.DEVNULL, stdout=printed, stderr=printed)
            in_time = self._wait()
            printed.seek(0)
            sys.stderr.write(printed.read().decode(errors="replace"))
            say(f"{self._name.rpartition('.')[2]}: {time.monotonic() - begun:.0f} s")
            if not in_time:
                say(f"{self._name} was ended after {_LIMIT_S:g} s")
            try:
                return Counts(**json.loads(Path(result.name).read_text()))
            except ValueError:
                return Counts() if self._ended else Counts(failed=1)

    def _wait(self) -> bool:
        assert self._process is not None
        try:
            self._process.wait(_LIMIT_S)
            return True
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return False

    def end(self) -> None:
        """Ends it with all that it started, if it runs."""
        self._ended = True
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def _on_its_own(command: "Sequence[str]") -> "list[str]":
    return [
        "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private",
        "bash", "-c", _MACHINE, "malob-test", *command]
