"""Runs pytest in processes of its own, and reads how the tests ended."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malob.errors import ScriptError
from malob.system.environment import programs
from malob.system.place import ROOT
from malob.system.waiting import say
from tests.counts import Counts
from tests.reruns import MAX_RERUNS, Rerun

PYTEST, XDIST, TIMEOUT = "9.2.0", "3.8.0", "2.4.0"
TESTS = ROOT / "scripts" / "tests"
#: A class of system tests needs half a processor, and what it measures must not wait for one.
SIDE_BY_SIDE = 3
#: Controllers of tests live for seconds. Without the optimizing compiler, a run of all system tests takes a third less processor time.
_QUICK_JAVA = {"MALOB_JAVA_OPTS": "-XX:TieredStopAtLevel=1"}
#: Of pytest: all passed, some failed, there was no test.
_EXIT_CODES = (0, 1, 5)
_PATIENCE_S = 30.0


@dataclass(frozen=True)
class Outcome:
    """Of one test. outcome: "passed", "failed", "skipped" or "not run".

    phase: of a failure: "collect", "setup", "call" or "teardown", or another word if the process has died.
    message: the first line of a failure. real_time: its class has the mark.
    """

    outcome: str
    phase: str = ""
    message: str = ""
    real_time: bool = False


@dataclass(frozen=True)
class Outcomes:
    """Of a run. tests: by pytest's name of a test. needs: the parts that the tests want prepared. broken: pytest itself did not end well."""

    tests: Mapping[str, Outcome]
    needs: Sequence[str] = ()
    broken: bool = False

    def counts(self) -> Counts:
        ends = [each.outcome for each in self.tests.values()]
        failed = len(ends) - ends.count("passed") - ends.count("skipped")
        return Counts(ends.count("passed"), failed or int(self.broken), ends.count("skipped"))

    def __add__(self, later: Outcomes) -> Outcomes:
        """With what a later run says of the same tests."""
        return Outcomes({**self.tests, **later.tests}, [*self.needs, *later.needs], self.broken or later.broken)


def environment() -> Path:
    """The folder of pytest's programs, installed first if they are not there. Raises MissingError if that cannot be done."""
    name, packages = f"tests-{PYTEST}-{XDIST}-{TIMEOUT}", (f"pytest=={PYTEST}", f"pytest-xdist=={XDIST}", f"pytest-timeout=={TIMEOUT}")
    # scipy is there, unless it is in an environment that this Python runs in
    return programs(name, *packages, "scipy", with_system_packages=True)


def collect(folder: str, pattern: str | None) -> Outcomes:
    """The tests of a folder, none of which is run. pattern: of their full names; None for all."""
    return _run(["--collect-only", "-qq", *_named(pattern), str(TESTS / folder)])


def run_unit(pattern: str | None) -> Outcomes:
    """Runs the unit tests whose full names match the pattern; None for all."""
    return _run(["-n", str(SIDE_BY_SIDE), "--dist", "loadscope", *_named(pattern), str(TESTS / "unit")])


def run_system(tests: Outcomes, pattern: str | None, missing: Sequence[str], again: list[Rerun]) -> Outcomes:
    """Runs the system tests whose full names match the pattern, three classes at a time; those that take long and do little, beside them.

    tests: what collect() found. missing: parts that could not be prepared. again: tests that were run once more are added to it.
    """
    options = [*_named(pattern), *(f"--missing={part}" for part in missing), str(TESTS / "system")]
    with _kept_directory(), ThreadPoolExecutor() as pool:
        beside = pool.submit(_run, [*_machines(1), "-m", "beside", *options])
        first = _run([*_machines(SIDE_BY_SIDE), "-m", "not beside", *options]) + beside.result()
        return with_a_second_try(tests + first, again)


def with_a_second_try(first: Outcomes, again: list[Rerun]) -> Outcomes:
    """The outcomes once what has failed was run again, with nothing beside it; not if that would be too much for the run.

    Only tests with the mark real_time are run again (docs/adr/0020). again: tests that were run once more are added to it.
    """
    failed = {_again(name, outcome): outcome for name, outcome in first.tests.items() if outcome.outcome == "failed" and outcome.real_time}
    if not failed or len(failed) > MAX_RERUNS - len(again):
        return first
    say(f"once more, with nothing beside: {', '.join(failed)}")
    second = _run([*_machines(1), *failed])
    for name, outcome in failed.items():
        ends = [each.outcome for test, each in second.tests.items() if f"{test}::".startswith(f"{name}::")]
        passed = bool(ends) and "failed" not in ends and not second.broken
        again.append(Rerun(name, outcome.message, "passed" if passed else "failed"))
    return first + second


def _again(test: str, outcome: Outcome) -> str:
    """What to run again: the class, if it could not begin."""
    return test.rpartition("::")[0] if outcome.phase == "setup" else test


def _named(pattern: str | None) -> list[str]:
    return ["--name", pattern] if pattern else []


def _machines(count: int) -> list[str]:
    """Options for so many workers, each with processes of its own."""
    python = shlex.join(["bash", str(TESTS / "worker.sh"), str(environment() / "python")])
    return [
        "-v",
        "--durations=20",
        # labs leave processes, with their pipes, to those who remove them; Python would tell of these in any later test
        *("-W", "ignore::ResourceWarning"),
        # the order is that of conftest.py
        *("--dist", "loadscope", "--no-loadscope-reorder", "--tx", f"{count}*popen//python={python}//execmodel=main_thread_only"),
        # pytest-xdist 3.8 may wait forever after it has replaced a worker that died (its issue 1378)
        "--max-worker-restart=0",
    ]


@contextmanager
def _kept_directory() -> Any:
    """Each class has a /var/lib/malob of its own, and for that there must be one."""
    kept = Path("/var/lib/malob")
    there_before = kept.exists()
    kept.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        if not there_before:
            kept.rmdir()


def _run(options: Sequence[str]) -> Outcomes:
    """A run of pytest. What it says goes to stderr, as Maven's output does; stdout has the closing line only."""
    with tempfile.TemporaryDirectory(prefix="malob-tests-") as folder:
        record = Path(folder) / "record.json"
        command = [
            str(environment() / "python"),
            "-m",
            "pytest",
            "-c",
            str(ROOT / "pyproject.toml"),
            "-p",
            "no:cacheprovider",
            f"--record={record}",
            *options,
        ]
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=_QUICK_JAVA | os.environ)
        try:
            code = process.wait()
        finally:
            _end(process)
        try:
            told = json.loads(record.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ScriptError(f"pytest ended with exit code {code} and told nothing: {error}") from None
        tests = {name: Outcome(**facts) for name, facts in told["tests"].items()}
        return Outcomes(tests, told["needs"], code not in _EXIT_CODES)


def _end(process: subprocess.Popen[bytes]) -> None:
    """After Ctrl-C, with the workers."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
