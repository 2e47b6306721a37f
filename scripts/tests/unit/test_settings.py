from __future__ import annotations

import unittest

from malob.system.place import ROOT
from tools.reference import settings


class SettingsTest(unittest.TestCase):
    def test_page_and_shipped_files_have_the_declared_settings(self) -> None:
        """python3 scripts/command.py tools.reference.settings --write writes them anew"""
        if not settings.is_built():
            self.skipTest("the controller is not built; ./malob test builds it")
        declared = settings.declared()
        self.assertGreater(len(declared), 90)
        for file, text in settings.files(declared).items():
            with self.subTest(file=str(file.relative_to(ROOT))):
                self.assertEqual(text, file.read_text(encoding="utf-8"))

    def test_every_setting_has_a_sentence(self) -> None:
        if not settings.is_built():
            self.skipTest("the controller is not built; ./malob test builds it")
        for setting in settings.declared():
            with self.subTest(setting=f"{setting.module}.{setting.name}"):
                self.assertRegex(setting.sentence, r"^[A-Za-z].*\.$")
