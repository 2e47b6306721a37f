"""Runs the Python tests and closes with the count of all tests, those that Maven ran before included."""

from __future__ import annotations

import argparse
import os
import sys
import unittest
from pathlib import Path
from typing import Iterator

from base.errors import ScriptError, run_main
from base.place import ROOT
from base.preparation import prepare
from base.waiting import orderly_end, say
from tests.counts import Counts, of_surefire, of_unittest

_HERE = Path(__file__).parent


def main() -> int:
    parser = argparse.ArgumentParser(prog="malob test")
    parser.add_argument("--unit", action="store_true", help="only what needs neither root nor switches")
    parser.add_argument("--maven-status", type=int, help="Maven's exit code; without it, no Java test is counted")
    parser.add_argument("--only", metavar="PATTERN", help="only the system tests whose names match, as in '*Mesh*'")
    options = parser.parse_args()
    total = Counts()
    if options.maven_status is not None:
        total += _maven(options.maven_status)
    if not options.only:
        total += _run("unit", None)
    if not options.unit:
        with orderly_end():
            total += _system(options.only)
    print(total)
    return 1 if total.failed or not total.passed else 0


def _maven(status: int) -> Counts:
    counts = Counts()
    for project in (ROOT, ROOT / "bench"):
        counts += of_surefire(project / "target" / "surefire-reports")
    if status != 0 and not counts.failed:
        say("Maven failed, though no test did: see above")
        counts += Counts(failed=1)
    return counts


def _run(kind: str, pattern: str | None) -> Counts:
    suite = _load(kind, pattern)
    # the same channel as Maven's output; stdout has the closing line only
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=2).run(suite)
    return of_unittest(result)


def _load(kind: str, pattern: str | None) -> unittest.TestSuite:
    loader = unittest.TestLoader()
    if pattern:
        loader.testNamePatterns = [pattern if "*" in pattern else f"*{pattern}*"]
    return loader.discover(str(_HERE / kind), "test_*.py", str(_HERE.parent))


def _system(pattern: str | None) -> Counts:
    """Without root they are skipped, but never in CI: there that is a failure."""
    count = sum(1 for _ in _each(_load("system", pattern)))
    if os.geteuid() != 0:
        say("the system tests need root, for network namespaces and Open vSwitch: use 'sudo ./malob test'")
        return Counts(failed=count) if os.environ.get("CI") == "true" else Counts(skipped=count)
    try:
        prepare("controller")
    except ScriptError as error:
        say(f"no system test can run: {error}")
        return Counts(failed=count)
    return _run("system", pattern)


def _each(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _each(test)
        else:
            yield test


if __name__ == "__main__":
    run_main(main, "malob test")
