from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

from malob.errors import ScriptError
from malob.system.place import ROOT
from malob.system.preparation import prepare
from tests.checks import complaints, shell_scripts


class ScriptsTest(unittest.TestCase):
    """What ruff, mypy and shellcheck say of the scripts; a warning is a failure."""

    @classmethod
    def setUpClass(cls) -> None:
        try:
            prepare("checks")
        except ScriptError as error:
            if os.environ.get("CI") == "true":
                raise
            raise unittest.SkipTest(f"cannot check the scripts: {error}") from error

    def test_ruff_finds_nothing(self) -> None:
        self.assertEqual("", complaints(["ruff", "check", "--no-cache", "scripts"]))

    def test_code_is_formatted(self) -> None:
        self.assertEqual("", complaints(["ruff", "format", "--no-cache", "--check", "scripts"]))

    def test_types_are_right(self) -> None:
        self.assertEqual("", complaints(["mypy", "--cache-dir", str(ROOT / "build" / "mypy"), "--no-error-summary"]))

    def test_types_of_agents_are_right(self) -> None:
        # they are found by their own names, as on a server
        agents = ["mypy", "--cache-dir", str(ROOT / "build" / "mypy-agents"), "--no-error-summary", "--strict", "--python-version", "3.10", "."]
        self.assertEqual("", complaints(agents, ROOT / "scripts" / "agents"))

    def test_shellcheck_finds_nothing(self) -> None:
        self.assertEqual("", complaints(["shellcheck", "-x", *map(str, shell_scripts())]))

    def test_complaints_are_given(self) -> None:
        with tempfile.TemporaryDirectory(prefix="malob-test-") as directory:
            wrong = Path(directory) / "wrong.py"
            wrong.write_text("import os\n")
            self.assertIn("F401", complaints(["ruff", "check", "--no-cache", "--select", "F", str(wrong)]))
