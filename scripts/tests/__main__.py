"""Runs the Python tests and closes with the count of all tests, those that Maven ran before included."""

from __future__ import annotations

import argparse
import os

from malob.errors import ScriptError, run_main
from malob.system.place import ROOT
from malob.system.preparation import prepare
from malob.system.waiting import orderly_end, say
from research.preparation import restart_with
from tests import reruns, running
from tests.counts import Counts, of_surefire
from tests.reruns import MAX_RERUNS, Rerun

#: Parts that Maven builds, or that are written where it builds.
BUILT = ("controller", "emulator", "endhost")


def main() -> int:
    options = _options()
    restart_with("scipy", "lxml")
    if options.fetch:
        fetch()
        return 0
    total = Counts()
    again: list[Rerun] = []
    if options.maven_status is not None:
        total += _maven(options.maven_status, again)
    with orderly_end():
        total += running.run_unit(options.only).counts()
        if not options.unit:
            total += _system(options.only, again)
    if options.maven_status is not None or not options.unit:
        total += _listed(again)
    print(total)
    return 1 if total.failed or not total.passed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="malob test")
    parser.add_argument("--unit", action="store_true", help="only what needs neither root nor switches")
    parser.add_argument("--maven-status", type=int, help="Maven's exit code; without it, no Java test is counted")
    parser.add_argument("--only", metavar="PATTERN", help="only the tests whose full names match, as in '*Mesh*'")
    parser.add_argument("--fetch", action="store_true", help="run no test, and prepare only what Maven has no part in: it may run meanwhile")
    return parser.parse_args()


def fetch() -> None:
    """Prepares what the tests need and Maven has no part in."""
    for part in ("tests", "checks", *running.collect("system", None).needs):
        if part not in BUILT:
            _is_there(part)


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


def _system(pattern: str | None, again: list[Rerun]) -> Counts:
    """Without root they are skipped, but never in CI: there that is a failure. again: as for _maven()."""
    tests = running.collect("system", pattern)
    count = len(tests.tests)
    if not count:
        return tests.counts()
    if os.geteuid() != 0:
        say("the system tests need root, for network namespaces and Open vSwitch: use 'sudo ./malob test'")
        return Counts(failed=count) if os.environ.get("CI") == "true" else Counts(skipped=count)
    try:
        for part in ("lab", "controller", "tests"):
            prepare(part)
    except ScriptError as error:
        say(f"no system test can run: {error}")
        return Counts(failed=count)
    # while a test runs, it has no network to get anything from
    missing = [part for part in tests.needs if not _is_there(part)]
    return running.run_system(tests, pattern, missing, again).counts()


def _is_there(part: str) -> bool:
    try:
        prepare(part)
        return True
    except ScriptError as error:
        say(f"{part}: {error}")
        return False


if __name__ == "__main__":
    run_main(main, "malob test")
