"""Options of a run of pytest, and the file that tells tests.running what became of it."""

from __future__ import annotations

import fnmatch
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--name", help="only tests whose full names match, as in '*Mesh*'")
    parser.addoption("--missing", action="append", default=[], help="a part that could not be prepared; tests that need it cannot run")
    parser.addoption("--record", type=Path, help="the file for what tests there are, and how they ended")


def pytest_configure(config: pytest.Config) -> None:
    # of pytest-xdist's processes, the one that all others report to
    if config.getoption("record") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Recorder(config.getoption("record")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the tests that were asked for. Long classes come first, then large ones: at the end they would run with nothing beside them."""
    pattern = config.getoption("name")
    if pattern:
        pattern = pattern if "*" in pattern else f"*{pattern}*"
        wanted = [item for item in items if fnmatch.fnmatchcase(full_name(item.nodeid), pattern)]
        config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
        items[:] = wanted
    sizes = Counter(item.parent for item in items)
    items.sort(key=lambda item: (item.get_closest_marker("long") is None, -sizes[item.parent]))


def full_name(nodeid: str) -> str:
    """The name of a test as Python has it: package.module.Class.test."""
    return nodeid.removeprefix("scripts/").replace(".py::", ".").replace("::", ".").replace("/", ".")


class _Recorder:
    """Notes which tests there are, what they need, and how each one ended."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._needs: set[str] = set()
        self._tests: dict[str, dict[str, Any]] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """In a process that runs tests itself, or collects them only."""
        for item in session.items:
            self._tests[item.nodeid] = {"outcome": "not run"}
            self._needs.update(part for mark in item.iter_markers("needs") for part in mark.args)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._tests[report.nodeid] = _failure(report, phase="collect")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._tests.get(report.nodeid, {}).get("outcome") == "failed":
            return
        if report.failed:
            self._tests[report.nodeid] = _failure(report, phase=report.when or "")
        elif report.skipped or report.when == "call":
            self._tests[report.nodeid] = {"outcome": report.outcome}

    def pytest_sessionfinish(self) -> None:
        self._file.write_text(json.dumps({"needs": sorted(self._needs), "tests": self._tests}), encoding="utf-8")


def _failure(report: pytest.CollectReport | pytest.TestReport, phase: str) -> dict[str, Any]:
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = [line.strip() for line in (crash.message if crash else report.longreprtext).splitlines() if line.strip()]
    return {"outcome": "failed", "phase": phase, "message": lines[0] if lines else "", "real_time": "real_time" in report.keywords}
