"""Tests that failed and were run once more: which ones may be, how many of a run, and the file that lists them.

Only tests that depend on real time are run again (docs/adr/0020): Java classes with @Tag("real-time"), system tests with
the mark real_time. A race in any other test must show as what it is.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from malob.system.place import ROOT

#: More than these in one run, Java and Python together, are a failure of the run. Surefire's failOnFlakeCount is one more.
MAX_RERUNS = 3
LIST = ROOT / "target" / "reruns.json"

_TAG = re.compile(r'^@Tag\("real-time"\)$', re.MULTILINE)
_PACKAGE = re.compile(r"^package ([\w.]+);", re.MULTILINE)


@dataclass(frozen=True)
class Rerun:
    """A test that failed and was run once more. message: of the first failure. outcome: "passed" or "failed"."""

    test: str
    message: str
    outcome: str

    def __str__(self) -> str:
        how = "passed only when it was run once more" if self.outcome == "passed" else "failed twice"
        return f"{self.test} {how}; first: {self.message}"


def of_surefire(directory: Path) -> list[Rerun]:
    """The tests in Maven Surefire's XML reports that were run once more."""
    found = []
    for report in sorted(directory.glob("TEST-*.xml")):
        for case in ElementTree.parse(report).iter("testcase"):
            name = f"{case.get('classname')}.{case.get('name')}"
            flaky = _first(case, "flakyFailure", "flakyError")
            if flaky is not None:
                found.append(Rerun(name, _message(flaky), "passed"))
            elif _first(case, "rerunFailure", "rerunError") is not None:
                failure = _first(case, "failure", "error")
                found.append(Rerun(name, "" if failure is None else _message(failure), "failed"))
    return found


def _first(case: ElementTree.Element, *names: str) -> ElementTree.Element | None:
    return next((each for each in case if each.tag in names), None)


def _message(failure: ElementTree.Element) -> str:
    return first_line(failure.get("message") or failure.get("type") or failure.text or "")


def first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def real_time_classes(sources: Path) -> set[str]:
    """The full names of the Java test classes below a folder that have the tag."""
    found = set()
    for path in sources.rglob("*.java"):
        text = path.read_text(encoding="utf-8")
        package = _PACKAGE.search(text)
        if _TAG.search(text) and package:
            found.add(f"{package.group(1)}.{path.stem}")
    return found


def forbidden(reruns: Iterable[Rerun], classes: set[str]) -> list[str]:
    """The Java tests that were run once more although their classes do not have the tag."""
    return [each.test for each in reruns if not any(each.test.startswith((f"{name}.", f"{name}$")) for name in classes)]


def write(reruns: Sequence[Rerun], path: Path = LIST) -> None:
    """Lists them, for whoever looks for tests that often fail first. The file is its folder's owner's."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([dataclasses.asdict(each) for each in reruns], indent=1) + "\n", encoding="utf-8")
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid)
