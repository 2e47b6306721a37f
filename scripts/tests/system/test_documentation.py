"""What the documentation tells a new user to type, typed in its order, on a machine of its own."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path

import pytest

from malob.system.place import ROOT
from malob.system.waiting import say
from tests.system.walks import Walk
from tools.docs.menu import DOCS


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


@pytest.mark.needs("docs")
class SiteTest(unittest.TestCase):
    def test_site(self) -> None:
        """all pages, and the generated ones, without a warning"""
        done = subprocess.run([str(ROOT / "malob"), "docs"], capture_output=True, text=True, timeout=240)
        self.assertEqual(0, done.returncode, done.stderr)
        home = Path(done.stdout.strip())
        for page in ("tutorials/quickstart", "reference/cli", "reference/rest-reference", "project/bench-README", "adr/README"):
            self.assertIn(f'href="{page}.html"', home.read_text(encoding="utf-8"))
        self.assertIn('id="malob-lab-up"', (home.parent / "reference/cli.html").read_text(encoding="utf-8"))
