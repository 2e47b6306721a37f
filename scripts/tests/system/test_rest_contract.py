"""The REST interface of a running controller against its OpenAPI document."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

from base.waiting import say
from lab.controller import Controller, free_port
from tests.system import contract

DOCUMENT = "/wm/malob/openapi.json"

#: Answers without end.
ENDLESS = ("/wm/malob/events",)


class RestContractTest(unittest.TestCase):
    """Needs no switches. MALOB_CONTRACT_SECONDS: how long it may look for mistakes (20); from 60 on it also makes up requests at random."""

    needs = ("schemathesis",)

    def test_answers_are_those_that_are_documented(self) -> None:
        """made-up requests get no 5xx, and no status, type or form that the OpenAPI document does not have"""
        seconds = int(os.environ.get("MALOB_CONTRACT_SECONDS", "20"))
        phases = ("examples", "coverage") if seconds < 60 else ("examples", "coverage", "fuzzing", "stateful")
        with tempfile.TemporaryDirectory(prefix="malob-test-") as directory:
            controller = Controller(Path(directory), free_port(), free_port())
            controller.start()
            try:
                say(f"\n{seconds} s of requests to {controller.http_port}")
                wrong = contract.check(
                    f"http://127.0.0.1:{controller.http_port}", DOCUMENT, seconds, phases, ENDLESS)
            finally:
                controller.stop()
        self.assertIsNone(wrong, wrong)
