"""The REST interface of a running controller against its OpenAPI document."""

from __future__ import annotations

import os
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from lab.controller import Controller
from malob.system.place import ROOT
from malob.system.ports import free_port
from malob.system.waiting import say
from tests.system import contract

DOCUMENT = "/wm/malob/openapi.json"

#: Answers without end.
ENDLESS = ("/wm/malob/events",)

#: What modules give that a controller can do without.
OPTIONAL = ("/metrics", "/ui/", "/wm/malob/logs/levels")


def is_there(url: str) -> bool:
    """Whether a GET gets anything but 404."""
    try:
        with urllib.request.urlopen(url, timeout=20):
            return True
    except urllib.error.HTTPError as error:
        return error.code != 404


#: What is built, or is no part of the checkout.
_BUILT = {"target", "build", "data", ".git", "node_modules", "__pycache__"}


def checkout() -> set[str]:
    """All files and directories of the checkout but those that are built."""
    found: set[str] = set()
    for folder, directories, files in os.walk(ROOT):
        directories[:] = [name for name in directories if name not in _BUILT]
        found.update(os.path.join(folder, name) for name in (*directories, *files))
    return found


@pytest.mark.needs("schemathesis")
class RestContractTest(unittest.TestCase):
    """Needs no switches. MALOB_CONTRACT_SECONDS: how long it may look for mistakes (20); from 60 on it also makes up requests at random."""

    def test_answers_are_those_that_are_documented(self) -> None:
        """made-up requests get no 5xx, and no status, type or form that the OpenAPI document does not have"""
        seconds = int(os.environ.get("MALOB_CONTRACT_SECONDS", "20"))
        phases = ("examples", "coverage") if seconds < 60 else ("examples", "coverage", "fuzzing", "stateful")
        before = checkout()
        with tempfile.TemporaryDirectory(prefix="malob-test-") as directory:
            controller = Controller(Path(directory), free_port(), free_port())
            controller.start()
            try:
                say(f"\n{seconds} s of requests to {controller.http_port}")
                url = f"http://127.0.0.1:{controller.http_port}"
                absent = [path for path in OPTIONAL if not is_there(url + path)]
                wrong = contract.check(url, DOCUMENT, seconds, phases, [*ENDLESS, *absent])
            finally:
                controller.stop()
        self.assertIsNone(wrong, wrong)
        self.assertEqual(set(), checkout() - before, "the checkout stays as it was")
