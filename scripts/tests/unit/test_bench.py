"""`bench`: reading the output of processes and programs, and its evaluation."""

from __future__ import annotations

import contextlib
import io
import os
import re
import threading
import time
import unittest
from pathlib import Path
from typing import Any

from malob.errors import ScriptError, UsageError
from research.bench import endhost, readings, usage
from research.bench.endhost_ways import MALOB, NONE, OSKEN
from research.bench.open_vswitch import figures
from research.bench.open_vswitch.cases import CASES, LABELS, OVN, PLAIN, REACTIVE, SERVICES, TRACKED, order
from research.bench.open_vswitch.figures import Pair, Round
from research.bench.open_vswitch.run import OpenVSwitchCommand
from research.bench.readings import figure
from research.bench.repeating import repeating

_STAT = "123 (a) b (c) S 1 123 123 0 -1 4194560 500 0 0 0 150 25 7 9 20 0 12 0 1000 90000 4000 18446744073709551615"


class UsageTest(unittest.TestCase):
    def test_processor_time_is_that_of_user_and_kernel_whatever_the_program_is_called(self) -> None:
        self.assertEqual(1.75, usage.cpu_seconds_in(_STAT, 100))

    def test_memory_is_what_is_resident_in_millions_of_bytes(self) -> None:
        self.assertEqual(102.4, usage.resident_mb_in("Name:\tjava\nVmHWM:\t  200000 kB\nVmRSS:\t  100000 kB\nThreads:\t9\n"))

    def test_memory_of_a_process_that_ends_is_an_error(self) -> None:
        with self.assertRaisesRegex(ScriptError, "has ended"):
            usage.resident_mb_in("Name:\tjava\nState:\tZ (zombie)\n")

    def test_this_process_has_memory_and_processor_time(self) -> None:
        self.assertGreater(usage.resident_mb(os.getpid()), 1)
        self.assertGreater(usage.cpu_seconds(os.getpid()), 0)

    def test_a_process_that_is_gone_is_an_error_with_its_number(self) -> None:
        with self.assertRaisesRegex(ScriptError, "4194305"):
            # more than the kernel gives away
            usage.cpu_seconds(4194305)


class ThreadUsageTest(unittest.TestCase):
    def test_only_threads_of_that_name_count(self) -> None:
        name = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/comm").read_text().strip()
        while usage.thread_cpu_seconds(os.getpid(), name) == 0:
            sum(range(10_000))
        self.assertEqual(0, usage.thread_cpu_seconds(os.getpid(), "no such thread"))


class SwitchCountersTest(unittest.TestCase):
    COVERAGE = """Event coverage, avg rate over last: 5 seconds, last minute, last hour,  hash=1fe2ab38:
rconn_sent                 0.0/sec     0.017/sec        0.0003/sec   total: 24
xlate_actions            120.2/sec     7.000/sec        1.2000/sec   total: 585000
88 events never hit
"""
    DATAPATHS = """netdev@ovs-netdev:
  lookups: hit:800 missed:30 lost:0
  flows: 12
system@ovs-system:
  lookups: hit:10 missed:4 lost:0
"""

    def test_counts_are_those_of_all_datapaths_and_an_event_that_has_not_happened_counts_zero(self) -> None:
        counts = readings.counts_in(self.COVERAGE, self.DATAPATHS)
        self.assertEqual({"to_controller": 24, "from_controller": 0, "upcalls": 34, "translations": 585_000}, counts)

    def test_flows_are_those_of_all_datapaths(self) -> None:
        self.assertEqual(12 + 3, readings.flows_in(self.DATAPATHS + "  flows: 3\n"))

    def test_what_happened_before_does_not_count(self) -> None:
        before = {"to_controller": 10, "from_controller": 20, "upcalls": 5, "translations": 1}
        after = {"to_controller": 30, "from_controller": 50, "upcalls": 40, "translations": 101}
        self.assertEqual({"to_controller": 2, "from_controller": 3, "upcalls": 3.5, "translations": 10}, readings.per_connection(before, after, 10))


class FigureTest(unittest.TestCase):
    def test_number_that_a_program_said_is_found(self) -> None:
        self.assertEqual(612.5, figure("Failed requests: 0\nRequests per second:    612.5 [#/sec]", r"Requests per second:\s+([\d.]+)"))

    def test_number_that_a_program_did_not_say_is_an_error_with_its_words(self) -> None:
        with self.assertRaisesRegex(ScriptError, "timed out"):
            figure("apr_poll: timed out", r"Requests per second:\s+([\d.]+)")


def ab(per_second: float, packet_ins: int = 0, failed: int = 0, connect_us: int = 200, flows: int = 70) -> Round:
    return Round(per_second, failed, {"vswitchd": 0.5}, dict.fromkeys(readings.COUNTERS, 2.0), packet_ins, flows, [connect_us])


class OpenVSwitchTest(unittest.TestCase):
    METRICS = """# TYPE malob_packet_ins_total counter
malob_packet_ins_total{outcome="placed"} 12
malob_packet_ins_total{outcome="forwarded"} 3.0
malob_packet_in_drops_total{class="SYN"} 100
"""

    def figures(self) -> dict[str, Any]:
        pairs = {
            REACTIVE: [Pair(ab(9000), ab(1800, 2400)), Pair(ab(10_000), ab(2500, 2400)), Pair(ab(4000), ab(2000, 2500, 1, 600, 9000))],
            # the machine became slower within the run: the medians alone would give 50 %
            TRACKED: [Pair(ab(10_000), ab(9000)), Pair(ab(5000), ab(4500)), Pair(ab(5000), ab(4000))],
        }
        return figures.figures(pairs, 1000)

    def test_each_round_begins_with_the_next_case(self) -> None:
        names = [REACTIVE, TRACKED, OVN]
        self.assertEqual(
            [[REACTIVE, TRACKED, OVN], [TRACKED, OVN, REACTIVE], [OVN, REACTIVE, TRACKED], names], [order(names, number) for number in range(4)]
        )

    def test_members_of_a_vip_have_ports_of_their_own(self) -> None:
        self.assertEqual(len(SERVICES), len({service.port for service in SERVICES.values()}))
        self.assertEqual(len(SERVICES), len({service.address for service in SERVICES.values()}))

    def test_every_case_has_a_label(self) -> None:
        self.assertEqual({PLAIN, *CASES.values()}, set(LABELS))
        self.assertEqual({*SERVICES, OVN}, set(CASES.values()))

    def test_ratios_are_medians_of_those_within_pairs(self) -> None:
        found = self.figures()
        self.assertEqual((0.9, 0.8, 0.9), tuple(found[TRACKED][f"connections_per_s_ratio{name}"] for name in ("", "_min", "_max")))
        self.assertEqual((0.25, 0.2, 0.5), tuple(found[REACTIVE][f"connections_per_s_ratio{name}"] for name in ("", "_min", "_max")))
        self.assertNotIn("connections_per_s_ratio", found[PLAIN])
        self.assertEqual([[10_000, 9000], [5000, 4500], [5000, 4000]], found[TRACKED]["pairs"])

    def test_figures_are_medians_of_all_rounds_and_failures_are_added(self) -> None:
        found = self.figures()
        self.assertEqual((7000, 4000, 10_000), tuple(found[PLAIN][f"connections_per_s{name}"] for name in ("", "_min", "_max")))
        self.assertEqual((2400, 1, 70), tuple(found[REACTIVE][name] for name in ("packet_ins_per_1000", "failed", "datapath_flows")))
        self.assertEqual(500, found[PLAIN]["cpu_us_per_connection"]["vswitchd"])

    def test_time_of_connect_is_compared_within_pairs(self) -> None:
        pairs = {TRACKED: [Pair(ab(1, connect_us=100), ab(1, connect_us=300)), Pair(ab(1, connect_us=900), ab(1, connect_us=1100))]}
        found = figures.figures(pairs, 1)[TRACKED]
        self.assertAlmostEqual(0.2, found["connect_median_more_ms"])
        self.assertAlmostEqual((3 + 11 / 9) / 2, found["connect_median_ms_ratio"])

    def test_packet_ins_of_all_outcomes_count_and_dropped_ones_do_not(self) -> None:
        self.assertEqual(15, readings.packet_ins_in(self.METRICS))
        self.assertEqual(0, readings.packet_ins_in(""))

    def test_tables_have_a_row_for_each_measured_case(self) -> None:
        command = OpenVSwitchCommand()
        found = {**self.figures(), "load_before": 0.5}
        self.assertEqual(
            ["plain", "reactive", "tracked"] * 2, [line.split()[0] for line in command.lines(found) if re.match("plain|reactive|tracked", line)]
        )
        self.assertFalse(command.holds(found), "a request has failed")
        self.assertTrue(command.holds({TRACKED: found[TRACKED]}))

    def test_cases_may_be_chosen(self) -> None:
        options = OpenVSwitchCommand().options(["--case", "tracked", "--case", "ovn"])
        self.assertEqual(["tracked", "ovn"], options.case)
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            OpenVSwitchCommand().options(["--case", "plain"])


class RepeatingTest(unittest.TestCase):
    def test_work_is_done_until_the_end_and_not_after(self) -> None:
        done: list[float] = []
        with repeating(lambda: done.append(time.monotonic()), 0.01):
            time.sleep(0.2)
        count = len(done)
        self.assertGreater(count, 2)
        time.sleep(0.05)
        self.assertEqual(count, len(done))

    def test_error_is_raised_at_the_end(self) -> None:
        def fail() -> None:
            raise ScriptError("no weight")

        with self.assertRaisesRegex(ScriptError, "no weight"), repeating(fail, 0.01):
            pass


def one_round(connect_ms: float, failed: int = 0, **others: float) -> dict[str, float]:
    return {"connect_median_ms": connect_ms, "failed": failed, **others}


class EndhostFiguresTest(unittest.TestCase):
    def test_figures_are_medians_over_rounds_and_failures_are_added(self) -> None:
        found = endhost.figures({MALOB: [one_round(1.5, 2, rss_load_mb=90), one_round(1.0, 0, rss_load_mb=130), one_round(9.0, 1, rss_load_mb=91)]})
        self.assertEqual({"connect_median_ms": 1.5, "failed": 3, "rss_load_mb": 91}, found[MALOB])

    def test_delay_of_first_packets_is_against_no_switch_in_the_same_round(self) -> None:
        found = endhost.figures({MALOB: [one_round(2.0), one_round(9.0), one_round(3.0)], NONE: [one_round(0.5), one_round(8.0), one_round(0.25)]})
        # 1.5, 1 and 2.75; the medians alone differ by 2.5
        self.assertEqual(1.5, found[MALOB]["first_packet_ms"])
        self.assertNotIn("first_packet_ms", found[NONE])

    def test_delay_is_not_told_where_none_was_not_measured(self) -> None:
        self.assertNotIn("first_packet_ms", endhost.figures({MALOB: [one_round(2.0)]})[MALOB])

    def test_limits_hold_as_they_are_promised(self) -> None:
        at_limit = {"rss_load_mb": 120.0, "idle_cpu_percent": 0.5, "start_s": 2.0, "first_packet_ms": 2.0}
        self.assertEqual(
            {"rss_load_mb": True, "idle_cpu_percent": False, "start_s": False, "first_packet_ms": True},
            {check["figure"]: check["holds"] for check in endhost.checks({MALOB: at_limit})},
        )

    def test_only_malob_is_held_to_targets_and_to_those_that_were_measured(self) -> None:
        found = {OSKEN: {"rss_load_mb": 500.0, "start_s": 9.0}, MALOB: {"start_s": 1.5}}
        self.assertEqual(["holds   started below 2 s: 1.50"], endhost.verdicts(endhost.checks(found)))
        self.assertEqual(["missed  started below 2 s: 2.50"], endhost.verdicts(endhost.checks({MALOB: {"start_s": 2.5}})))
        self.assertEqual([], endhost.checks({OSKEN: found[OSKEN]}))

    def test_table_has_a_line_for_what_was_measured_of_any_way(self) -> None:
        self.assertEqual(
            [["started, s", "1.50", "-"], ["new flows per second", "600", "3000"]],
            endhost.rows({MALOB: {"start_s": 1.5, "flows_per_s": 600.2}, NONE: {"flows_per_s": 3000.0}}),
        )


class EndhostCommandTest(unittest.TestCase):
    def test_wrong_options_are_refused_by_name(self) -> None:
        for words, name in ((["--only", "ryu"], "--only"), (["--requests", "5", "--parallel", "6"], "--parallel")):
            with self.subTest(words=words), self.assertRaisesRegex(UsageError, name):
                endhost.EndhostCommand().main(words)
        for words in (["--rounds", "0"], ["--seconds", "0"], ["--settle", "x"]):
            with self.subTest(words=words), contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertRaises(SystemExit, endhost.EndhostCommand().main, words)
                self.assertIn(words[0], said.getvalue())


if __name__ == "__main__":
    unittest.main()
