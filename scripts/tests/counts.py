"""How many tests passed, failed and were skipped."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Counts:
    """failed: also those that ended with an unexpected error, or did not run."""

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
