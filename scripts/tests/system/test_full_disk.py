"""A real disk that has no room left, below the controller's data."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

from lab.balancing import BASE
from lab.controller import Controller
from malob.rest.client import RestError
from malob.system.ports import free_port
from malob.system.waiting import say, undisturbed
from tests.system import full


class FullDiskTest(unittest.TestCase):
    """A controller alone: what it keeps has nothing to do with switches."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        self.addCleanup(directory.cleanup)
        self.data = Path(directory.name, "data")
        self.data.mkdir()
        disk = full.small(self.data, 256)
        disk.__enter__()
        self.addCleanup(disk.__exit__, None, None, None)
        self.controller = Controller(Path(directory.name), free_port(), free_port())
        self.addCleanup(self._stop)
        self.controller.start()

    def _stop(self) -> None:
        with undisturbed():
            self.controller.stop()

    def test_change_that_has_no_room(self) -> None:
        """is refused with a sentence, and changes nothing, not after kill -9 either; with room again all works"""
        self._add("before")
        with full.full(self.data):
            with self.assertRaises(RestError) as refused:
                self._add("too-much")
            say(f"  {refused.exception.status}: {refused.exception.sentence}")
            self.assertEqual(500, refused.exception.status)
            self.assertEqual({"before"}, self._vips())
            self.controller.kill()
            self.controller.start()
            self.assertEqual({"before"}, self._vips())
        self._add("after")
        self.controller.kill()
        self.controller.start()
        self.assertEqual({"before", "after"}, self._vips())

    def _add(self, vip: str) -> None:
        self.controller.rest.post(f"{BASE}/vips/", {"id": vip, "name": vip, "protocol": "tcp", "address": f"10.0.0.{150 + len(vip)}", "port": "80"})

    def _vips(self) -> set[Any]:
        return {vip["id"] for vip in self.controller.rest.get(f"{BASE}/vips/")}
