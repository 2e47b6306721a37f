"""`lab run endhost-capacity`: the evaluation and report of a series of readings, and its programs on loopback."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from research.experiments.endhost import capacity
from research.experiments.endhost.capacity import GROUPS, LOADS, Case, Outcome, Reading, Results, cases, outcome
from research.experiments.frame.summary import Summary

PROGRAMS = Path(capacity.__file__).parents[1] / "programs"


def reading(at_s: float, capacity_mbps: float | None, alive: bool = True) -> Reading:
    return Reading(at_s, alive, capacity_mbps)


class OutcomeTest(unittest.TestCase):
    def test_first_estimate_counts_from_when_the_uplink_was_alive(self) -> None:
        some = [reading(1, None, False), reading(2, None), reading(4.5, 10), reading(5, 10)]
        self.assertEqual(2.5, outcome(10, some, 100, None).first_s)

    def test_what_is_told_later_is_near_wrong_or_unknown(self) -> None:
        some = [reading(0, None), reading(1, 10.9), reading(2, 9.1), reading(3, 11.2), reading(4, None)]
        found = outcome(10, some, 100, 0.01)
        self.assertEqual((0.5, 0.25, 0.01), (found.near, found.unknown, found.probes))

    def test_an_uplink_that_is_never_told_has_no_first_estimate(self) -> None:
        found = outcome(50, [reading(0, None), reading(1, None)], 100, None)
        self.assertEqual((None, None, None), (found.first_s, found.near, found.unknown))

    def test_a_drop_is_seen_when_the_uplink_is_dead_or_carries_nothing(self) -> None:
        before = [reading(0, 10)]
        self.assertEqual(1.5, outcome(10, [*before, reading(10.5, 10), reading(11.5, None, False)], 10, None).cut_s)
        self.assertEqual(2, outcome(10, [*before, reading(10.5, None), reading(12, 0.0)], 10, None).cut_s)
        self.assertIsNone(outcome(10, [*before, reading(14, 10)], 10, None).cut_s)

    def test_what_is_told_after_the_drop_is_not_judged(self) -> None:
        self.assertEqual(1, outcome(10, [reading(0, 10), reading(11, 3)], 10, None).near)


class CasesTest(unittest.TestCase):
    def test_all_rates_are_measured_under_all_loads(self) -> None:
        places = {(case.load, rate) for case in cases(LOADS) for rate in case.rates_mbps}
        self.assertEqual({(load, rate) for load in LOADS for rate in (1, 2, 5, 10, 20, 50)}, places)

    def test_uplinks_change_rates_from_round_to_round_by_the_seed(self) -> None:
        case = Case("idle", GROUPS[0])
        orders = [tuple(case.in_round(number, 1)) for number in range(20)]
        self.assertEqual(orders, [tuple(case.in_round(number, 1)) for number in range(20)])
        self.assertGreater(len(set(orders)), 3)
        self.assertEqual({tuple(sorted(GROUPS[0]))}, {tuple(sorted(order)) for order in orders})


class ReportTest(unittest.TestCase):
    def test_checks_take_the_worst_run_and_the_mean_share(self) -> None:
        some = [Outcome(10, 2, 1, 0, 0.005, 1), Outcome(10, 4, 0.9, 0, 0.011, 1.5)]
        summed = Summary("endhost-capacity", {}, {})
        capacity.summarise(summed, Results({Case("udp", (10.0,)): some}))
        found = {check.name: (round(check.value or 0, 4), check.holds) for check in summed.checks}
        self.assertEqual(
            {
                "udp.10 first estimate, s": (4, True),
                "udp.10 not near": (0.05, True),
                "udp.10 echoes": (0.011, False),
                "udp.10 drop to zero, s": (1.5, True),
            },
            found,
        )
        self.assertEqual((3, 0.95), (summed.value("first_s.udp.10"), summed.value("near.udp.10")))

    def test_a_run_without_an_estimate_is_not_passed_over(self) -> None:
        some = [Outcome(50, 2, 1, 0, None, 1), Outcome(50, None, None, None, None, 1)]
        results = Results({Case("tcp", (50.0,)): some})
        summed = Summary("endhost-capacity", {}, {})
        capacity.summarise(summed, results)
        self.assertEqual(0.5, summed.value("told.tcp.50"))
        self.assertIsNone(next(check for check in summed.checks if "first" in check.name).holds)
        self.assertEqual(["tcp", "50", "2", "1"], capacity.table(results).rows()[0][:4])


class _Status(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps(
            {
                "uplinks": [
                    {"name": "eth0", "alive": True, "capacity_bps": 5, "capacity_source": "probes"},
                    {"name": "eth1", "alive": True, "capacity_bps": 9, "capacity_source": "assumed"},
                ]
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class ProgramsTest(unittest.TestCase):
    def start(self, program: str, *words: str) -> subprocess.Popen[str]:
        started = subprocess.Popen([sys.executable, "-I", str(PROGRAMS / program), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(started.communicate)
        self.addCleanup(started.kill)
        return started

    def test_watch_tells_what_was_answered(self) -> None:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Status)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        watch = self.start("uplink_watch.py")
        assert watch.stdin is not None and watch.stdout is not None
        watch.stdin.write(json.dumps({"port": server.server_port, "pause_s": 0.05}) + "\n")
        watch.stdin.flush()
        self.assertEqual("ready", json.loads(watch.stdout.readline()))
        now = time.monotonic()
        watch.stdin.write(json.dumps({"begin": now, "end": now + 0.5}) + "\n")
        watch.stdin.flush()
        readings = json.loads(watch.stdout.readline())
        self.assertGreaterEqual(readings[0][0], now)
        self.assertEqual({"eth0": [True, 5], "eth1": [True, None]}, readings[-1][1])

    def test_watch_passes_over_the_time_in_which_nobody_answers(self) -> None:
        watch = self.start("uplink_watch.py")
        now = time.monotonic()
        words, _ = watch.communicate(
            json.dumps({"port": 1, "pause_s": 0.05}) + "\n" + json.dumps({"begin": now, "end": now + 0.2}) + "\n", timeout=30
        )
        self.assertEqual([], json.loads(words.splitlines()[1]))

    def test_load_comes_as_full_datagrams(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taking:
            taking.bind(("127.0.0.1", 0))
            taking.settimeout(20)
            self.start("half_load.py", "udp", str(taking.getsockname()[1]), "127.0.0.1=5")
            self.assertEqual({1472}, {len(taking.recv(2000)) for _ in range(5)})

    def test_load_comes_over_a_connection(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            listening.settimeout(20)
            self.start("half_load.py", "tcp", str(listening.getsockname()[1]), "127.0.0.1=5")
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(20)
                count = 0
                while count < 30_000:
                    count += len(connection.recv(65_536))

    def test_load_is_taken_by_both_protocols(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.start("half_load.py", "take", str(port))
        deadline = time.monotonic() + 20
        while True:
            try:
                with socket.create_connection(("127.0.0.1", port), 5) as connection:
                    connection.sendall(bytes(3_000_000))
                    break
            except ConnectionRefusedError:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.connect(("127.0.0.1", port))
            sender.send(b"x")
            time.sleep(0.05)
            sender.send(b"x")  # raises ConnectionRefusedError if no socket is there


if __name__ == "__main__":
    unittest.main()
