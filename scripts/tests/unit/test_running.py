"""The evaluation of a run of pytest, and its selection of tests."""

from __future__ import annotations

import os
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

from malob.errors import MissingError
from malob.system.place import ROOT
from tests import __main__ as command
from tests import running
from tests.counts import Counts
from tests.running import Outcome, Outcomes

_MADE_UP = """
    import unittest
    import pytest

    class FirstTest(unittest.TestCase):
        def test_good(self):
            pass

        def test_with_bad_parts(self):
            for number in range(3):
                with self.subTest(number=number):
                    self.assertEqual(1, number)

        @unittest.skip("not today")
        def test_skipped(self):
            pass

        def test_warned(self):
            import warnings
            warnings.warn("no")

    @pytest.mark.real_time
    @pytest.mark.needs("page", "emulator")
    class BrokenTest(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            raise RuntimeError("no network")

        def test_never(self):
            pass
"""


class RunTest(unittest.TestCase):
    """Tests that are made up, run by pytest itself."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="malob-test-")
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "test_made_up.py"
        self.file.write_text(textwrap.dedent(_MADE_UP))
        # what tests/conftest.py does for tests below it
        patch = mock.patch.dict(os.environ, {"PYTHONPATH": str(ROOT / "scripts")})
        patch.start()
        self.addCleanup(patch.stop)

    def run_with(self, *options: str) -> dict[str, Outcome]:
        self.outcomes = running._run(["-p", "tests.conftest", "-q", *options, str(self.file)])
        return {name.partition("::")[2]: outcome for name, outcome in self.outcomes.tests.items()}

    def test_each_test_has_its_outcome(self) -> None:
        self.assertEqual(
            {
                "FirstTest::test_good": Outcome("passed"),
                "FirstTest::test_with_bad_parts": Outcome("failed", "call", "AssertionError: 1 != 0"),
                "FirstTest::test_skipped": Outcome("skipped"),
                "FirstTest::test_warned": Outcome("failed", "call", "UserWarning: no"),
                "BrokenTest::test_never": Outcome("failed", "setup", "RuntimeError: no network", real_time=True),
            },
            self.run_with(),
        )
        self.assertEqual(Counts(1, 3, 1), self.outcomes.counts())
        self.assertEqual(["emulator", "page"], self.outcomes.needs)

    def test_only_tests_whose_full_names_match_are_run(self) -> None:
        self.assertEqual({"FirstTest::test_good": Outcome("passed")}, self.run_with("--name", "FirstTest.test_go"))
        self.assertEqual(["BrokenTest::test_never"], list(self.run_with("--name", "*Broken*")))
        self.assertEqual({}, self.run_with("--name", "FirstTest"[::-1]))
        self.assertFalse(self.outcomes.broken)

    def test_tests_that_cannot_be_collected_have_failed(self) -> None:
        self.file.write_text("import there_is_no_such_module\n")
        self.run_with()
        self.assertEqual(Counts(failed=1), self.outcomes.counts())

    def test_process_that_dies_is_a_failure(self) -> None:
        self.file.write_text(
            "import os, unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        os._exit(0)\n    def test_b(self):\n        pass\n"
        )
        self.run_with("-n", "1", "--dist", "loadscope", "--max-worker-restart=0")
        self.assertEqual(Counts(failed=1), self.outcomes.counts())
        self.assertTrue(self.outcomes.broken or self.outcomes.tests)


class OutcomesTest(unittest.TestCase):
    def test_test_that_was_not_run_has_failed(self) -> None:
        self.assertEqual(Counts(1, 1), Outcomes({"a": Outcome("passed"), "b": Outcome("not run")}).counts())

    def test_run_that_broke_without_a_failed_test_has_one_failure(self) -> None:
        self.assertEqual(Counts(1, 1), Outcomes({"a": Outcome("passed")}, broken=True).counts())

    def test_later_outcome_counts(self) -> None:
        both = Outcomes({"a": Outcome("not run"), "b": Outcome("skipped")}) + Outcomes({"a": Outcome("passed")})
        self.assertEqual(Counts(1, 0, 1), both.counts())


class FetchTest(unittest.TestCase):
    def test_all_but_what_is_built_is_prepared_even_if_one_part_fails(self) -> None:
        asked = []

        def prepare(part: str) -> None:
            asked.append(part)
            if part == "docs":
                raise MissingError("no network")

        with (
            mock.patch.object(command, "prepare", prepare),
            mock.patch.object(running, "collect", return_value=Outcomes({}, ["docs", "emulator", "endhost", "page"])),
        ):
            command.fetch()
        self.assertEqual(["tests", "checks", "docs", "page"], asked)


if __name__ == "__main__":
    unittest.main()
