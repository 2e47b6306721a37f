from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from malob.errors import MissingError, ScriptError
from malob.system.place import ROOT
from malob.system.processes import run
from tests import installed
from tools.release import container, debian, licences, project, sources
from tools.release.__main__ import _compare
from tools.release.files import LOGGING, SETTINGS, File, below, program, tar_gz, write
from tools.release.project import Project

#: The max exposure that systemd-analyze may compute for a unit, from 0 (none) to 10.
_MAX_EXPOSURE = 3.0

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<properties><revision>1.2-SNAPSHOT</revision><project.build.outputTimestamp>{}</project.build.outputTimestamp></properties></project>"""


class ProjectTest(unittest.TestCase):
    def test_pom_tells_version_and_time(self) -> None:
        self.assertEqual(Project("1.2-SNAPSHOT", 86400), self._read("1970-01-02T00:00:00Z"))

    def test_snapshot_comes_before_its_release_in_debians_order(self) -> None:
        self.assertEqual("1.2~SNAPSHOT", Project("1.2-SNAPSHOT", 0).debian_version)

    def test_time_that_is_none_is_named(self) -> None:
        with self.assertRaisesRegex(ScriptError, "outputTimestamp.*not tomorrow"):
            self._read("tomorrow")

    def test_pom_of_this_checkout_is_understood(self) -> None:
        self.assertTrue(project.read(ROOT).version)

    def _read(self, timestamp: str) -> Project:
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "pom.xml").write_text(_POM.format(timestamp))
            return project.read(Path(directory))


class FilesTest(unittest.TestCase):
    _FILES = {"b/run": File(b"#!", executable=True), "a": File(b"text"), "b/link": File(link="run")}

    def test_archive_is_sorted_and_roots_and_of_its_time(self) -> None:
        with tarfile.open(fileobj=io.BytesIO(tar_gz(self._FILES, 86400))) as archive:
            found = [(one.name, one.mode, one.uid, one.uname, one.mtime, one.linkname) for one in archive]
        self.assertEqual(
            [("a", 0o644, 0, "root", 86400, ""), ("b/link", 0o644, 0, "root", 86400, "run"), ("b/run", 0o755, 0, "root", 86400, "")], found
        )

    def test_archive_does_not_depend_on_the_order_of_files(self) -> None:
        self.assertEqual(tar_gz(self._FILES, 5), tar_gz(dict(reversed(self._FILES.items())), 5))

    def test_written_files_do_not_depend_on_the_umask(self) -> None:
        before = os.umask(0o077)
        self.addCleanup(os.umask, before)
        with tempfile.TemporaryDirectory() as directory:
            write(below("top", self._FILES), Path(directory) / "stage", 86400)
            stage = Path(directory) / "stage" / "top"
            self.assertEqual(0o644, (stage / "a").stat().st_mode & 0o777)
            self.assertEqual(0o755, (stage / "b").stat().st_mode & 0o777)
            self.assertEqual(0o755, (stage / "b" / "run").stat().st_mode & 0o777)
            self.assertEqual(86400, (stage / "b").stat().st_mtime)
            self.assertEqual("run", os.readlink(stage / "b" / "link"))


class SourcesTest(unittest.TestCase):
    def test_without_git_what_builds_leave_is_not_listed(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            self._fill(Path(directory), "pom.xml", "target/old.jar", "scripts/a.py", "scripts/__pycache__/a.pyc", "data/catalog.json")
            self.assertEqual(["pom.xml", "scripts/a.py"], sources.listed(Path(directory)))

    def test_copy_of_a_work_tree_counts_as_one_without_git(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            self._fill(Path(directory), "pom.xml")
            Path(directory, ".git").write_text("gitdir: /nowhere/at/all\n")
            self.assertEqual(["pom.xml"], sources.listed(Path(directory)))
            self.assertFalse(sources.changed(Path(directory)))

    def test_with_git_what_it_does_not_know_is_not_listed(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            self._fill(Path(directory), "pom.xml", "notes.txt")
            for words in (("init", "-q"), ("add", "pom.xml")):
                run(["git", "-C", directory, *words])
            self.assertEqual(["pom.xml"], sources.listed(Path(directory)))
            self.assertTrue(sources.changed(Path(directory)))

    def _fill(self, directory: Path, *paths: str) -> None:
        for path in paths:
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).touch()


def _built(directory: Path) -> Path:
    """A checkout's own files, and what stands for the results of a build."""
    build = directory / "malob"
    sources.copy(ROOT, build)
    (build / "target" / "lib").mkdir(parents=True)
    (build / "target" / "malob.jar").write_bytes(b"jar")
    (build / "target" / "lib" / "guava-33.jar").write_bytes(b"library")
    return build


class PackagesTest(unittest.TestCase):
    described = Project("1.2-SNAPSHOT", 86400)
    build: Path
    program: dict[str, Any]
    packages: dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.build = _built(Path(directory.name))
        cls.program = program(cls.build)
        cls.packages = debian.packages(cls.program, cls.build, cls.described)

    def test_program_has_no_sources_and_no_tests(self) -> None:
        self.assertLessEqual({"malob", "target/malob.jar", "target/lib/guava-33.jar", SETTINGS, LOGGING}, set(self.program))
        self.assertEqual(
            [], [path for path in self.program if path.startswith(("src/", "scripts/tests/", "bench/", "simulations/")) or path.endswith("pom.xml")]
        )
        self.assertEqual({"agents", "command.py", "lab", "malob"}, {path.split("/")[1] for path in self.program if path.startswith("scripts/")})
        self.assertTrue(self.program["malob"].executable)

    def test_each_file_is_in_one_package(self) -> None:
        self.assertEqual(set(), set(self.packages["malob"]) & set(self.packages["malob-agents"]))

    def test_agents_need_nothing_of_the_other_package(self) -> None:
        self.assertIn("usr/share/malob/scripts/agents/server_agent.py", self.packages["malob-agents"])
        self.assertEqual(
            [],
            [
                path
                for path in self.packages["malob-agents"]
                if path.startswith("usr/share/malob/") and not path.startswith("usr/share/malob/scripts/agents/")
            ],
        )

    def test_operators_get_malob_and_lab_and_servers_get_agents(self) -> None:
        place = "usr/share/malob/scripts/"
        told = {
            name: {path.removeprefix(place).partition("/")[0] for path in files if path.startswith(place)} for name, files in self.packages.items()
        }
        self.assertEqual({"malob": {"command.py", "lab", "malob"}, "malob-agents": {"agents"}}, told)
        self.assertLessEqual(
            {
                place + path
                for path in (
                    "malob/launcher/java.sh",
                    "malob/launcher/jvm.options",
                    "malob/cli/status.py",
                    "malob/endhost/endhost.properties",
                    "lab/demo/responder.py",
                    "lab/emulator/main.c",
                    "lab/emulator.sh",
                    "lab/topologies/mesh5.json",
                )
            },
            set(self.packages["malob"]),
        )

    def test_command_that_only_a_checkout_has_says_so(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            write(self.program, Path(directory, "malob"), 86400)
            for words, named, needs in (
                (["lab", "run", "mptcp"], "lab run", "scripts/research"),
                (["testbed", "request", "single"], "testbed", "scripts/research"),
                (["bench", "soak"], "bench", "bench"),
                (["docs"], "docs", "scripts/tools"),
            ):
                with self.subTest(words=words):
                    done = self._malob(directory, *words)
                    self.assertEqual((3, ""), (done.returncode, done.stdout))
                    self.assertEqual(f"malob: '{named}' needs {needs}, which releases and packages do not contain: use a checkout\n", done.stderr)

    def test_other_commands_run_without_the_rest(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            write(self.program, Path(directory, "malob"), 86400)
            for words in (
                ["help"],
                ["status", "--help"],
                ["lab", "list"],
                ["lab", "--help"],
                ["demo", "--help"],
                ["endhost", "--help"],
                ["mptcp", "--help"],
                ["agent", "--help"],
                ["doctor", "--json"],
                ["completion", "bash"],
            ):
                with self.subTest(words=words):
                    done = self._malob(directory, *words)
                    self.assertEqual("", done.stderr)
                    self.assertIn(done.returncode, (0, 1) if words[0] == "doctor" else (0,))
                    self.assertTrue(done.stdout)
            offered = {line.partition("\t")[0] for line in self._malob(directory, "complete", "--", "").stdout.splitlines()}
            self.assertLessEqual({"status", "lab", "endhost", "doctor"}, offered)
            self.assertEqual(set(), {"bench", "testbed", "docs", "release", "test"} & offered)
            self.assertIn("thesis-http", self._malob(ROOT.parent, "complete", "--", "lab", "run", "", root=ROOT).stdout)

    def _malob(self, directory: str | Path, *words: str, root: Path | None = None) -> subprocess.CompletedProcess[str]:
        program = (root or Path(directory, "malob")) / "malob"
        return subprocess.run([str(program), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=directory)

    def test_links_lead_somewhere_and_named_files_exist(self) -> None:
        for packages in (("malob", "malob-agents"), ("malob-agents",)):
            with self.subTest(packages=packages), tempfile.TemporaryDirectory() as directory:
                root = Path(directory)
                for name in packages:
                    write(self.packages[name], root, 86400)
                for made in ("etc/malob", "var/lib/malob/controller", "var/cache/malob"):
                    (root / made).mkdir(parents=True, exist_ok=True)
                self.assertEqual([], installed.dead_links(root))
                self.assertEqual([], installed.missing_files(root))

    def test_links_of_the_archive_lead_somewhere(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            write(below("usr/share/malob", self.program), root, 86400)
            self.assertEqual([], installed.dead_links(root))

    def test_link_to_what_only_a_checkout_has_is_none_in_a_package(self) -> None:
        readme = self.packages["malob"]["usr/share/doc/malob/README.md"].content.decode()
        self.assertIn("[Documentation](index.md), [how far does it go?](explanation/scale.md), contributing,\n[changes](CHANGELOG.md).", readme)
        security = self.packages["malob"]["usr/share/doc/malob/how-to/security.md"].content.decode()
        self.assertIn("](operations.md#when-a-file-is-damaged)", security)

    def test_units_name_files_of_the_packages(self) -> None:
        everything = {**self.packages["malob"], **self.packages["malob-agents"]}
        for path, text in self._units().items():
            words = [word for line in text.splitlines() if line.startswith("Exec") for word in line.split()]
            for word in words:
                if word.startswith("/usr/share/malob"):
                    with self.subTest(unit=path, file=word):
                        self.assertIn(word[1:], everything)

    def test_units_are_hardened(self) -> None:
        analyze = shutil.which("systemd-analyze")
        if analyze is None or "--offline" not in run([analyze, "--help"]):
            self.skipTest("no systemd-analyze of systemd 250 or later")
        with tempfile.TemporaryDirectory() as directory:
            for path, text in self._units().items():
                unit = Path(directory, Path(path).name)
                unit.write_text(text)
                told = run([analyze, "security", "--offline=yes", "--no-pager", str(unit)])
                exposure = re.search(r"Overall exposure level for \S+: ([0-9.]+) ", told)
                with self.subTest(unit=unit.name):
                    assert exposure is not None, told
                    self.assertLessEqual(float(exposure[1]), _MAX_EXPOSURE, told)

    def _units(self) -> dict[str, str]:
        """The text of each service's unit, by its path in the packages."""
        everything = {**self.packages["malob"], **self.packages["malob-agents"]}
        units = {path: file.content.decode() for path, file in everything.items() if path.endswith(".service")}
        self.assertEqual(4, len(units))
        return units

    def test_unit_that_is_elsewhere_is_refused(self) -> None:
        with self.assertRaisesRegex(ScriptError, "x.service"):
            debian._in_package("x.service", b"ExecStart=/opt/other/x")

    def test_control_tells_version_size_and_what_users_may_change(self) -> None:
        control = debian.control("malob", self.packages["malob"], self.build, self.described)
        text = control["control"].content.decode()
        self.assertIn("\nVersion: 1.2~SNAPSHOT\n", text)
        self.assertIn("malob-agents (= 1.2~SNAPSHOT)", text)
        self.assertNotIn("@", text.replace("malob@localhost", ""))
        self.assertEqual("/etc/malob/logback.xml\n/etc/malob/malob.properties\n", control["conffiles"].content.decode())
        self.assertTrue(control["postinst"].executable)

    def test_changelog_is_of_this_version(self) -> None:
        text = gzip.decompress(self.packages["malob-agents"]["usr/share/doc/malob-agents/changelog.gz"].content).decode()
        self.assertTrue(text.startswith("malob-agents (1.2~SNAPSHOT) "), text)


class LicencesTest(unittest.TestCase):
    _NOTICE = "MALOB\n\n  org.a:one  Apache-2.0\n  org.b:two  EPL-2.0\n"

    def test_known_and_noted_libraries_pass(self) -> None:
        licences.check(self._bill(("org.a", "one", "Apache-2.0"), ("org.b", "two", "LGPL-2.1-only", "EPL-2.0")), self._NOTICE)

    def test_licence_that_may_not_be_there_is_named(self) -> None:
        with self.assertRaisesRegex(ScriptError, "org.a:one: GPL-3.0-only"):
            licences.check(self._bill(("org.a", "one", "GPL-3.0-only")), self._NOTICE)

    def test_library_without_licence_is_named(self) -> None:
        with self.assertRaisesRegex(ScriptError, "org.a:one: no licence known"):
            licences.check(self._bill(("org.a", "one")), self._NOTICE)

    def test_library_that_notice_lacks_is_named(self) -> None:
        with self.assertRaisesRegex(ScriptError, r"org.c:three \(MIT\) is not in NOTICE"):
            licences.check(self._bill(("org.c", "three", "MIT")), self._NOTICE)

    def test_notice_that_tells_another_licence_is_wrong(self) -> None:
        with self.assertRaisesRegex(ScriptError, "org.b:two: NOTICE says EPL-2.0, it is MIT"):
            licences.check(self._bill(("org.b", "two", "MIT")), self._NOTICE)

    def test_jars_that_notice_lacks_are_found(self) -> None:
        self.assertEqual(["three-1.jar"], licences.missing(["one-1.0.jar", "two-9999.0-empty.jar", "three-1.jar"], self._NOTICE))

    def _bill(self, *libraries: Any) -> Any:
        return {
            "components": [
                {"group": group, "name": name, "licenses": [{"license": {"id": one}} for one in known]} for group, name, *known in libraries
            ]
        }


class ContainerTest(unittest.TestCase):
    """What needs no engine; './malob release --container' itself is the test of the image."""

    def test_image_has_the_format_that_knows_health_checks(self) -> None:
        self.assertIn(["--format", "docker"], self._pairs(base=None))

    def test_base_is_a_local_image(self) -> None:
        self.assertNotIn("--pull=never", self._build(base=None))
        self.assertIn("--pull=never", self._build(base="localhost/debian"))
        self.assertIn(["--build-arg", "BASE=localhost/debian"], self._pairs(base="localhost/debian"))

    def test_failed_build_is_told(self) -> None:
        with self.assertRaisesRegex(ScriptError, "could not be built"):
            self._build(base=None, code=1)

    def test_missing_engine_is_named(self) -> None:
        with mock.patch("tools.release.container.find_program", lambda _name: None):
            with self.assertRaisesRegex(MissingError, "install podman"):
                container.Engine()

    def test_base_without_container_is_wrong_use(self) -> None:
        done = subprocess.run([str(ROOT / "malob"), "release", "--base", "x"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual((2, ""), (done.returncode, done.stdout))

    def _pairs(self, base: str | None) -> list[list[str]]:
        words = self._build(base)
        return [words[at : at + 2] for at in range(len(words))]

    def _build(self, base: str | None, code: int = 0) -> list[str]:
        """The words of podman's command."""
        with mock.patch("tools.release.container.find_program", lambda name: f"/usr/bin/{name}"):
            with mock.patch("subprocess.run", return_value=mock.Mock(returncode=code)) as called:
                container.Engine().build(ROOT, "localhost/malob:1", base)
        words: list[str] = called.call_args.args[0]
        return words


class ComparisonTest(unittest.TestCase):
    def test_files_that_differ_are_named(self) -> None:
        _compare({"a": b"1"}, {"a": b"1"})
        with self.assertRaisesRegex(ScriptError, "b, c$"):
            _compare({"a": b"1", "b": b"1"}, {"a": b"1", "b": b"2", "c": b""})
