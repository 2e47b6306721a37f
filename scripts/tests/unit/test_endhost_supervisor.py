"""How the end host's supervisor configures a controller that ends, fails to start, or was changed over REST."""

from __future__ import annotations

import os
import unittest
from typing import Any
from unittest import mock

from malob.endhost.place import Place
from malob.endhost.supervisor import Supervisor
from malob.errors import ScriptError
from malob.system.processes import ProcessId
from tests.unit.test_endhost import settings


class ScriptedController:
    """Answers as the controller does: without a configuration it has WRR, and one without an algorithm changes none."""

    def __init__(self) -> None:
        self.runs, self.slow = False, False
        self.algorithm, self.configured = "WRR", False
        self.started = 0

    def process(self) -> ProcessId | None:
        return ProcessId.of(os.getpid()) if self.runs else None

    def launch(self) -> None:
        self.runs, self.algorithm, self.configured = True, "WRR", False
        self.started += 1

    def wait(self) -> None:
        if self.slow:
            raise ScriptError("the controller to answer: took longer than 60 s")

    def status(self) -> dict[str, Any]:
        return {"algorithm": self.algorithm, "configured": self.configured, "connected": True, "uplinks": []}

    def configure(self, told: dict[str, Any]) -> None:
        self.algorithm, self.configured = told.get("algorithm", self.algorithm), True


class AlgorithmTest(unittest.TestCase):
    def setUp(self) -> None:
        self.controller = ScriptedController()
        self.begin("RR")
        self.controller.launch()
        self.supervisor._configure(self.supervisor._configuration(), first=True)

    def begin(self, algorithm: str | None) -> None:
        self.supervisor = Supervisor(Place("test"), settings("eth0", "eth1", algorithm=algorithm))
        self.addCleanup(self.supervisor._notices.close)
        self.supervisor._controller = self.controller  # type: ignore[assignment]
        for name in ("_look", "_apply_policy"):
            patch = mock.patch.object(self.supervisor, name)
            patch.start()
            self.addCleanup(patch.stop)

    def test_is_told_to_a_controller_that_was_started_again(self) -> None:
        self.controller.runs = False
        self.supervisor._attempt(self.supervisor._keep_running)
        self.assertEqual((2, "RR", True), (self.controller.started, self.controller.algorithm, self.controller.configured))

    def test_is_told_to_a_controller_whose_start_took_too_long(self) -> None:
        self.controller.runs, self.controller.slow = False, True
        with mock.patch("malob.endhost.supervisor.say"):
            self.assertFalse(self.supervisor._attempt(self.supervisor._keep_running))
        self.controller.slow = False
        self.supervisor._attempt(self.supervisor._keep_running)
        self.supervisor._attempt(self.supervisor._follow)
        self.assertEqual((2, "RR", True), (self.controller.started, self.controller.algorithm, self.controller.configured))
        self.assertEqual("RR", self.supervisor._algorithm)

    def test_is_told_first_when_the_network_changes_before_the_slow_controller_is_told(self) -> None:
        self.controller.runs, self.controller.slow = False, True
        with mock.patch("malob.endhost.supervisor.say"):
            self.supervisor._attempt(self.supervisor._keep_running)
        self.supervisor._attempt(self.supervisor._follow)
        self.assertEqual(("RR", "RR"), (self.controller.algorithm, self.supervisor._algorithm))

    def test_changed_over_rest_is_that_of_the_next_controller(self) -> None:
        self.controller.algorithm = "ADAPTIVE"
        self.supervisor._attempt(self.supervisor._follow)
        self.controller.runs = False
        self.supervisor._attempt(self.supervisor._keep_running)
        self.assertEqual("ADAPTIVE", self.controller.algorithm)

    def test_of_a_controller_without_a_configuration_is_not_remembered(self) -> None:
        self.controller.launch()
        self.supervisor._remember_algorithm()
        self.assertEqual("RR", self.supervisor._algorithm)

    def test_of_a_running_controller_stays_unless_another_is_told(self) -> None:
        earlier = settings("eth0", "eth1", algorithm="MBW")
        for told, configured, expected in ((None, True, "RR"), ("GROUP", True, "GROUP"), (None, False, "MBW"), ("GROUP", False, "GROUP")):
            with self.subTest(told=told, configured=configured):
                self.controller.algorithm, self.controller.configured = "RR" if configured else "WRR", configured
                self.begin(told)
                with mock.patch.object(self.supervisor, "setup") as setup:
                    setup.journal.steps.return_value = []
                    self.supervisor.take_over(earlier)
                self.assertEqual(expected, self.controller.algorithm)


if __name__ == "__main__":
    unittest.main()
