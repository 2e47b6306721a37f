"""Runs the Python tests and closes with the count of all tests, those that Maven ran before included."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

from malob.errors import ScriptError, run_main
from malob.system.place import ROOT
from malob.system.preparation import prepare
from malob.system.waiting import orderly_end, say
from research.preparation import go_on_with_scipy
from tests import reruns, sharing
from tests.counts import Counts, failed_of_class, messages_of_class, of_surefire, of_unittest
from tests.reruns import MAX_RERUNS, Rerun

_HERE = Path(__file__).parent


def main() -> int:
    options = _options()
    go_on_with_scipy()
    if options.tested:
        # begun by sharing.py
        result = _run(_of_class(options.tested, options.only, options.test))
        Path(options.outcome).write_text(
            json.dumps(
                {
                    "counts": dataclasses.asdict(of_unittest(result)),
                    "failed": failed_of_class(result, options.tested),
                    "messages": messages_of_class(result, options.tested),
                }
            )
        )
        return 0
    total = Counts()
    again: list[Rerun] = []
    if options.maven_status is not None:
        total += _maven(options.maven_status, again)
    if not options.only:
        total += of_unittest(_run(_load("unit", None)))
    if not options.unit:
        with orderly_end():
            total += _system(options.only, again)
    if options.maven_status is not None or not options.unit:
        total += _listed(again)
    print(total)
    return 1 if total.failed or not total.passed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="malob test")
    parser.add_argument("--unit", action="store_true", help="only what needs neither root nor switches")
    parser.add_argument("--maven-status", type=int, help="Maven's exit code; without it, no Java test is counted")
    parser.add_argument("--only", metavar="PATTERN", help="only the system tests whose names match, as in '*Mesh*'")
    parser.add_argument("--class", dest="tested", help=argparse.SUPPRESS)
    parser.add_argument("--test", action="append", help=argparse.SUPPRESS)
    parser.add_argument("--outcome", help=argparse.SUPPRESS)
    return parser.parse_args()


def _maven(status: int, again: list[Rerun]) -> Counts:
    """again: tests that were run once more are added to it."""
    counts = Counts()
    for project in (ROOT, ROOT / "bench", ROOT / "simulations"):
        reports = project / "target" / "surefire-reports"
        counts += of_surefire(reports)
        found = reruns.of_surefire(reports)
        for test in reruns.forbidden(found, reruns.real_time_classes(project / "src" / "test" / "java")):
            say(f'{test} was run once more, though its class has no @Tag("real-time")')
            counts += Counts(failed=1)
        again += found
    if status != 0 and not counts.failed:
        say("Maven failed, though no test did: see above")
        counts += Counts(failed=1)
    return counts


def _listed(again: list[Rerun]) -> Counts:
    """Writes and says which tests were run once more; too many of them are a failure."""
    reruns.write(again)
    for each in again:
        say(str(each))
    if len(again) <= MAX_RERUNS:
        return Counts()
    say(f"{len(again)} tests were run once more, and {MAX_RERUNS} are the limit: look for the cause ({reruns.LIST.relative_to(ROOT)})")
    return Counts(failed=1)


def _run(suite: unittest.TestSuite) -> unittest.TestResult:
    # the same channel as Maven's output; stdout has the closing line only
    return unittest.TextTestRunner(stream=sys.stderr, verbosity=2).run(suite)


def _loader(pattern: str | None) -> unittest.TestLoader:
    loader = unittest.TestLoader()
    if pattern:
        loader.testNamePatterns = [pattern if "*" in pattern else f"*{pattern}*"]
    return loader


def _load(kind: str, pattern: str | None) -> unittest.TestSuite:
    return _loader(pattern).discover(str(_HERE / kind), "test_*.py", str(_HERE.parent))


def _of_class(name: str, pattern: str | None, tests: list[str] | None) -> unittest.TestSuite:
    return _loader(pattern).loadTestsFromNames(tests or [name])


def _system(pattern: str | None, again: list[Rerun]) -> Counts:
    """Without root they are skipped, but never in CI: there that is a failure. again: as for _maven()."""
    tests = list(_each(_load("system", pattern)))
    if os.geteuid() != 0:
        say("the system tests need root, for network namespaces and Open vSwitch: use 'sudo ./malob test'")
        return Counts(failed=len(tests)) if os.environ.get("CI") == "true" else Counts(skipped=len(tests))
    # what could not be loaded has no class of ours; it fails here
    broken = [test for test in tests if isinstance(test, unittest.loader._FailedTest)]  # type: ignore[attr-defined]
    total = of_unittest(_run(unittest.TestSuite(broken))) if broken else Counts()
    try:
        for part in ("lab", "controller", "tests"):
            prepare(part)
    except ScriptError as error:
        say(f"no system test can run: {error}")
        return Counts(failed=len(tests))
    classes = list(dict.fromkeys(type(test) for test in tests if test not in broken))
    parts = sorted({part for each in classes for part in _needs(each)})
    missing = {part for part in parts if not _is_there(part)}
    for each in [each for each in classes if missing.intersection(_needs(each))]:
        classes.remove(each)
        count = sum(1 for test in tests if type(test) is each)
        say(f"{each.__name__} cannot run without {', '.join(missing.intersection(_needs(each)))}")
        total += Counts(failed=count) if os.environ.get("CI") == "true" else Counts(skipped=count)
    return total + sharing.run_classes(classes, pattern, again)


def _needs(tested: type[unittest.TestCase]) -> tuple[str, ...]:
    """What a class wants prepared: while it runs, it has no network to get anything from."""
    return getattr(tested, "needs", ())


def _is_there(part: str) -> bool:
    try:
        prepare(part)
        return True
    except ScriptError as error:
        say(f"{part}: {error}")
        return False


def _each(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _each(test)
        else:
            yield test


if __name__ == "__main__":
    run_main(main, "malob test")
