from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable
from unittest import mock

_AGENTS = Path(__file__).parents[2] / "agents"
sys.path.insert(0, str(_AGENTS))  # as on the nodes, where nothing but this folder is

import link_agent  # noqa: E402
from measuring import throughput  # noqa: E402
from measuring.throughput import Bounds, Budget, Result, Server, ThroughputProbe, parse, run_program  # noqa: E402
from reporting import configuration  # noqa: E402
from reporting.configuration import AgentError, Configuration  # noqa: E402

KEY = "00112233445566778899aabbccddeeff"
BOUNDS = Bounds(seconds=2, max_mbps=80, hour_megabytes=100)


def settings(**more: Any) -> Configuration:
    fields = {"id": "n1", "key": KEY, "address": "10.0.0.5", "neighbours": ["10.0.0.9"], **more}
    return configuration.parse(fields, "link", link_agent.FIELDS)


def printed(mbps: float = 40.0, sent: float = 10e6, **more: Any) -> str:
    return json.dumps(
        {
            "start": {},
            "intervals": [],
            "end": {"sum_sent": {"bytes": sent, "bits_per_second": 1}, "sum_received": {"bits_per_second": mbps * 1e6}},
            **more,
        }
    )


class ParseTest(unittest.TestCase):
    def test_throughput_is_what_arrived_and_the_volume_includes_the_warm_up(self) -> None:
        self.assertEqual(Result(mbps=40.0, sent_bytes=15e6), parse(printed(), 2))

    def test_what_is_no_whole_result_is_refused(self) -> None:
        whole = json.loads(printed())
        for text in (
            "",
            "no JSON",
            "[]",
            "{}",
            '{"end": 3}',
            printed(mbps=0),
            printed(mbps=-1),
            printed(mbps=float("nan")),
            printed(sent=float("inf")),
            printed(error="unable to connect to server: Connection refused"),
            json.dumps({"end": {"sum_received": whole["end"]["sum_received"]}}),
            json.dumps({"end": {**whole["end"], "sum_received": {"bits_per_second": True}}}),
            json.dumps({"end": {**whole["end"], "sum_received": {"bits_per_second": "40"}}}),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(AgentError, "iperf3"):
                parse(text, 2)


class Iperf:
    """A runner that gives configured answers, and records its calls."""

    def __init__(self, *answers: str) -> None:
        self.commands: list[list[str]] = []
        self._answers = list(answers)

    def __call__(self, command: Sequence[str], _patience_s: float, _stop: threading.Event) -> str:
        self.commands.append(list(command))
        return self._answers.pop(0) if self._answers else printed()


class ThroughputProbeTest(unittest.TestCase):
    def probe(self, runner: Iperf, budget: Budget | None = None) -> ThroughputProbe:
        return ThroughputProbe("10.0.0.5", 5201, BOUNDS, runner, budget)

    def test_command_bounds_time_and_rate_and_names_both_ends(self) -> None:
        runner = Iperf()
        self.assertEqual(40.0, self.probe(runner).mbps("10.0.0.9", False, threading.Event()))
        self.probe(runner).mbps("10.0.0.9", True, threading.Event())
        up = ["iperf3", "-J", "-c", "10.0.0.9", "-B", "10.0.0.5", "-p", "5201", "-t", "2", "-O", "1", "-b", "80000000"]
        self.assertEqual([up, [*up, "-R"]], runner.commands)

    def test_neighbour_that_is_busy_is_asked_again(self) -> None:
        busy = json.dumps({"error": "error - the server is busy running a test. try again later"})
        runner = Iperf(busy, busy)
        with mock.patch.object(throughput, "_BUSY_WAIT_S", 0):
            self.assertEqual(40.0, self.probe(runner).mbps("10.0.0.9", False, threading.Event()))
            with self.assertRaisesRegex(AgentError, "busy"):
                self.probe(Iperf(*[busy] * 5)).mbps("10.0.0.9", False, threading.Event())
        self.assertEqual(3, len(runner.commands))

    def test_volume_of_an_hour_is_bounded(self) -> None:
        now = [0.0]
        runner = Iperf(*[printed(sent=20e6)] * 9)
        probe = self.probe(runner, Budget(100e6, lambda: now[0]))
        for _ in range(3):  # 30 MB each; a fourth probe could send up to 30 MB more
            probe.mbps("10.0.0.9", False, threading.Event())
        with self.assertRaisesRegex(AgentError, "hour_megabytes"):
            probe.mbps("10.0.0.9", False, threading.Event())
        now[0] = 3600.0
        probe.mbps("10.0.0.9", False, threading.Event())
        self.assertEqual(4, len(runner.commands))

    def test_probe_that_failed_counts_as_if_it_had_sent_all(self) -> None:
        budget = Budget(100e6, lambda: 0.0)
        with self.assertRaises(AgentError):
            self.probe(Iperf("{}"), budget).mbps("10.0.0.9", False, threading.Event())
        self.assertTrue(budget.allows(70e6))
        self.assertFalse(budget.allows(70.1e6))


class RunProgramTest(unittest.TestCase):
    def test_output_is_what_the_program_prints(self) -> None:
        self.assertEqual("7\n", run_program([sys.executable, "-c", "print(7)"], 20, threading.Event()))

    def test_program_that_takes_too_long_is_ended(self) -> None:
        with self.assertRaisesRegex(AgentError, "did not end"):
            run_program(["sleep", "60"], 0, threading.Event())

    def test_stop_ends_the_program(self) -> None:
        stop = threading.Event()
        stop.set()
        with self.assertRaisesRegex(AgentError, "stopped"):
            run_program(["sleep", "60"], 60, stop)

    def test_program_that_is_not_there_is_named(self) -> None:
        with self.assertRaisesRegex(AgentError, "no-such-program"):
            run_program(["no-such-program"], 1, threading.Event())


class LinkProbeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.said: list[str] = []
        patch = mock.patch.object(link_agent, "say", self.said.append)
        patch.start()
        self.addCleanup(patch.stop)

    def probe(self, runner: Iperf, *others: str) -> link_agent.LinkProbe:
        return link_agent.LinkProbe(settings(neighbours=list(others)), ThroughputProbe("10.0.0.5", 5201, BOUNDS, runner, Budget(1e9)))

    def test_both_directions_of_each_link_are_measured_in_turn(self) -> None:
        runner = Iperf(printed(10), printed(20), printed(30), printed(40))
        self.assertEqual(
            {
                "links": [
                    {"neighbour": "10.0.0.9", "up_mbps": 10.0, "down_mbps": 20.0},
                    {"neighbour": "10.0.0.10", "up_mbps": 30.0, "down_mbps": 40.0},
                ]
            },
            self.probe(runner, "10.0.0.10", "10.0.0.9").measure(threading.Event()),
        )
        self.assertEqual(
            [("10.0.0.9", False), ("10.0.0.9", True), ("10.0.0.10", False), ("10.0.0.10", True)],
            [(command[3], "-R" in command) for command in runner.commands],
        )

    def test_neighbours_with_smaller_addresses_are_left_to_measure(self) -> None:
        runner = Iperf()
        with self.assertRaisesRegex(AgentError, "nothing to measure"):
            self.probe(runner, "10.0.0.4", "9.255.255.255").measure(threading.Event())
        self.assertEqual([], runner.commands)

    def test_direction_that_failed_is_left_out_and_told_once(self) -> None:
        runner = Iperf("{}", printed(20), "{}", printed(20))
        probe = self.probe(runner, "10.0.0.9")
        for _ in range(2):
            self.assertEqual({"links": [{"neighbour": "10.0.0.9", "down_mbps": 20.0}]}, probe.measure(threading.Event()))
        self.assertEqual(["10.0.0.9, up_mbps: iperf3: end.sum_received.bits_per_second is None"], self.said)

    def test_link_that_failed_is_left_out_and_without_any_there_is_no_report(self) -> None:
        probe = self.probe(Iperf("", "", printed(30), printed(40), "", "", "", ""), "10.0.0.9", "10.0.0.10")
        self.assertEqual({"links": [{"neighbour": "10.0.0.10", "up_mbps": 30.0, "down_mbps": 40.0}]}, probe.measure(threading.Event()))
        with self.assertRaisesRegex(AgentError, "no link"):
            probe.measure(threading.Event())


class ConfigurationTest(unittest.TestCase):
    def test_defaults_of_link_agents(self) -> None:
        self.assertEqual((120, "udp://192.168.9.29:9876"), (settings().interval_s, settings().controller))

    def test_each_error_names_its_field(self) -> None:
        for field, value in (
            ("neighbours", []),
            ("neighbours", "10.0.0.9"),
            ("neighbours", ["10.0.0"]),
            ("neighbours", [7]),
            ("neighbours", ["10.0.0.5"]),
            ("neighbours", ["10.0.0.9", "2001:db8::9"]),
            ("neighbours", [f"10.0.1.{i}" for i in range(33)]),
            ("address", ""),
            ("port", 0),
            ("port", 5201.5),
            ("probe_s", 0),
            ("probe_s", 31),
            ("max_mbps", 0),
            ("hour_megabytes", 0),
            ("hour_megabytes", 5),
            ("speed", 1),
        ):
            with self.subTest(field=field, value=value), self.assertRaisesRegex(AgentError, field):
                with mock.patch.object(Server, "start", lambda self: self.fail("not to be started")):
                    link_agent.make(settings(**{field: value}))


class ServerTest(unittest.TestCase):
    """A program in the place of iperf3, which says when it starts."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.starts = Path(directory.name) / "starts"
        self.program = Path(directory.name) / "iperf3"
        self.said: list[str] = []

    def server(self, then: str) -> Server:
        self.program.write_text(f'#!/bin/sh\necho "$$ $*" >> {self.starts}\n{then}\n')
        self.program.chmod(0o755)
        with mock.patch.object(throughput, "PROGRAM", str(self.program)):
            server = Server("10.0.0.5", 5201, self.said.append, again_s=0.05)
        server.start()
        self.addCleanup(server.close)
        return server

    def wait(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 10
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def lines(self) -> list[str]:
        return self.starts.read_text().splitlines() if self.starts.exists() else []

    def test_server_that_ends_is_started_again_and_that_is_told_once(self) -> None:
        self.server("echo cannot bind >&2; exit 1")
        self.wait(lambda: len(self.lines()) >= 3)
        self.assertEqual("-s -B 10.0.0.5 -p 5201", self.lines()[0].partition(" ")[2])
        self.assertEqual(["the iperf3 server ended and was restarted: cannot bind"], self.said)

    def test_server_ends_with_the_agent(self) -> None:
        server = self.server("exec sleep 60")
        self.wait(lambda: len(self.lines()) == 1)
        pid = int(self.lines()[0].split()[0])
        server.close()
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)
        self.assertEqual([], self.said)


class ProgramTest(unittest.TestCase):
    """The agent as it is started on a node, with a program in the place of iperf3."""

    def start(self, *options: str) -> subprocess.Popen[str]:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.pids = Path(directory.name) / "pids"
        iperf = Path(directory.name) / "iperf3"
        iperf.write_text(
            textwrap.dedent(f"""\
            #!/bin/sh
            [ "$1" = -s ] && echo $$ >> {self.pids} && exec sleep 60
            echo '{printed()}'
            """)
        )
        iperf.chmod(0o755)
        config = Path(directory.name) / "link-agent.json"
        config.write_text(json.dumps({"id": "n1", "key": KEY, "address": "127.0.0.1", "neighbours": ["127.0.0.2"]}))
        return subprocess.Popen(
            [sys.executable, "-I", str(_AGENTS / "link_agent.py"), "--config", str(config), *options],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PATH": f"{directory.name}:{os.environ['PATH']}"},
        )

    def test_dry_run_prints_one_report(self) -> None:
        agent = self.start("--once", "--dry-run")
        head, _, body = agent.communicate(timeout=20)[0].partition("\n")
        self.assertEqual(0, agent.returncode)
        self.assertRegex(head, "malob-report 1 n1 [0-9a-f]{64}")
        self.assertEqual([{"neighbour": "127.0.0.2", "up_mbps": 40.0, "down_mbps": 40.0}], json.loads(body)["links"])

    def test_sigterm_ends_the_agent_and_its_server(self) -> None:
        agent = self.start("--dry-run")
        deadline = time.monotonic() + 60
        while not (self.pids.exists() and self.pids.read_text().strip()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        agent.send_signal(signal.SIGTERM)
        agent.communicate(timeout=60)
        self.assertEqual(0, agent.returncode)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(self.pids.read_text()), 0)


if __name__ == "__main__":
    unittest.main()
