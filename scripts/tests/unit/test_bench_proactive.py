"""`bench proactive`: which changes broken connections belong to, what counts as a move, and the clients' program."""

from __future__ import annotations

import contextlib
import io
import json
import socket
import struct
import subprocess
import sys
import threading
import unittest
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable
from unittest import mock

from malob.system.ports import free_port
from research.bench import bench_command
from research.bench.proactive import clients, findings, moving, run
from research.bench.proactive.findings import Record, Step, Totals
from research.bench.soak import servers
from research.bench.soak.model import Failure

STEPS = [Step("steady", 0, 0), Step("weight", 10, 32), Step("remove", 20, 0, removed="w3"), Step("weight", 30, 5, settled=False)]


def failure(outcome: str, progress: float, ended: float, server: str | None = "w1") -> Failure:
    told = {"kind": "short", "outcome": outcome, "began": progress, "progress": progress, "ended": ended, "server": server}
    return Failure.of("c1", "proactive", told)


def record(*failures: Failure, wrong: tuple[str, ...] = ()) -> Record:
    return Record(0, 40, STEPS, 128, Totals(1000, 20, 5_000_000, 1003.5), failures, wrong)


class FindingsTest(unittest.TestCase):
    def test_run_without_failures_is_ok(self) -> None:
        found = findings.document(record())
        self.assertTrue(found["ok"])
        self.assertEqual((37, {"steady": 0, "weight": 37, "remove": 0}), (found["moved"], found["moved_by_cause"]))
        self.assertEqual(({"steady": 1, "weight": 2, "remove": 1}, 1), (found["steps"], found["not_settled"]))

    def test_failure_belongs_to_the_change_before_it(self) -> None:
        found = findings.document(record(failure("reset", 9, 12), failure("corrupt", 5, 9), failure("reset", 31, 31)))
        self.assertFalse(found["ok"])
        self.assertEqual({"steady": {"corrupt": 1}, "weight": {"reset": 2}, "remove": {}}, found["broken_by_cause"])

    def test_time_out_belongs_to_the_change_before_the_last_progress(self) -> None:
        self.assertEqual("weight", findings.cause_of(failure("timeout", 12, 32), STEPS))
        self.assertEqual("steady", findings.cause_of(failure("timeout", -1, 32), STEPS))

    def test_connections_of_a_removed_member_are_exempt_and_no_others(self) -> None:
        for each, exempt in (
            (failure("reset", 19, 21, "w3"), True),
            (failure("refused", 21, 21, None), True),
            (failure("reset", 19, 21, "w1"), False),
            (failure("reset", 27, 28, "w3"), False),
            (failure("reset", 18, 19, "w3"), False),
        ):
            with self.subTest(each=each):
                found = findings.document(record(each))
                self.assertEqual((exempt, int(exempt)), (found["ok"], found["of_removed_members"]))

    def test_violations_other_than_failures_are_told(self) -> None:
        found = findings.document(record(failure("reset", 9, 12), wrong=("s1 has 3 rules of buckets instead of 64",)))
        self.assertFalse(found["ok"])
        shown = "\n".join(findings.text(found))
        for words in ("1 reset", "wrong: s1 has 3 rules", "12 s, weight: short of c1, reset, server w1", "128 buckets, 37 moves"):
            self.assertIn(words, shown)


class MovesTest(unittest.TestCase):
    def test_move_is_another_member_of_the_same_bucket(self) -> None:
        before = {("s1", "a"): "10.0.0.11", ("s1", "b"): "10.0.0.11", ("s2", "a"): "10.0.0.12", ("s2", "gone"): "10.0.0.12"}
        after = {("s1", "a"): "10.0.0.11", ("s1", "b"): "10.0.0.12", ("s2", "a"): "10.0.0.11", ("s2", "new"): "10.0.0.11"}
        self.assertEqual(2, moving.moves(before, after))
        self.assertEqual(0, moving.moves(before, before))


class CommandTest(unittest.TestCase):
    def test_options_exclude_each_other_and_are_checked(self) -> None:
        begun = mock.patch.object(bench_command, "need_root", side_effect=AssertionError("taken for right"))
        for words, said in (
            (["--moves", "5", "--controller-down", "1"], "not allowed with argument"),
            (["--controller-down", "0"], "--controller-down: expected a number above 0, not '0'"),
            (["--rate", "x"], "--rate: expected a whole number from 1, not 'x'"),
        ):
            with self.subTest(words=words), begun, contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertRaises(SystemExit, run.ProactiveCommand().main, words)
                self.assertIn(said, errors.getvalue())


class ClientProgramTest(unittest.TestCase):
    """The program of the clients against servers on this host."""

    def run_client(
        self, port: int, seconds: float = 1.0, load: Sequence[str] = ("50", "2", "0.4", "3")
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Failures and totals. load: rate, downloads, their duration, silent connections."""
        process = subprocess.Popen(
            [sys.executable, "-I", str(clients._CLIENT), "127.0.0.1", str(port), *load],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
            output, _ = process.communicate(timeout=30)
        *failures, totals = map(json.loads, output.splitlines())
        return failures, totals["totals"]

    @contextlib.contextmanager
    def answering(self, answer: Callable[[socket.socket], None]) -> Iterator[int]:
        """A server that treats each connection so; its port."""
        with socket.create_server(("127.0.0.1", 0), backlog=100) as listening:

            def serve() -> None:
                with contextlib.suppress(OSError):
                    while True:
                        connection, _ = listening.accept()
                        with connection:
                            connection.recv(1000)
                            answer(connection)

            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            yield listening.getsockname()[1]
            listening.shutdown(socket.SHUT_RDWR)
        thread.join(5)

    def test_connections_that_end_well_are_counted(self) -> None:
        port = free_port()
        server = subprocess.Popen([sys.executable, "-I", str(servers._PROGRAM), "w1", str(port)], stdout=subprocess.PIPE, text=True)
        with server:
            assert server.stdout is not None
            server.stdout.readline()
            failures, totals = self.run_client(port)
            server.kill()
        self.assertEqual([], failures)
        self.assertGreater(totals["short"], 10)
        self.assertGreaterEqual(totals["downloads"], 2)
        self.assertEqual(3, totals["silent"])
        self.assertGreater(totals["bytes"], 400 * totals["short"])

    def test_silent_connection_that_another_server_answers_is_a_failure(self) -> None:
        names = iter(range(1000))

        def answer(connection: socket.socket) -> None:
            for _ in range(2):
                name = f"w{next(names)}"
                connection.sendall(f"HTTP/1.1 200 OK\r\nServer: {name}\r\n\r\n".encode() + (f"{name} " * 200)[:400].encode())
                connection.recv(1000)

        with self.answering(answer) as port:
            failures, totals = self.run_client(port, 0.5, load=("0", "0", "1", "1"))
        self.assertEqual([("silent", "mixed")], [(each["kind"], each["outcome"]) for each in failures])
        self.assertEqual((0, 0), (totals["silent"], totals["short"]))

    def test_wrong_byte_reset_and_early_end_are_failures(self) -> None:
        head = b"HTTP/1.1 200 OK\r\nServer: w1\r\n\r\n"

        def reset(connection: socket.socket) -> None:
            connection.sendall(head)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        for outcome, answer in (
            ("corrupt", lambda connection: connection.sendall(head + (b"w1 " * 100 + b"w2 " * 100)[:400])),
            ("closed", lambda connection: connection.sendall(head + b"w1 ")),
            ("reset", reset),
        ):
            with self.subTest(outcome=outcome), self.answering(answer) as port:
                failures, totals = self.run_client(port, 0.5)
                self.assertEqual({outcome}, {each["outcome"] for each in failures if each["kind"] == "short"})
                self.assertEqual({"w1"}, {each["server"] for each in failures if each["server"]})
                self.assertEqual(0, totals["short"])

    def test_refused_connections_are_failures_without_a_server(self) -> None:
        failures, totals = self.run_client(free_port(), 0.5)
        self.assertEqual({("refused", None)}, {(each["outcome"], each["server"]) for each in failures})
        self.assertEqual({"short", "download", "silent"}, {each["kind"] for each in failures})
        self.assertEqual((0, 0), (totals["short"], totals["downloads"]))


class ProgramsTest(unittest.TestCase):
    def test_programs_that_hosts_run_exist(self) -> None:
        for program in (clients._CLIENT, servers._PROGRAM):
            self.assertTrue(Path(program).is_file(), program)
