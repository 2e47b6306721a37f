from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from malob.cli.arguments import Parser, endpoint, positive, seconds
from malob.cli.doctor import Finding, obstacles, report
from malob.cli.table import render
from malob.errors import MissingError, ScriptError, UsageError
from malob.network.labs import check_name
from malob.system.place import ROOT
from malob.system.ports import free_port, port_is_free
from malob.system.processes import PidFile, ProcessId, run, succeeds
from malob.system.waiting import wait_until
from tests.counts import of_surefire


class ArgumentsTest(unittest.TestCase):
    def test_endpoint(self) -> None:
        self.assertEqual(("10.0.0.1", 8081), endpoint("10.0.0.1:8081"))
        self.assertEqual(("::1", 80), endpoint("[::1]:80"))
        for wrong in ("", "8080", ":80", "host:", "host:0", "host:65536", "host:http"):
            with self.assertRaises(argparse.ArgumentTypeError):
                endpoint(wrong)

    def test_positive(self) -> None:
        self.assertEqual(7, positive("7"))
        for wrong in ("0", "-1", "1.5", "x", "", "٣", "1" + 9 * "0"):
            with self.subTest(text=wrong), self.assertRaises(argparse.ArgumentTypeError):
                positive(wrong)

    def test_seconds(self) -> None:
        self.assertEqual(0.5, seconds("0.5"))
        for wrong in ("0", "-1", "nan", "inf", "x"):
            with self.assertRaises(argparse.ArgumentTypeError):
                seconds(wrong)

    def test_wrong_use_is_one_line(self) -> None:
        made = Parser(prog="malob x")
        made.add_subparsers(metavar="COMMAND", required=True).add_parser("y").add_argument("--n", type=int)
        for words, expected in (
            (["y", "--n", "z"], "malob x y: argument --n: invalid int value: 'z'; see 'malob x y --help'"),
            ([], "malob x: the following arguments are required: COMMAND; see 'malob x --help'"),
        ):
            with contextlib.redirect_stderr(io.StringIO()) as err, self.assertRaises(SystemExit) as caught:
                made.parse_args(words)
            self.assertEqual((2, expected + "\n"), (caught.exception.code, err.getvalue()))


class TableTest(unittest.TestCase):
    def test_columns_are_as_wide_as_their_widest_cell(self) -> None:
        lines = render(["name", "n"], [["a", "1"], ["longer", "10"]], right=[1])
        self.assertEqual(["name     n", "a        1", "longer  10"], lines)


class CommandsTest(unittest.TestCase):
    def test_failure_tells_the_last_words(self) -> None:
        with self.assertRaisesRegex(ScriptError, "no luck"):
            run(["sh", "-c", "echo no luck >&2; exit 4"])

    def test_absent_program_is_missing(self) -> None:
        with self.assertRaises(MissingError):
            run(["no-such-program-here"])
        self.assertFalse(succeeds(["no-such-program-here"]))

    def test_program_ends_with_an_interruption_at_its_start(self) -> None:
        started: list[subprocess.Popen[str]] = []
        popen = subprocess.Popen

        def interrupted(*words: Any, **options: Any) -> subprocess.Popen[str]:
            started.append(popen(*words, **options))
            os.kill(os.getpid(), signal.SIGINT)
            return started[0]

        with mock.patch.object(subprocess, "Popen", interrupted), self.assertRaises(KeyboardInterrupt):
            run(["sleep", "60"])
        self.assertEqual(-signal.SIGKILL, started[0].returncode)

    def test_process_id_knows_its_process_only(self) -> None:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        process = ProcessId.of(child.pid)
        assert process is not None
        self.assertTrue(process.alive())
        self.assertFalse(ProcessId(process.pid, process.start_ticks + 1).alive())
        process.end()
        child.wait()
        self.assertFalse(process.alive())


class PidFileTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        self.pids = PidFile(self.place / "program.pid")
        self.addCleanup(lambda: self.pids.end())

    def start(self, *command: str) -> ProcessId:
        self.pids.start(command, self.place / "log")
        process = self.pids.process()
        assert process is not None
        return process

    def test_program_is_found_by_number_and_start(self) -> None:
        process = self.start("sleep", "60")
        wait_until(lambda: Path(f"/proc/{process.pid}/comm").read_text() == "sleep\n", "the program", 10, 0.01)
        self.assertNotEqual(os.getpgrp(), os.getpgid(process.pid))
        self.assertEqual(f"{process.pid} {process.start_ticks}\n", self.pids.path.read_text())
        self.pids.end()
        self.assertFalse(process.alive())
        self.assertEqual((None, False), (self.pids.process(), self.pids.path.exists()))

    def test_process_that_has_its_number_now_is_not_taken_for_it(self) -> None:
        process = self.start("sleep", "60")
        self.pids.path.write_text(f"{process.pid} {process.start_ticks + 1}\n")
        self.assertIsNone(self.pids.process())
        self.pids.end()
        self.assertTrue(process.alive())
        process.end()

    def test_process_with_the_same_words_is_not_taken_for_it(self) -> None:
        process = self.start("tail", "-f", str(self.place / "log"))
        other = subprocess.Popen(["tail", "-f", str(self.place / "log")])
        try:
            process.end()
            self.assertIsNone(self.pids.process())
            self.pids.end()
            self.assertIsNone(other.poll())
        finally:
            other.kill()
            other.wait()

    def test_file_that_says_nothing_is_no_process(self) -> None:
        for text in ("", "1", "x y", "1 2 3", "-1 -1"):
            self.pids.path.write_text(text)
            self.assertIsNone(self.pids.process(), text)

    def test_what_cannot_start_says_so_in_its_log(self) -> None:
        self.pids.start(["no-such-program-here"], self.place / "log")
        wait_until(lambda: self.pids.process() is None, "it to end", 10, 0.01)
        self.assertIn("no-such-program-here", (self.place / "log").read_text())

    def test_daemon_is_known_by_the_lock_of_its_pid_file(self) -> None:
        file = self.place / "daemon.pid"
        self.assertIsNone(ProcessId.holding(file))
        program = (
            "import fcntl, os, sys, time; f = open(sys.argv[1], 'w'); fcntl.lockf(f, fcntl.LOCK_EX); print('locked', flush=True); time.sleep(60)"
        )
        for argument in ("other.pid", "daemon.pid"):
            with subprocess.Popen([sys.executable, "-c", program, str(self.place / argument)], stdout=subprocess.PIPE) as daemon:
                assert daemon.stdout is not None
                daemon.stdout.readline()
                file.touch()
                expected = ProcessId.of(daemon.pid) if argument == "daemon.pid" else None
                self.assertEqual(expected, ProcessId.holding(file))
                daemon.kill()
        self.assertIsNone(ProcessId.holding(file))


class RunMainTest(unittest.TestCase):
    def test_reader_that_goes_is_no_error(self) -> None:
        program = "import sys; sys.path.insert(0, sys.argv[1]); from malob.errors import run_main\nrun_main(lambda: print('x\\n' * 1000000), 'x')"
        child = subprocess.Popen([sys.executable, "-c", program, str(ROOT / "scripts")], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        child.stdout.close()
        self.assertEqual((b"", 0), (child.communicate()[1], child.returncode))


class WaitingTest(unittest.TestCase):
    def test_gives_up_and_says_on_what(self) -> None:
        with self.assertRaisesRegex(ScriptError, "for rain: sunny"):
            wait_until(lambda: False, "rain", 0.02, 0.01, lambda: "sunny")


class NamesTest(unittest.TestCase):
    def test_lab_names_leave_room_for_host_names(self) -> None:
        check_name("ml")
        check_name("mlt")
        for name in ("", "m", "mlxx", "lab", "ml-"):
            with self.subTest(name=name), self.assertRaises(UsageError):
                check_name(name)


class PortsTest(unittest.TestCase):
    def test_free_port_is_free(self) -> None:
        self.assertTrue(port_is_free(free_port()))


class DoctorTest(unittest.TestCase):
    def test_verdict_names_what_is_missing(self) -> None:
        found = Finding("ab", False, "not found", "tests", "apt-get install apache2-utils", False, "apache2-utils")
        self.assertEqual([], obstacles([found]))
        self.assertEqual("the demo can run", report([found])[-1])
        needed = Finding("root", False, "no", "demo", "use sudo", True)
        self.assertEqual("the demo cannot run as things are: root", report([found, needed])[-1])


class CountsTest(unittest.TestCase):
    def test_surefire_reports_are_added_up(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            for number, (tests, failures, errors, skipped) in enumerate([(5, 1, 1, 1), (3, 0, 0, 0)]):
                Path(directory, f"TEST-{number}.xml").write_text(
                    f'<testsuite tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}"/>'
                )
            self.assertEqual("5 passed, 2 failed, 1 skipped", str(of_surefire(Path(directory))))


if __name__ == "__main__":
    unittest.main()
