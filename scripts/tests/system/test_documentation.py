"""What the documentation tells a new user to type, typed in its order, on a machine of its own."""

from __future__ import annotations

import tempfile
import unittest

from malob.system.waiting import say
from tests.system.walks import Walk
from tools.docs.pages import DOCS


class DocumentationTest(unittest.TestCase):
    def test_ten_minutes(self) -> None:
        """from a network to requests that two servers share"""
        self.walk("tutorials/quickstart.md", at_least=20)

    def test_tutorial(self) -> None:
        """from a network to a server chosen by measured latency, which changes with the network"""
        self.walk("tutorials/nearer-server.md", at_least=30)

    def test_emulated_network(self) -> None:
        """a network of the lab, by hand"""
        self.walk("how-to/emulation.md", at_least=6)

    def walk(self, page: str, at_least: int) -> None:
        with tempfile.TemporaryDirectory(prefix="malob-test-") as data:
            self.assertGreaterEqual(Walk(DOCS / page, {"MALOB_DATA": data}, say).go(), at_least)
