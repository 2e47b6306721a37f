"""Which tests are run once more after a failure, and what becomes of that."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any
from unittest import mock

import tests.__main__ as program
from malob.system.place import ROOT
from tests import reruns, running
from tests.counts import Counts, of_surefire
from tests.reruns import MAX_RERUNS, Rerun
from tests.running import Outcome, Outcomes

_POM = {"m": "http://maven.apache.org/POM/4.0.0"}
_JAVA_TESTS = ROOT / "src" / "test" / "java"


class BuildTest(unittest.TestCase):
    """What controller/pom.xml says of Surefire, and which classes have the tag."""

    def setUp(self) -> None:
        plugins = ElementTree.parse(ROOT / "controller/pom.xml").findall("m:build/m:plugins/m:plugin", _POM)
        self.surefire = next(each for each in plugins if each.findtext("m:artifactId", "", _POM) == "maven-surefire-plugin")

    def execution(self, name: str) -> dict[str, str | None]:
        found = next(each for each in self.surefire.findall("m:executions/m:execution", _POM) if each.findtext("m:id", "", _POM) == name)
        return {each.tag.rpartition("}")[2]: each.text for each in found.findall("m:configuration/*", _POM)}

    def test_only_tagged_classes_are_run_again_and_only_once(self) -> None:
        self.assertIsNone(self.surefire.find("m:configuration/m:rerunFailingTestsCount", _POM))
        self.assertEqual({"excludedGroups": "real-time,lincheck", "forkCount": "2", "rerunFailingTestsCount": "0"}, self.execution("default-test"))
        self.assertEqual({"groups": "lincheck", "rerunFailingTestsCount": "0"}, self.execution("lincheck"))
        real_time = {"groups": "real-time", "forkCount": "2", "rerunFailingTestsCount": "1", "failOnFlakeCount": str(MAX_RERUNS + 1)}
        self.assertEqual(real_time, self.execution("real-time"))
        self.assertEqual(3, len(self.surefire.findall("m:executions/m:execution", _POM)))

    def test_tests_of_other_modules_are_never_run_again(self) -> None:
        for pom in ("pom.xml", "bench/pom.xml", "simulations/pom.xml"):
            self.assertNotIn("rerunFailingTestsCount", (ROOT / pom).read_text())

    def test_tagged_classes_are_those_with_bounds_of_real_time_and_no_stress_tests(self) -> None:
        tagged = reruns.real_time_classes(_JAVA_TESTS)
        self.assertEqual(
            {
                f"io.malob.controller.{name}Test"
                for name in ("Access", "ControllerProcess", "RestOverload", "SlowSwitch", "SwitchStatistics", "TroubledSwitch")
            }
            | {"io.malob.cluster.SecureEtcdTest", "io.malob.cluster.etcd.HttpEtcdTest"},
            tagged,
        )
        for name in tagged:
            text = (_JAVA_TESTS / (name.replace(".", "/") + ".java")).read_text()
            self.assertNotIn("Together.run", text, f"{name} is a stress test")
            self.assertNotIn("Stress", name)

    def test_the_tag_stands_nowhere_else(self) -> None:
        # on a method, or beside another annotation, it would count for Surefire and not here
        tags = [path for path in _JAVA_TESTS.rglob("*.java") if 'real-time"' in path.read_text()]
        self.assertEqual(len(reruns.real_time_classes(_JAVA_TESTS)), len(tags))


class ReportsTest(unittest.TestCase):
    """Reports of Surefire, as it writes them when a test is run once more."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "TEST-a.B.xml").write_text(
            '<testsuite tests="4" failures="1" errors="1" skipped="0" flakes="1">'
            '<testcase classname="a.B" name="good"/>'
            '<testcase classname="a.B" name="flaky"><flakyFailure message="3 &gt; 2&#10;more" type="E"/></testcase>'
            '<testcase classname="a.B" name="bad"><failure message="no" type="E"/><rerunFailure message="no again" type="E"/></testcase>'
            '<testcase classname="a.B" name="once"><error type="NullPointerException"/></testcase></testsuite>'
        )

    def test_each_is_listed_with_its_first_failure_and_outcome(self) -> None:
        self.assertEqual([Rerun("a.B.flaky", "3 > 2", "passed"), Rerun("a.B.bad", "no", "failed")], reruns.of_surefire(self.folder))
        self.assertEqual(Counts(passed=2, failed=2), of_surefire(self.folder))

    def test_rerun_of_an_untagged_class_is_named(self) -> None:
        found = reruns.of_surefire(self.folder)
        self.assertEqual([], reruns.forbidden(found, {"a.B"}))
        self.assertEqual(["a.B.flaky", "a.B.bad"], reruns.forbidden(found, {"a.Be"}))

    def test_tag_is_read_from_the_sources(self) -> None:
        (self.folder / "B.java").write_text('package a;\n\n@Tag("real-time")\nclass B {}\n')
        (self.folder / "C.java").write_text('package a;\n\n// @Tag("real-time")\nclass C {}\n')
        self.assertEqual({"a.B"}, reruns.real_time_classes(self.folder))

    def test_the_list_is_written_whole(self) -> None:
        reruns.write([Rerun("a.B.c", "no", "passed")], self.folder / "reruns.json")
        self.assertEqual([{"test": "a.B.c", "message": "no", "outcome": "passed"}], json.loads((self.folder / "reruns.json").read_text()))


class RunTest(unittest.TestCase):
    """A whole run, of which only Maven's reports are there."""

    def run_with(self, classname: str, flaky: int) -> tuple[int, str, str]:
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as patches:
            root = Path(folder)
            (root / "target" / "surefire-reports").mkdir(parents=True)
            (root / "src" / "test" / "java").mkdir(parents=True)
            (root / "src" / "test" / "java" / "B.java").write_text('package a;\n@Tag("real-time")\nclass B {}\n')
            (root / "target" / "surefire-reports" / "TEST-1.xml").write_text(
                f'<testsuite tests="{flaky + 1}" failures="0" errors="0" skipped="0">'
                + "".join(f'<testcase classname="{classname}" name="t{n}"><flakyFailure message="no"/></testcase>' for n in range(flaky))
                + "</testsuite>"
            )
            out, errors = io.StringIO(), io.StringIO()
            written = root / "target" / "reruns.json"
            for patch in (
                mock.patch.object(program, "ROOT", root),
                mock.patch.object(reruns, "LIST", written),
                mock.patch.object(running, "run_unit", lambda _: Outcomes({})),
                mock.patch.object(reruns, "write", lambda again: written.write_text(str(len(again)))),
                mock.patch("sys.argv", ["malob test", "--unit", "--maven-status", "0"]),
            ):
                patches.enter_context(patch)
            patches.enter_context(contextlib.redirect_stdout(out))
            patches.enter_context(contextlib.redirect_stderr(errors))
            code = program.main()
            self.assertEqual(str(flaky), written.read_text())
            return code, out.getvalue().strip(), errors.getvalue()

    def test_few_reruns_of_tagged_classes_are_named_and_no_failure(self) -> None:
        code, out, errors = self.run_with("a.B", MAX_RERUNS)
        self.assertEqual((0, "4 passed, 0 failed, 0 skipped"), (code, out))
        self.assertEqual(MAX_RERUNS, errors.count("passed only when it was run once more; first: no"))

    def test_more_are_a_failure(self) -> None:
        code, out, errors = self.run_with("a.B", MAX_RERUNS + 1)
        self.assertEqual((1, "5 passed, 1 failed, 0 skipped"), (code, out))
        self.assertIn("3 are the limit", errors)

    def test_one_of_an_untagged_class_is_a_failure(self) -> None:
        code, out, errors = self.run_with("a.Stress", 1)
        self.assertEqual((1, "2 passed, 1 failed, 0 skipped"), (code, out))
        self.assertIn("a.Stress.t0 was run once more", errors)


def _bad(name: str, phase: str = "call", real_time: bool = True) -> tuple[str, Outcome]:
    return f"m.py::{name}", Outcome("failed", phase, "AssertionError: 3 > 2", real_time)


class SecondTryTest(unittest.TestCase):
    """What tests.running does about failures; the runs of pytest are made up."""

    def setUp(self) -> None:
        self.runs: list[str] = []
        self.again: list[Rerun] = []
        self.second = Outcomes({})

        def run(options: list[str]) -> Outcomes:
            self.runs += [word for word in options if "::" in word]
            return self.second

        for name, replacement in (("_run", run), ("_machines", lambda _: []), ("say", lambda _: None)):
            patch: Any = mock.patch.object(running, name, replacement)
            patch.start()
            self.addCleanup(patch.stop)

    def counts(self, *tests: tuple[str, Outcome]) -> Counts:
        return running.with_a_second_try(Outcomes(dict(tests)), self.again).counts()

    def test_test_that_passes_alone_counts_as_passed_and_is_named(self) -> None:
        self.second = Outcomes({"m.py::Bad::test_a": Outcome("passed")})
        skipped = ("m.py::Good::test_b", Outcome("skipped"))
        self.assertEqual(Counts(2, 0, 1), self.counts(("m.py::Good::test_a", Outcome("passed")), skipped, _bad("Bad::test_a")))
        self.assertEqual(["m.py::Bad::test_a"], self.runs)
        self.assertEqual([Rerun("m.py::Bad::test_a", "AssertionError: 3 > 2", "passed")], self.again)

    def test_test_that_fails_again_has_failed(self) -> None:
        self.second = Outcomes(dict([_bad("Bad::test_b"), ("m.py::Bad::test_a", Outcome("passed"))]))
        self.assertEqual(Counts(1, 1), self.counts(_bad("Bad::test_a"), _bad("Bad::test_b")))
        self.assertEqual([("m.py::Bad::test_a", "passed"), ("m.py::Bad::test_b", "failed")], [(each.test, each.outcome) for each in self.again])

    def test_class_that_could_not_begin_is_run_again_whole(self) -> None:
        names = [f"m.py::Bad::test_{n}" for n in range(7)]
        self.second = Outcomes({name: Outcome("passed") for name in names})
        self.assertEqual(Counts(7), self.counts(*(_bad(f"Bad::test_{n}", "setup") for n in range(7))))
        self.assertEqual(["m.py::Bad"], self.runs)
        self.assertEqual(["passed"], [each.outcome for each in self.again])

    def test_second_run_that_could_not_begin_has_failed(self) -> None:
        self.second = Outcomes(dict([_bad("Bad::test_a", "setup")]))
        self.assertEqual(Counts(0, 1), self.counts(_bad("Bad::test_a")))
        self.assertEqual(["failed"], [each.outcome for each in self.again])

    def test_second_run_without_the_test_has_failed(self) -> None:
        self.assertEqual(Counts(0, 1), self.counts(_bad("Bad::test_a")))
        self.assertEqual(["failed"], [each.outcome for each in self.again])

    def test_many_failures_and_a_process_that_died_are_no_accident(self) -> None:
        self.assertEqual(Counts(failed=4), self.counts(*(_bad(f"Bad::test_{n}") for n in range(4))))
        # what pytest-xdist says of it has no marks
        self.assertEqual(Counts(failed=1), self.counts(_bad("Bad::test_a", "???", real_time=False)))
        self.assertEqual([], self.runs)

    def test_class_that_does_not_depend_on_real_time_is_not_run_again(self) -> None:
        self.second = Outcomes({"m.py::Bad::test_a": Outcome("passed")})
        self.assertEqual(Counts(1, 1), self.counts(_bad("Other::test_a", real_time=False), _bad("Bad::test_a")))
        self.assertEqual(["m.py::Bad::test_a"], self.runs)

    def test_java_tests_count_towards_the_limit_of_a_run(self) -> None:
        self.again += [Rerun(f"a.B.test{n}", "", "passed") for n in range(MAX_RERUNS)]
        self.assertEqual(Counts(0, 1), self.counts(_bad("Bad::test_a")))
        self.assertEqual([], self.runs)


if __name__ == "__main__":
    unittest.main()
