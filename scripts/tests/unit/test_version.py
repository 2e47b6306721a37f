"""The version that `./malob version` tells."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from malob.cli import version
from malob.errors import ScriptError
from malob.system.place import ROOT
from tools.release import project


class VersionTest(unittest.TestCase):
    def release(self, manifest: str) -> None:
        """Tells from here on the version of a release, which has a jar and no pom."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        root = Path(directory.name)
        (root / "target").mkdir()
        with zipfile.ZipFile(root / "target" / "malob.jar", "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", manifest)
        patch = mock.patch.object(version, "ROOT", root)
        patch.start()
        self.addCleanup(patch.stop)

    def test_checkout_has_that_of_its_pom(self) -> None:
        for word in ("version", "--version", "-V"):
            with self.subTest(word):
                told = subprocess.run([str(ROOT / "malob"), word], capture_output=True, text=True, timeout=60, check=True).stdout
                self.assertEqual(f"MALOB {project.read(ROOT).version}\n", told)

    def test_release_has_that_of_its_jar(self) -> None:
        self.release("Manifest-Version: 1.0\r\nImplementation-Title: MALOB\r\nImplementation-Version: 7.8.9\r\n\r\n")
        self.assertEqual("MALOB 7.8.9", version.text())

    def test_jar_without_one_is_named(self) -> None:
        self.release("Manifest-Version: 1.0\r\n\r\n")
        with self.assertRaisesRegex(ScriptError, "malob.jar has no version"):
            version.text()
