"""Runs the classes of the system tests side by side, each as if on a machine of its own.

One that says alone = True runs when all others are done; one that says beside = True, as it takes long and does little, runs beside them.

A class has a network, mounts, processes and a /run of its own, so that an Open vSwitch that the machine runs is not
touched, and whatever a class leaves behind goes with it. What needs the network outside, as packages do, is prepared before.

Of classes that say real_time = True, tests that fail are run once more with nothing beside them, if they are few: on a machine
that others use as well, a pause of seconds breaks a bound. What passes then counts as passed, and is listed (tests.reruns).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from malob.system.place import ROOT
from malob.system.waiting import say
from tests.counts import Counts
from tests.reruns import MAX_RERUNS, Rerun

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


def run_classes(suites: Iterable[type[unittest.TestCase]], pattern: str | None, again: list[Rerun]) -> Counts:
    """Runs the tests of the classes whose names match the pattern, if there is one, and shows what each class printed once it is done.

    again: tests that were run once more are added to it.
    """
    classes = sorted(suites, key=lambda each: -unittest.defaultTestLoader.loadTestsFromTestCase(each).countTestCases())
    runs = [_ClassRun(f"{each.__module__}.{each.__qualname__}", ["--only", pattern] if pattern else []) for each in classes]
    alone: list[_ClassRun] = []
    beside: list[_ClassRun] = []
    shared: list[_ClassRun] = []
    for each, run in zip(classes, runs):
        kind = alone if getattr(each, "alone", False) else beside if getattr(each, "beside", False) else shared
        kind.append(run)
    there_before = _KEPT.exists()
    real_time = {f"{each.__module__}.{each.__qualname__}" for each in classes if getattr(each, "real_time", False)}
    first = _run([(shared, _SIDE_BY_SIDE), (beside, 1)]) + _run([(alone, 1)])
    outcomes = with_a_second_try(first, real_time, again)
    if not there_before:
        _KEPT.rmdir()
    return sum((outcome.counts for outcome in outcomes), Counts())


@dataclass(frozen=True)
class Outcome:
    """Of the tests of one class.

    failed: those to run again, by their full names, the class's own for all of them; None if that would tell nothing.
    messages: of the failures, by the names in failed.
    """

    name: str
    counts: Counts
    failed: Sequence[str] | None = ()
    messages: Mapping[str, str] = field(default_factory=dict)


def with_a_second_try(outcomes: Sequence[Outcome], real_time: Collection[str], again: list[Rerun]) -> list[Outcome]:
    """The outcomes once what has failed was run again, one class after the other; nothing if that would be too much for the run.

    real_time: names of the classes of which that may be. again: tests that were run once more are added to it.
    """
    bad = {outcome.name: outcome for outcome in outcomes if outcome.counts.failed}
    if any(not each.failed for each in bad.values()):
        return list(outcomes)
    bad = {name: outcome for name, outcome in bad.items() if name in real_time}
    if sum(outcome.counts.failed for outcome in bad.values()) > MAX_RERUNS - len(again):
        return list(outcomes)
    runs = []
    for name, outcome in bad.items():
        say(f"once more, with nothing beside: {', '.join(outcome.failed or ())}")
        runs.append(_ClassRun(name, [word for test in outcome.failed or () for word in ("--test", test)]))
    ended = {outcome.name: _merged(bad[outcome.name], outcome) for outcome in _run([(runs, 1)])}
    for name, outcome in ended.items():
        for test in bad[name].failed or ():
            twice = outcome.failed is None or {test, name}.intersection(outcome.failed)
            again.append(Rerun(test, bad[name].messages.get(test, ""), "failed" if twice else "passed"))
    return [ended.get(outcome.name, outcome) for outcome in outcomes]


def _merged(first: Outcome, second: Outcome) -> Outcome:
    """The outcome of a class of which a part, or all, was run a second time."""
    if first.failed == [first.name]:
        return second
    counts = Counts(first.counts.passed + second.counts.passed, second.counts.failed, first.counts.skipped + second.counts.skipped)
    return Outcome(first.name, counts, second.failed, first.messages)


def _run(groups: Sequence[tuple[Sequence[_ClassRun], int]]) -> list[Outcome]:
    """Runs groups beside each other, of each group so many at a time."""
    outcomes: list[Outcome] = []
    results, pools = [], []
    for runs, workers in groups:
        pools.append(ThreadPoolExecutor(workers))
        results += [pools[-1].submit(run.outcome) for run in runs]
    try:
        for result in as_completed(results):
            outcomes.append(result.result())
        return outcomes
    finally:
        # after Ctrl-C: none that has not begun begins, and those that run are ended
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        for runs, _ in groups:
            for run in runs:
                run.end()


class _ClassRun:
    def __init__(self, name: str, more: Sequence[str]) -> None:
        """more: options that say which of its tests."""
        self._name = name
        self._more = more
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def outcome(self) -> Outcome:
        begun = time.monotonic()
        with tempfile.NamedTemporaryFile(prefix="malob-outcome-") as result, tempfile.TemporaryFile() as printed:
            if self._ended:
                return Outcome(self._name, Counts())
            self._process = subprocess.Popen(
                _on_its_own(
                    [sys.executable, str(ROOT / "scripts" / "command.py"), "tests", "--class", self._name, "--outcome", result.name, *self._more]
                ),
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
            )
            in_time = self._wait()
            printed.seek(0)
            sys.stderr.write(printed.read().decode(errors="replace"))
            say(f"{self._name.rpartition('.')[2]}: {time.monotonic() - begun:.0f} s")
            if not in_time:
                say(f"{self._name} was ended after {_LIMIT_S:g} s")
            try:
                told = json.loads(Path(result.name).read_text())
                return Outcome(self._name, Counts(**told["counts"]), told["failed"], told["messages"])
            except ValueError:
                return Outcome(self._name, Counts(failed=0 if self._ended else 1), None)

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


def _on_its_own(command: Sequence[str]) -> list[str]:
    return [
        "unshare",
        "--net",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
        "--propagation",
        "private",
        "bash",
        "-c",
        _MACHINE,
        "malob-test",
        *command,
    ]
