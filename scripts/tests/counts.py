"""How many tests passed, failed and were skipped."""

from __future__ import annotations

import unittest
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Counts:
    """failed: also those that ended with an unexpected error."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def of_surefire(directory: Path) -> Counts:
    """Counts the tests in Maven Surefire's XML reports; nothing if there are none."""
    total = Counts()
    for report in sorted(directory.glob("TEST-*.xml")):
        suite = ElementTree.parse(report).getroot()
        tests, failures, errors, skipped = (int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped"))
        total += Counts(tests - failures - errors - skipped, failures + errors, skipped)
    return total


def of_unittest(result: unittest.TestResult) -> Counts:
    """Counts a result. What fails before or after its tests, as a class's set-up, counts as one failure."""
    # a failing sub-test stands for the test that it is part of
    failed_tests = {id(getattr(test, "test_case", test)) for test, _ in [*result.failures, *result.errors]}
    failed = len(failed_tests) + len(result.unexpectedSuccesses)
    outside = sum(1 for test, _ in result.errors if type(test).__name__ == "_ErrorHolder")
    skipped = len(result.skipped)
    return Counts(result.testsRun - (failed - outside) - skipped, failed, skipped)


def failed_of_class(result: unittest.TestResult, name: str) -> list[str]:
    """The full names of the tests of one class that have failed; the class's own if that did, outside of its tests."""
    tests = [getattr(test, "test_case", test) for test, _ in [*result.failures, *result.errors]] + result.unexpectedSuccesses
    if any(type(test).__name__ == "_ErrorHolder" for test in tests):
        return [name]
    return sorted({test.id() for test in tests})


def messages_of_class(result: unittest.TestResult, name: str) -> dict[str, str]:
    """The last lines of what failed_of_class() names."""
    told: dict[str, str] = {}
    for test, trace in [*result.failures, *result.errors]:
        lines = [line for line in trace.splitlines() if line.strip()]
        of = name if type(test).__name__ == "_ErrorHolder" else getattr(test, "test_case", test).id()
        told.setdefault(of, lines[-1].strip() if lines else "")
    return told
