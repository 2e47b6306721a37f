"""The thesis's experiments: their parts, arguments and programs."""

from __future__ import annotations

import argparse
import contextlib
import http.server
import io
import json
import subprocess
import sys
import tempfile
import threading
import types
import unittest
from pathlib import Path
from typing import Any

from malob.errors import UsageError
from malob.network import topology
from malob.system.ports import free_port, port_is_free
from malob.system.waiting import wait_until
from research.experiments import __main__ as experiments
from research.experiments.frame import arguments, report
from research.experiments.frame.report import Row
from research.experiments.frame.samples import Record, Sample, SliceResult
from research.experiments.frame.summary import Summary
from research.experiments.site import clients, cpulimits, rest_state
from research.experiments.site.cpulimits import Hierarchy, KernelCpuLimits
from research.experiments.site.site import second_address
from research.experiments.thesis import antagonist, experiment
from research.experiments.thesis import scenario as thesis
from research.experiments.thesis.scenario import Scenario
from research.experiments.workloads import Compute, Http, Work

_PROGRAMS = Path(clients.__file__).parents[1] / "programs"
_WITH_FTP = ("thesis-ftp", "thesis-discussion", "thesis-mix", "thesis-herding")
_MODULES = {module.NAME: module for module in experiments._THESIS}


def parsed(name: str, *words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    _MODULES[name].add_arguments(parser)
    return parser.parse_args(list(words))


def scenario(name: str, *words: str) -> Scenario:
    made: Scenario = _MODULES[name].scenario(parsed(name, *words))
    return made


class ScenarioTest(unittest.TestCase):
    def test_all_combinations_of_table_4_1_are_compared(self) -> None:
        self.assertEqual(11, len(thesis.PAPER))
        for name in ("thesis-http", "thesis-ftp", "thesis-bio"):
            with self.subTest(name=name):
                self.assertEqual([*thesis.PAPER, "PCT", "PREQUAL"], [case.key for case in scenario(name).cases])

    def test_only_keeps_the_order_of_the_table(self) -> None:
        made = scenario("thesis-http", "--only", "SL-PS,RR+SPH")
        self.assertEqual(["RR+SPH", "SL-PS"], [case.key for case in made.cases])
        self.assertEqual([{"http": "RR+SPH"}, {"http": "SL-PS"}], [case.algorithms for case in made.cases])

    def test_rows_want_what_four_clients_make(self) -> None:
        made = scenario("thesis-http", "--only", "RR+SPH", "--requests", "7", "--rounds", "3")
        self.assertEqual([84], [row.wanted for row in made.rows])
        self.assertEqual([7], [load.requests for case in made.cases for load in case.loads])

    def test_files_shrink_with_the_links(self) -> None:
        made = scenario("thesis-ftp", "--scale", "0.25", "--sizes", "100,40", "--only", "HT-PS")
        self.assertEqual(["HT-PS", "HT-PS@40MB"], [case.key for case in made.cases])
        self.assertEqual([25_000_000, 10_000_000], made.parameters["file_bytes"])
        self.assertEqual([(18.0, 18.0), None], [row.paper for row in made.rows], "the paper's files have 100 MB")

    def test_times_that_grow_with_the_size_scale_by_one(self) -> None:
        made = scenario("thesis-ftp", "--sizes", "100,50", "--only", "RR+SPH,HT-PS")
        summary = Summary("x", {}, {})
        for key, value in (("RR+SPH", 40), ("RR+SPH@50MB", 20), ("HT-PS", 20), ("HT-PS@50MB", 16)):
            summary.metric(f"median_s.{key}", value, "s")
        checks = made.checks(summary)
        self.assertEqual([1.0, 0.625], [summary.value("scaling.RR+SPH"), summary.value("scaling.HT-PS")])
        self.assertEqual([(0.5, True)], [(check.value, check.holds) for check in checks])

    def test_computations_take_so_long_alone(self) -> None:
        made = scenario("thesis-bio", "--alone", "7", "--processor", "0.1")
        self.assertAlmostEqual(0.7, made.parameters["cpu_s_per_request"])
        self.assertAlmostEqual(0.2, made.paper_factor)
        self.assertEqual({"server-1": 4, "server-2": 1, "server-3": 1}, made.setup.processors)

    def test_clients_may_have_several_computations_at_a_time(self) -> None:
        one = scenario("thesis-bio", "--at-once", "1", "--requests", "3", "--rounds", "5", "--only", "RR+SPH")
        self.assertEqual([4 * 3 * 5], [row.wanted for row in one.rows])
        made = scenario("thesis-bio", "--requests", "3", "--rounds", "5", "--only", "RR+SPH")
        self.assertEqual([2], [load.at_once for load in made.cases[0].loads])
        self.assertEqual([4 * 2 * 3 * 5], [row.wanted for row in made.rows])
        site = types.SimpleNamespace(lab=types.SimpleNamespace(topology=topology.load("geni-wan")), setup=made.setup)
        clients = experiment._clients(site, made.cases[0])  # type: ignore[arg-type]
        self.assertEqual(["client-1", "client-1.2", "client-2", "client-2.2"], [client.name for client in clients[:4]])
        self.assertEqual(8, len(clients))

    def test_discussion_compares_both_kinds_on_two_servers(self) -> None:
        made = scenario("thesis-discussion", "--only", "SL-PS,HT-PS")
        self.assertEqual(["SL-PS.http", "HT-PS.http", "SL-PS.ftp", "HT-PS.ftp"], [case.key for case in made.cases])
        self.assertEqual(["server-1", "server-2"], list(made.setup.processors))
        for words, apart in ((["--quick"], True), (["--one-connection"], False)):
            options = scenario("thesis-discussion", *words).cases[0].loads[0].workload.client_options()
            self.assertEqual(apart, "--connection-per-page" in options)
        self.assertNotIn("--connection-per-page", scenario("thesis-http").cases[0].loads[0].workload.client_options())
        summary = Summary("x", {}, {})
        for key, value in (("SL-PS.http", 1), ("HT-PS.http", 2), ("SL-PS.ftp", 3), ("HT-PS.ftp", 4)):
            summary.metric(f"median_s.{key}", value, "s")
        self.assertEqual([True, False], [check.holds for check in made.checks(summary)])

    def test_mix_has_all_services_at_once(self) -> None:
        made = scenario("thesis-mix", "--only", "PCT,by-service")
        self.assertEqual({"http": "PCT", "ftp": "PCT", "compute": "PCT"}, made.cases[0].algorithms)
        self.assertEqual({"http": "SL-PS", "ftp": "HT-PS", "compute": "CPU+SPL"}, made.cases[1].algorithms)
        self.assertEqual(3, len(made.cases[0].loads))

    def test_herding_has_a_controller_for_each_interval_and_way(self) -> None:
        made = scenario("thesis-herding", "--intervals", "15,1")
        self.assertEqual(["HT-PS.counted.1s", "HT-PS.greedy.1s", "HT-PS.counted.15s", "HT-PS.greedy.15s"], [case.key for case in made.cases])
        monitor = "io.malob.monitor.MonitorModule"
        self.assertEqual(
            {
                f"{monitor}.portStatisticsMillis": "15000",
                f"{monitor}.portStatisticsLifeSeconds": "45",
                "io.malob.balancer.BalancerModule.countPlaced": "false",
            },
            made.cases[3].properties,
        )
        self.assertNotIn("io.malob.balancer.BalancerModule.countPlaced", made.cases[2].properties)
        self.assertTrue(made.setup.second_addresses)
        self.assertEqual([1, 5, 15], scenario("thesis-herding").parameters["intervals_s"])
        self.assertEqual([5], scenario("thesis-herding", "--quick").parameters["intervals_s"])

    def test_herding_takes_several_intervals(self) -> None:
        """files of 30 MB take 9 s: seven of them take four intervals of 15 s, in which all but the first see loads"""

        def requests(*options: str) -> int:
            return int(scenario("thesis-herding", *options).parameters["requests_per_client_and_round"])

        self.assertEqual(7, requests("--quick", "--intervals", "1,15"))
        self.assertEqual(3, requests("--quick"))
        self.assertEqual(4, requests())
        self.assertEqual(2, requests("--quick", "--intervals", "15", "--requests", "2"))

    def test_settings_are_the_controllers_own(self) -> None:
        """each property is read by a module: a typo would have no effect"""
        source = Path(__file__).parents[3] / "src" / "main"
        known = (source / "resources" / "floodlightdefault.properties").read_text()
        for case in scenario("thesis-herding").cases:
            for key in set(case.properties) - {"io.malob.balancer.BalancerModule.countPlaced"}:
                self.assertIn(f"\n#{key}=", known)

    def test_algorithms_that_are_missing_are_left_out(self) -> None:
        made = scenario("thesis-http").without({"PCT", "SL-PS"})
        self.assertEqual(11, len(made.cases))
        self.assertEqual([case.key for case in made.cases], [row.key for row in made.rows])

    def test_placement_is_that_of_the_option_where_the_vip_can_have_one_port(self) -> None:
        for name in set(_MODULES) - set(_WITH_FTP):
            with self.subTest(name=name):
                self.assertEqual("reactive", scenario(name).setup.placement)
                self.assertEqual("proactive", scenario(name, "--placement", "proactive").setup.placement)
        self.assertEqual(6789, scenario("thesis-bio", "--placement", "auto").setup.workloads[0].port, "the port of the VIP")

    def test_long_flows_stay_as_in_the_thesis_unless_told(self) -> None:
        moves = "io.malob.balancer.BalancerModule.elephantSeconds"
        self.assertEqual("0", scenario("thesis-ftp").setup.properties[moves])
        self.assertNotIn(moves, scenario("thesis-ftp", "--moves").setup.properties)

    def test_results_are_shown_as_a_share_of_the_fluid_model(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "fluid.json"
            file.write_text(
                json.dumps(
                    {
                        "parameters": {"scale": 0.5, "bytes": 100_000_000},
                        "metrics": {"median_s.HT-PS": {"value": 20.0, "unit": "s"}, "p10_s.HT-PS": {"value": 1.0, "unit": "s"}},
                    }
                )
            )
            wanted = scenario("thesis-ftp", "--sizes", "20", "--fluid", str(file))
            summary = Summary("thesis-ftp", {}, {})
            summary.metric("median_s.HT-PS", 4.0, "s")
            wanted.checks(summary)
            # 20 s for 100 MB at half the rates are 2 s for 20 MB at all of them
            self.assertEqual(0.5, summary.value("share_of_fluid.HT-PS"))
            file.write_text("{}")
            with self.assertRaises(UsageError):
                scenario("thesis-ftp", "--fluid", str(file))

    def test_controller_is_at_a_site_of_the_network(self) -> None:
        self.assertEqual({}, scenario("thesis-http").setup.control_delays_ms())
        self.assertEqual(21, scenario("thesis-http", "--controller-at", "client-1").setup.control_delays_ms()["kansas"])

    def test_greedy_is_a_setting_of_the_controller(self) -> None:
        self.assertNotIn("io.malob.balancer.BalancerModule.countPlaced", scenario("thesis-http").setup.properties)
        self.assertEqual("false", scenario("thesis-http", "--greedy").setup.properties["io.malob.balancer.BalancerModule.countPlaced"])

    def test_second_address(self) -> None:
        self.assertEqual("10.0.0.24/24", second_address("10.0.0.4/24"))
        self.assertEqual("10.0.0.24", second_address("10.0.0.4"))


class ArgumentsTest(unittest.TestCase):
    def test_each_wrong_value_is_named(self) -> None:
        for name, words, complaint in (
            ("thesis-http", ["--only", "RR"], "--only: 'RR' is not one of RR.SPH"),
            ("thesis-http", ["--congestion", "none"], "--congestion"),
            ("thesis-bio", ["--processor", "1.5"], "--processor"),
            ("thesis-ftp", ["--controller-at", "x"], "--controller-at: topology 'geni-wan' has no switch 'x'"),
            *((name, ["--placement", "auto"], "--placement: auto needs a VIP with one port") for name in _WITH_FTP),
            ("thesis-ftp", ["--sizes", "10,x"], "--sizes: expected a number above 0, not 'x'"),
            ("thesis-ftp", ["--sizes", "10,10"], "--sizes: expected one size or two"),
            ("thesis-ftp", ["--sizes", "1,2,3"], "--sizes: expected one size or two"),
            ("thesis-discussion", ["--only", "RR+SPH"], "--only: 'RR.SPH' is not one of SL-PS"),
            ("thesis-herding", ["--only", "HT-PS"], "--only and --greedy are not allowed"),
            ("thesis-herding", ["--intervals", "1,0"], "--intervals: expected a whole number from 1, not '0'"),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(UsageError, complaint):
                scenario(name, *words)

    def test_numbers_are_checked_at_once(self) -> None:
        for words in (["--rounds", "0"], ["--requests", "-1"], ["--scale", "0"], ["--scale", "nan"], ["--seed", "x"]):
            with self.subTest(words=words), self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()) as said:
                parsed("thesis-http", *words)
            self.assertEqual(2, ended.exception.code)
            self.assertIn(words[0], said.getvalue())

    def test_congestion_is_one_that_the_kernel_has(self) -> None:
        known = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
        self.assertIn(arguments.congestion(None), known)
        self.assertEqual("reno", arguments.congestion("reno"))


class AntagonistTest(unittest.TestCase):
    def test_load_is_of_the_busiest_link_and_of_all_servers(self) -> None:
        made = scenario("antagonist", "--load", "80")
        per_s = 4 * made.parameters["requests_per_s_and_client"]["links"] / 0.8
        # at that rate all six servers are busy, with 2.5 of their four processors on average
        self.assertAlmostEqual(6 * 2.5 * 0.05, per_s * made.parameters["mean_cpu_s"]["servers"], places=3)
        # of the three paths of three links from server-3 to client-2, SPH takes the one with the lowest latency: over client-4. So
        # server-1's link to client-2 is the busiest: clients 2, 3 and 4 get the answers of two of six servers over it
        busy_s = antagonist.busiest_link_s(topology.load("geni-wan-6"), 2)
        self.assertAlmostEqual(3 / 4 * 2 / 6 * 2 / (51.2 * 0.8), busy_s)
        self.assertAlmostEqual(1, per_s * 2 * busy_s, places=2)

    def test_one_link_between_all_is_busy_with_all_answers(self) -> None:
        hosts = {
            "c": {"switch": "s1", "ip": "10.0.0.1/24", "role": "client"},
            "s": {"switch": "s2", "ip": "10.0.0.2/24", "role": "server"},
        }
        links = [{"ends": ["s1", "s2"], "rate_mbps": [1, 50]}]
        network = topology.parse("x", {"switches": {"s1": "00:" * 7 + "01", "s2": "00:" * 7 + "02"}, "hosts": hosts, "links": links})
        self.assertAlmostEqual(2 / (50 * 0.8), antagonist.busiest_link_s(network, 2))

    def test_what_is_not_scarce_is_a_tenth(self) -> None:
        parameters = scenario("antagonist").parameters
        self.assertEqual({"servers": 1500, "links": 15000, "both": 15000}, parameters["mean_answer_bytes"])
        self.assertAlmostEqual(10, parameters["mean_cpu_s"]["both"] / parameters["mean_cpu_s"]["links"], places=2)

    def test_cases_of_a_round_have_the_same_requests(self) -> None:
        made = scenario("antagonist", "--only", "PCT", "--scarce", "both")
        site = types.SimpleNamespace(lab=types.SimpleNamespace(topology=topology.load("geni-wan-6")), setup=made.setup)
        clients = experiment._clients(site, made.cases[0], "1/2")  # type: ignore[arg-type]
        self.assertEqual(["1/2/client-1", "1/2/client-2"], [client.options[-1] for client in clients[:2]])

    def test_cross_traffic_goes_to_all_neighbours(self) -> None:
        found = antagonist.targets(topology.load("geni-wan-6"), 0.5)
        self.assertEqual(28, sum(map(len, found.values())), "each direction of 14 links")
        self.assertIn(round(36.7 / 2, 3), [round(rate, 3) for rate in found["kansas"].values()])

    def test_tail_is_shown(self) -> None:
        samples = [Sample("c1", "work", n, 0.0, n / 1000, 10, "s1", True, "") for n in range(1, 1001)]
        record = Record([SliceResult(1, 1, "PCT", 10, samples, {}, {}, 0.0, [])])
        summary = Summary("x", {}, {})
        rows = [Row("PCT", "PCT", "work", 1000, tail=True)]
        report.summarise(summary, record, rows)
        self.assertEqual((0.99001, 0.999001), (summary.value("p99_s.PCT"), summary.value("p999_s.PCT")))
        self.assertIn("p99.9 s", report.table(record, rows).printed()[0])


class RestStateTest(unittest.TestCase):
    def test_only_new_and_small_values_are_at_rest(self) -> None:
        for measured, rest in (
            (None, False),
            ({"value": 0.1, "age_s": 3}, True),
            ({"value": 0.3, "age_s": 3}, False),
            ({"value": 0.1, "age_s": 6}, False),
        ):
            with self.subTest(measured=measured):
                self.assertEqual(rest, rest_state._is_at_rest(measured, 0.2, 5))


class HierarchyTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)

    def mounts(self, *lines: str) -> str:
        return "".join(f"{line.format(root=self.root)}\n" for line in ["proc /proc proc rw 0 0", *lines])

    def test_version_1_apart(self) -> None:
        found = cpulimits.hierarchy(
            self.mounts(
                "cgroup {root}/cpu cgroup rw,cpu 0 0", "cgroup {root}/cpuacct cgroup rw,cpuacct 0 0", "cgroup {root}/cpuset cgroup rw,cpuset 0 0"
            )
        )
        self.assertEqual(Hierarchy(1, self.root, self.root / "cpu", self.root / "cpuacct"), found)

    def test_version_1_together(self) -> None:
        both = self.root / "cpu,cpuacct"
        both.mkdir()
        for name in ("cpu", "cpuacct"):
            (self.root / name).symlink_to(both)
        found = cpulimits.hierarchy(self.mounts("cgroup {root}/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0"))
        self.assertEqual(Hierarchy(1, self.root, both, both), found)

    def test_version_2(self) -> None:
        line = "cgroup2 {root} cgroup2 rw,nsdelegate 0 0"
        (self.root / "cgroup.controllers").write_text("memory\n")
        self.assertIsNone(cpulimits.hierarchy(self.mounts(line)))
        (self.root / "cgroup.controllers").write_text("cpuset cpu memory\n")
        self.assertEqual(Hierarchy(2, self.root, self.root, self.root), cpulimits.hierarchy(self.mounts(line)))

    def test_none(self) -> None:
        self.assertIsNone(cpulimits.hierarchy(self.mounts("cgroup {root}/cpu cgroup rw,cpu 0 0")))
        found = cpulimits.create("x", self.root, {"s1": 4}, 0.2, self.mounts())
        self.assertTrue(found.description.startswith("emulated"))
        self.assertEqual("80000 100000\n", (self.root / "s1" / "cpu.max").read_text())

    def test_quotas_of_servers_and_slots(self) -> None:
        for version in (1, 2):
            root = self.root / str(version)
            limits_root, accounts = (root / "cpu", root / "cpuacct") if version == 1 else (root, root)
            limits_root.mkdir(parents=True)
            accounts.mkdir(exist_ok=True)
            limits = KernelCpuLimits(Hierarchy(version, root, limits_root, accounts), "ours", {"s1": 4, "s2": 1}, 0.2)
            limits.create()
            quotas = []
            for group in ("s1", "s1/slot15", "s2"):
                directory = limits_root / "ours" / group
                file = directory / ("cpu.max" if version == 2 else "cpu.cfs_quota_us")
                quotas.append(int(file.read_text().split()[0]))
            weight = "cpu.weight" if version == 2 else "cpu.shares"
            weights = [int((limits_root / group / weight).read_text()) for group in ("ours", "ours/s1", "ours/s2")]
            with self.subTest(version=version):
                self.assertEqual([40_000, 10_000, 10_000], quotas)
                self.assertEqual([100, 4, 1], [each // weights[2] for each in weights])
                self.assertEqual({"cgroup": "/ours/s2", "cgroup_mount": str(root)}, limits.agent_fields("s2"))
                entries = limits.inside("s2", ["server"])[3].split()
                self.assertEqual(
                    [f"{limits_root}/ours/s2/services/cgroup.procs"] + ([f"{accounts}/ours/s2/cgroup.procs"] if version == 1 else []), entries
                )


class _Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.server.connections = getattr(self.server, "connections", 0) + 1  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        body = b"x" * 1000
        self.send_response(200 if self.path == "/1000.html" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Server", f"s{self.server.server_port}")  # type: ignore[attr-defined]
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


class ProgramsTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def ask(self, kind: str, options: list[str], count: int = 1) -> list[dict[str, Any]]:
        """What the client says, with the port of the server in place of the usual one."""
        done = subprocess.run(
            [sys.executable, "-I", str(_PROGRAMS / "client.py"), kind, "127.0.0.1", *options, "--count", str(count)],
            input="go\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        first, *lines = done.stdout.splitlines()
        self.assertEqual("ready", first)
        return [json.loads(line) for line in lines]

    def test_http_client_takes_all_pages_from_one_server(self) -> None:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Page)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        results = self.ask("http", Http(1000, port=server.server_port).client_options(), count=3)
        self.assertEqual([(5000, f"s{server.server_port}", "")] * 3, [(result["bytes"], result["server"], result["error"]) for result in results])
        self.assertTrue(0 < results[0]["seconds"] <= results[1]["began"] - results[0]["began"])
        self.assertEqual(3, server.connections)  # type: ignore[attr-defined]
        apart = self.ask("http", Http(1000, port=server.server_port, connection_per_page=True).client_options())
        self.assertEqual((5000, ""), (apart[0]["bytes"], apart[0]["error"]))
        self.assertEqual(3 + 5, server.connections)  # type: ignore[attr-defined]
        wrong = self.ask("http", Http(999, port=server.server_port).client_options())
        self.assertEqual("status 404", wrong[0]["error"])

    def test_work_server_uses_the_time_and_sends_the_bytes_that_requests_at_random_times_ask_for(self) -> None:
        work = Work(0.001, 2000, 500, port=free_port())
        server = subprocess.Popen([sys.executable, "-I", str(_PROGRAMS / "work_server.py"), "s1", str(work.port)])
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        wait_until(lambda: not port_is_free(work.port), "the server to listen", 20)
        results = self.ask("work", [*work.client_options(), "--seed", "7"], count=100)
        self.assertEqual([("s1", "")] * 100, [(result["server"], result["error"]) for result in results])
        self.assertAlmostEqual(2000, sum(result["bytes"] for result in results) / 100, delta=600)
        begins = sorted(result["began"] for result in results)
        self.assertAlmostEqual(0.2, begins[-1] - begins[0], delta=0.08)
        again = self.ask("work", [*work.client_options(), "--seed", "7"], count=100)
        self.assertEqual(sorted(result["bytes"] for result in results), sorted(result["bytes"] for result in again))

    def test_client_says_what_failed(self) -> None:
        result = self.ask("http", Http(1000, port=free_port()).client_options())[0]
        self.assertIn("refused", result["error"])
        self.assertEqual((0, ""), (result["bytes"], result["server"]))

    def test_compute_server_uses_the_processor_time_and_tells_it(self) -> None:
        port = free_port()
        workload = Compute(0.3, 0.5, port=port)
        server = subprocess.Popen(
            [
                sys.executable,
                "-I",
                str(_PROGRAMS / "compute_server.py"),
                "s9",
                str(port),
                "0.3",
                "--paced",
                str(self.directory),
                "--processors",
                "2",
                "--processor",
                "0.5",
            ]
        )
        self.addCleanup(server.wait, 10)
        self.addCleanup(server.terminate)
        wait_until(lambda: not port_is_free(port), "the server to listen", 10)
        results = self.ask("compute", workload.client_options(), count=2)
        self.assertEqual([("s9", "")] * 2, [(result["server"], result["error"]) for result in results])
        self.assertGreater(min(result["seconds"] for result in results), 0.45, "half of a processor at most")
        self.assertEqual("100000 100000\n", (self.directory / "cpu.max").read_text())
        wait_until(lambda: 0.6 <= self.used_s() < 0.9, "twice 0.3 s to be told", 5, detail=lambda: str(self.used_s()))

    def used_s(self) -> float:
        return int((self.directory / "cpu.stat").read_text().split()[1]) / 1e6


class CombinationsTest(unittest.TestCase):
    def test_without_only_all_are_compared(self) -> None:
        self.assertEqual(["a", "b"], arguments.chosen(None, ["a", "b"]))
