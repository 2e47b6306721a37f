from __future__ import annotations

import hashlib
import json
import stat
import subprocess
import sys
import tempfile
import unittest
from datetime import datetime, timezone
from pathlib import Path

from malob.system.place import ROOT


class TokenCommandTest(unittest.TestCase):
    """./malob token, on a data directory of its own."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = Path(directory.name) / "data" / "tokens.json"

    def run_it(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-B", str(ROOT / "scripts" / "command.py"), "malob.cli", "token", "--data", str(self.file.parent), *arguments],
            capture_output=True,
            text=True,
            timeout=30,
        )

    def test_added_token_is_printed_and_only_its_hash_is_kept(self) -> None:
        done = self.run_it("add", "ops", "--role", "admin")
        self.assertEqual(0, done.returncode, done.stderr)
        token = done.stdout.strip()
        self.assertRegex(token, r"^malob_[A-Za-z0-9_-]{43}$")
        self.assertNotIn(token, self.file.read_text())
        self.assertEqual(
            {"tokens": [{"name": "ops", "role": "admin", "sha256": hashlib.sha256(token.encode()).hexdigest()}]}, json.loads(self.file.read_text())
        )
        self.assertEqual(0o600, stat.S_IMODE(self.file.stat().st_mode))

    def test_list_shows_names_and_roles_alone(self) -> None:
        self.run_it("add", "ops", "--role", "admin")
        self.run_it("add", "grafana", "--role", "read-only")
        self.assertEqual(
            [{"name": "ops", "role": "admin"}, {"name": "grafana", "role": "read-only"}], json.loads(self.run_it("list", "--json").stdout)
        )

    def test_token_may_expire(self) -> None:
        before = datetime.now(timezone.utc)
        done = self.run_it("add", "ops", "--role", "admin", "--days", "90")
        self.assertEqual(0, done.returncode, done.stderr)
        expires = json.loads(self.file.read_text())["tokens"][0]["expires"]
        self.assertRegex(expires, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        left = datetime.fromisoformat(expires.replace("Z", "+00:00")) - before
        self.assertLess(abs(left.total_seconds() - 90 * 86400), 60)
        self.run_it("add", "grafana", "--role", "read-only")
        self.assertRegex(self.run_it("list").stdout, rf"ops +admin +{expires}\ngrafana +read-only +never\n")
        for wrong in ("0", "-1", "3651", "1e3", "99999999999"):
            done = self.run_it("add", "other", "--role", "admin", "--days", wrong)
            self.assertEqual(2, done.returncode, wrong)
            self.assertIn("--days", done.stderr)

    def test_name_that_is_taken_is_refused_and_nothing_changes(self) -> None:
        self.run_it("add", "ops", "--role", "read-only")
        before = self.file.read_text()
        done = self.run_it("add", "ops", "--role", "admin")
        self.assertEqual((2, ""), (done.returncode, done.stdout))
        self.assertIn("token ops already exists", done.stderr)
        self.assertEqual(before, self.file.read_text())

    def test_removed_token_is_gone_and_an_unknown_one_is_refused(self) -> None:
        self.run_it("add", "ops", "--role", "admin")
        self.assertEqual(0, self.run_it("remove", "ops").returncode)
        self.assertEqual({"tokens": []}, json.loads(self.file.read_text()))
        self.assertEqual(2, self.run_it("remove", "ops").returncode)
