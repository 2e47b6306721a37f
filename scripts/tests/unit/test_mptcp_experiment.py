"""`lab run mptcp`: who sends to whom, confidence intervals, traffic.json, summary and figures."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import unittest
from collections import Counter
from typing import Any
from unittest import mock

from malob.errors import UsageError
from malob.network import topology
from malob.network.topology import Topology
from research.experiments.frame import arguments
from research.experiments.frame.samples import Record, Sample, SliceResult
from research.experiments.frame.summary import Summary
from research.experiments.mptcp import experiment, methods, model, report, site
from research.experiments.mptcp import pairs as mptcp_pairs
from research.experiments.mptcp.model import Traffic
from research.experiments.mptcp.pairs import MAX_SESSIONS
from research.experiments.mptcp.report import Cell, Results
from research.experiments.mptcp.sessions import PROGRAM
from research.experiments.programs.traffic import Traffic as Sessions

NETWORKS = ("mptcp-1", "gridnet", "att-mpls", "fat-tree:4,rate=5", "mesh5")


def runs(case: str, *sizes: list[int]) -> list[SliceResult]:
    """Slices of a case, each with sessions that got these numbers of bytes."""
    return [
        SliceResult(
            1, number, case, 10.0, [Sample("c", "LOW", 1, 0.0, 10.0, size, "s", True, "") for size in some], {"ovs-vswitchd": 0.5}, {}, 0.0, []
        )
        for number, some in enumerate(sizes, start=1)
    ]


class PairsTest(unittest.TestCase):
    def drawn(self) -> list[tuple[Topology, str, list[tuple[str, str]]]]:
        return [
            (network, load, mptcp_pairs.draw(load, network, f"1/{number}"))
            for network in map(topology.load, NETWORKS)
            for load in mptcp_pairs.LOADS
            for number in range(20)
        ]

    def test_pairs_are_different_and_of_one_vlan_on_two_switches(self) -> None:
        for network, load, pairs in self.drawn():
            with self.subTest(network=network.name, load=load):
                self.assertTrue(pairs)
                self.assertEqual(len(pairs), len(set(pairs)))
                for client, server in pairs:
                    one, other = network.hosts[client], network.hosts[server]
                    self.assertEqual(one.vlan, other.vlan)
                    self.assertNotEqual(one.switch, other.switch)

    def test_same_seed_gives_the_same_pairs_another_one_others(self) -> None:
        network = topology.load("gridnet")
        for load in mptcp_pairs.LOADS:
            with self.subTest(load=load):
                self.assertEqual(mptcp_pairs.draw(load, network, "1/a"), mptcp_pairs.draw(load, network, "1/a"))
                self.assertNotEqual(mptcp_pairs.draw(load, network, "1/a"), mptcp_pairs.draw(load, network, "1/b"))

    def test_low_has_clients_that_are_a_quarter_of_the_hosts_and_no_servers(self) -> None:
        for network, load, pairs in self.drawn():
            if load == "LOW":
                clients = {client for client, _ in pairs}
                with self.subTest(network=network.name):
                    self.assertEqual(max(2, len(network.hosts) // 4), len(clients))
                    self.assertEqual(len(pairs), len(clients))
                    self.assertFalse(clients & {server for _, server in pairs})

    def test_medium_has_clients_of_two_servers_and_servers_of_as_many_clients(self) -> None:
        for number in range(20):
            pairs = mptcp_pairs.draw("MEDIUM", topology.load("mptcp-1"), str(number))
            clients = Counter(client for client, _ in pairs)
            servers = Counter(server for _, server in pairs)
            self.assertFalse(set(clients) & set(servers))
            self.assertEqual({2: 4}, dict(Counter(clients.values())))
            self.assertEqual({2: 4}, dict(Counter(servers.values())))

    def test_high_has_every_two_hosts_of_a_vlan_once(self) -> None:
        pairs = mptcp_pairs.draw("HIGH", topology.load("mptcp-1"), "1")
        self.assertEqual(12, len({frozenset(pair) for pair in pairs}))

    def test_high_of_many_hosts_is_bounded_and_even(self) -> None:
        for name in ("gridnet", "att-mpls"):
            network = topology.load(name)
            pairs = mptcp_pairs.draw("HIGH", network, "1")
            self.assertEqual(MAX_SESSIONS, len(pairs))
            has = Counter(host for pair in pairs for host in pair)
            self.assertEqual(set(network.hosts), set(has))
            self.assertLessEqual(max(has.values()) - min(has.values()), 2)


class SiteTest(unittest.TestCase):
    def test_queues_hold_the_same_time_at_any_rate(self) -> None:
        network = topology.parse(
            "x",
            {
                "switches": {"a": "00:00:00:00:00:00:00:01", "b": "00:00:00:00:00:00:00:02", "c": "00:00:00:00:00:00:00:03"},
                "hosts": {},
                "links": [{"ends": ["a", "b"], "rate_mbps": [40, 10]}, {"ends": ["b", "c"], "rate_mbps": 0.2}],
            },
        )
        links = site.with_short_queues(network, 0.5).links
        self.assertEqual([(200, 50), (10, 10)], [(link.forward.queue_packets, link.reverse.queue_packets) for link in links])
        self.assertEqual(40, links[0].forward.rate_mbps)


class ReportTest(unittest.TestCase):
    cells = [Cell(method, "LOW", name) for name in ("mptcp-1", "gridnet") for method in ("TCP", "VS", "VS-paper")]

    def results(self) -> Results:
        record = Record(
            [
                *runs("TCP.LOW.mptcp-1", [5_000_000, 5_000_000], [5_000_000, 7_500_000]),
                *runs("VS.LOW.mptcp-1", [18_000_000]),
                *runs("VS-paper.LOW.mptcp-1", [20_000_000]),
                *runs("TCP.LOW.gridnet", [10_000_000]),
                *runs("VS.LOW.gridnet", [10_000_000]),
            ]
        )
        return Results(record, self.cells, 10.0, {"TCP.LOW.mptcp-1": 10.0, "VS.LOW.mptcp-1": 16.0})

    def test_metrics_are_named_as_the_contract_says(self) -> None:
        summary = Summary("mptcp", {}, {})
        report.summarise(summary, self.results())
        self.assertEqual(9.0, summary.value("mbps.TCP.LOW.mptcp-1"))
        # t(1) = 6.314, s = sqrt(2), two values
        self.assertAlmostEqual(6.314, summary.value("ci90.TCP.LOW.mptcp-1") or 0, places=3)
        self.assertIsNone(summary.value("ci90.VS.LOW.mptcp-1"))
        self.assertEqual(16.0, summary.value("model_mbps.VS.LOW.mptcp-1"))
        self.assertEqual(90.0, summary.value("model_percent.VS.LOW.mptcp-1"))
        # 80 % on one network, in the round that measured both, and 0 % on the other
        self.assertEqual(40.0, summary.value("gain_percent.VS.LOW"))
        self.assertEqual({"value": 40.0, "unit": "%"}, summary.to_json()["paper"]["gain_percent.VS.LOW"])
        self.assertIsNone(summary.value("gain_percent.TCP.LOW"))

    def test_gains_are_paired_by_round(self) -> None:
        cells = [Cell(method, "LOW", "x") for method in ("TCP", "VS")]
        # the sessions of the second round carry ten times as much, with both methods
        record = Record([*runs("TCP.LOW.x", [1_000_000], [10_000_000], [2_000_000]), *runs("VS.LOW.x", [1_500_000], [16_000_000], [2_800_000], [9])])
        results = Results(record, cells, 10.0, {})
        summary = Summary("mptcp", {}, {})
        report.summarise(summary, results)
        self.assertEqual(50.0, summary.value("gain_percent.VS.LOW.x"))
        self.assertEqual(50.0, summary.value("gain_percent.VS.LOW"))
        self.assertEqual((40.0, 60.0), (summary.value("gain_low_percent.VS.LOW.x"), summary.value("gain_high_percent.VS.LOW.x")))
        gain = results.gain(cells[1])
        self.assertEqual(3, gain.count if gain else None)

    def test_round_without_tcp_has_no_gain(self) -> None:
        cells = [Cell(method, "LOW", "x") for method in ("TCP", "VS")]
        results = Results(Record([*runs("TCP.LOW.x", [0]), *runs("VS.LOW.x", [5])]), cells, 10.0, {})
        self.assertIsNone(results.gain(cells[1]))

    def test_targets_hold_or_not(self) -> None:
        summary = Summary("mptcp", {}, {})
        report.summarise(summary, self.results())
        holds = {check.name: check.holds for check in summary.checks}
        self.assertIs(True, holds["fluid model to TCP.LOW.mptcp-1"])
        self.assertIs(False, holds["VS-paper to VS: LOW, mptcp-1"])
        self.assertIs(True, holds["TCP to VS: LOW, mptcp-1"])
        self.assertNotIn("TCP to VS: LOW, gridnet", holds)
        self.assertIsNone(holds["fluid model to VS.LOW.gridnet"])

    def test_table_has_a_row_for_each_cell_that_was_measured(self) -> None:
        rows = report.table(self.results()).rows()
        self.assertEqual(["TCP", "LOW", "mptcp-1", "2", "9.000", "6.314", "10.000", "90.0", "0.0", "0.0", "0.0"], rows[0])
        self.assertEqual(["VS", "LOW", "gridnet", "1", "8.000", "", "", "", "0.0", "0.0", "0.0"], rows[-1])
        self.assertEqual(5, len(rows))

    def test_figure_has_a_bar_for_each_method_side_by_side_by_topology(self) -> None:
        (figure,) = report.figures(self.results())
        self.assertEqual(["mptcp-1"] * 3 + ["gridnet"] * 2, [bar.cluster for bar in figure.bars])
        self.assertEqual((9.0, 10.0), (figure.bars[0].value, figure.bars[0].optimum))
        self.assertEqual("figure-5-low", figure.name)


class TrafficFileTest(unittest.TestCase):
    def test_sessions_have_the_addresses_of_their_subflows(self) -> None:
        traffic = Traffic(200)
        traffic.network("mptcp-1", topology.load("mptcp-1"))
        traffic.plan("mptcp-1.VS", {"paths": []})
        traffic.add("VS.LOW.mptcp-1", "mptcp-1", "mptcp-1.VS", 1, [("h1", "h3")], [["10.0.0.1", "10.0.0.11"]])
        document = json.loads(json.dumps(traffic.to_json()))
        self.assertEqual([{"from": "h1", "to": "h3", "addresses": ["10.0.0.1", "10.0.0.11"]}], document["cells"][0]["sessions"])
        self.assertEqual(7, len(document["networks"]["mptcp-1"]["links"]))

    def test_plans_are_told_by_what_they_reach(self) -> None:
        traffic = Traffic(200)
        traffic.plan(
            "mptcp-1.VS",
            {"maximum": 15, "minimum": 12, "proven_optimal": True, "paths": [{"kind": "tree"}, {"kind": "hamiltonian"}, {"kind": "tree"}]},
        )
        self.assertEqual(
            {"mptcp-1.VS": {"maximum": 15, "minimum": 12, "proven_optimal": True, "kinds": ["hamiltonian", "tree"]}}, traffic.described_plans()
        )

    def test_plan_of_one_run_is_kept_for_the_model_alone(self) -> None:
        traffic = Traffic(200)
        paths = [{"address": "10.0.0.1", "branches": [["s1", "s2"]], "kind": "disjoint"}]
        name = traffic.plan_of_run("disjoint.LOW.x", 2, {"maximum": 3, "paths": paths})
        self.assertEqual({name: {"paths": [{"address": "10.0.0.1", "branches": [["s1", "s2"]]}]}}, traffic.to_json()["plans"])
        self.assertEqual({}, traffic.described_plans())


class ForecastTest(unittest.TestCase):
    def test_disjoint_paths_have_a_plan_for_each_run(self) -> None:
        asked = []

        def plan(request: dict[str, Any]) -> dict[str, Any]:
            asked.append(request)
            return {
                "paths": [],
                "hosts": [{"id": host["id"], "addresses": [{"address": host["address"].split("/")[0]}]} for host in request["hosts"]],
            }

        traffic, network = Traffic(200), topology.load("mptcp-1")
        with mock.patch("malob.cli.mptcp.planner.plan", plan):
            model.forecast(traffic, [network], [Cell("disjoint", "LOW", "mptcp-1")], 2, 1)
        self.assertEqual(["disjoint.LOW.mptcp-1.1", "disjoint.LOW.mptcp-1.2"], [cell["plan"] for cell in traffic.cells])
        self.assertEqual(
            [[{name: session[name] for name in ("from", "to")} for session in cell["sessions"]] for cell in traffic.cells],
            [request["traffic"] for request in asked if "traffic" in request],
        )

    cells = [Cell("TCP", "LOW", "x"), Cell("VS", "LOW", "x")]
    model = {"TCP.LOW.x": 10.0, "VS.LOW.x": 15.0}

    def test_gain_is_on_tcp_in_the_same_place(self) -> None:
        summary = Summary("mptcp", {}, {})
        model.forecast_table(self.cells, self.model).add_metrics(summary, lambda cell: cell.key)
        self.assertEqual(50.0, summary.value("model_gain_percent.VS.LOW.x"))
        self.assertEqual(10.0, summary.value("model_mbps.TCP.LOW.x"))
        self.assertIsNone(model.gain_percent(self.cells[1], {"VS.LOW.x": 15.0}))

    def test_table_has_a_line_for_each_cell(self) -> None:
        lines = model.forecast_table(self.cells, self.model).printed()
        self.assertEqual(["VS", "LOW", "x", "15.00", "+50.0"], lines[-1].split())


class MethodsTest(unittest.TestCase):
    def test_names_are_known(self) -> None:
        self.assertEqual({"method": "paper", "vlan": False}, methods.named("NVS-paper").plan)
        self.assertIn(methods.ADDRESSES_OF, [method.name for method in methods.METHODS])

    def test_disjoint_paths_are_planned_for_the_sessions_of_the_run(self) -> None:
        self.assertEqual(
            {
                "method": "disjoint",
                "vlan": True,
                "count": "travelled",
                "traffic": [{"from": "h1", "to": "h3"}, {"from": "h1", "to": "h5"}],
            },
            methods.named("disjoint").request([("h1", "h3"), ("h1", "h5")]),
        )
        self.assertEqual(methods.named("VS").plan, methods.named("VS").request([("h1", "h3")]))

    def test_detours_are_limited_except_in_the_papers_paths(self) -> None:
        limited = {method.name for method in methods.METHODS if method.plan is not None and "max_detour" in method.plan}
        self.assertEqual({"NVS", "VS"}, limited)

    def test_subflows_that_a_plan_does_not_lead_to_the_server_do_not_count(self) -> None:
        plan = {
            "paths": [
                {"address": "10.0.0.1", "branches": [["s1", "s2"], ["s1", "s3"]]},
                {"address": "10.0.0.11", "branches": [["s1", "s3"]]},
            ]
        }
        addresses = ["10.0.0.1", "10.0.0.11", "10.0.0.21"]
        self.assertEqual(["10.0.0.1"], methods.leading_to(plan, addresses, "s2"))
        self.assertEqual(["10.0.0.1", "10.0.0.11"], methods.leading_to(plan, addresses, "s3"))

    def test_unknown_name_is_refused(self) -> None:
        with self.assertRaisesRegex(UsageError, "--only: 'XX' is not one of TCP, MPTCP"):
            arguments.chosen("TCP,XX", [method.name for method in methods.METHODS])

    def test_topology_without_rates_is_refused(self) -> None:
        with self.assertRaisesRegex(UsageError, "--topology: the link s1 - s2 of 'mesh5' has no rate_mbps"):
            experiment._with_rates(topology.load("mesh5"))


class ProgramTest(unittest.TestCase):
    """traffic.py on this host: one sender, one receiver, TCP."""

    def test_what_arrives_while_it_counts_is_counted(self) -> None:
        with subprocess.Popen([sys.executable, "-I", str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None and process.stdout is not None
            self.addCleanup(process.kill)
            with_port = json.dumps(
                {
                    "protocol": 6,
                    "receive": [{"id": "0", "port": 15301}, {"id": "1", "port": 15302}],
                    "send": [
                        {"id": "0", "from": "127.0.0.1", "to": "127.0.0.1", "port": 15301},
                        {"id": "2", "from": "127.0.0.1", "to": "127.0.0.1", "port": 15303},
                    ],
                }
            )
            process.stdin.write(with_port + "\n")
            process.stdin.flush()
            self.assertEqual("ready\n", process.stdout.readline())
            begin = time.monotonic() + 0.1
            process.stdin.write(json.dumps({"begin": begin, "count_from": begin + 0.2, "count_to": begin + 0.5}) + "\n")
            process.stdin.flush()
            result = json.loads(process.stdout.readline())
        self.assertGreater(result["received"]["0"], 100_000)
        self.assertEqual({"0": 1}, result["subflows"])
        self.assertEqual({"1": "timed out", "2": "[Errno 111] Connection refused"}, result["errors"])

    def test_a_sender_that_resets_first_at_the_end_is_no_failure(self) -> None:
        result = _counted(reset_after_s=1.1, count_to_s=1.0)
        self.assertEqual({"0": 1_000}, result["received"])
        self.assertEqual({}, result["errors"])

    def test_a_sender_that_resets_before_is_one_and_its_bytes_count(self) -> None:
        result = _counted(reset_after_s=0.1, count_to_s=30)
        self.assertEqual({"0": 1_000}, result["received"])
        self.assertEqual({"0": "reset"}, result["errors"])


def _counted(reset_after_s: float, count_to_s: float) -> dict[str, Any]:
    """The result for a sender of 1,000 bytes that resets its connection later."""
    traffic = Sessions({"protocol": 6, "receive": [], "send": []})
    now = time.monotonic()
    connection = mock.MagicMock()

    def receive(_block: bytearray) -> int:
        if connection.recv_into.call_count == 1:
            return 1_000
        time.sleep(max(0.0, now + reset_after_s - time.monotonic()))
        raise ConnectionResetError("reset")

    connection.recv_into.side_effect = receive
    connection.__enter__.return_value = connection
    listening = mock.MagicMock()
    listening.accept.return_value = (connection, None)
    traffic._thread("0", traffic._receive, "0", listening, now, now + count_to_s).join()
    return traffic.result
