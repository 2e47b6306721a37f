"""`bench compare`: reading what programs print, the plain paths, the table, and wrong use."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from malob.errors import MissingError, ScriptError, UsageError
from malob.network import topology
from research.bench import bench_command, visits
from research.bench.compare import balancers, comparison, figures, floodlight, load
from research.bench.compare.load import Round
from research.bench.visits import Visits

_AB = """Concurrency Level:      10
Time taken for tests:   2.500 seconds
Complete requests:      500
Failed requests:        3
   (Connect: 0, Receive: 0, Length: 3, Exceptions: 0)
Requests per second:    200.00 [#/sec] (mean)
"""

_PORTS = """OFPST_PORT reply (OF1.3) (xid=0x2): 3 ports
  port LOCAL: rx pkts=0, bytes=0, drop=6, errs=0, frame=0, over=0, crc=0
           tx pkts=0, bytes=0, drop=0, errs=0, coll=0
           duration=4.2s
  port  1: rx pkts=5, bytes=700, drop=0, errs=0, frame=0, over=0, crc=0
           tx pkts=4, bytes=300, drop=0, errs=0, coll=0
           duration=4.2s
  port 12: rx pkts=1, bytes=70, drop=?, errs=?, frame=?, over=?, crc=?
           tx pkts=9, bytes=900, drop=?, errs=?, coll=?
           duration=4.2s
"""


class ReadingTest(unittest.TestCase):
    def test_ab_tells_how_many_ended_and_failed_and_the_time(self) -> None:
        self.assertEqual((500, 3, 2.5), load.parse_ab(_AB))

    def test_answers_with_another_status_have_failed(self) -> None:
        self.assertEqual((500, 7, 2.5), load.parse_ab(_AB + "Non-2xx responses:      4\n"))

    def test_ab_that_tells_nothing_is_an_error(self) -> None:
        with self.assertRaisesRegex(ScriptError, "apr_poll"):
            load.parse_ab("apr_poll: The timeout specified has expired (70007)\n")

    def test_bytes_are_by_port_received_and_sent_without_the_bridges_own_port(self) -> None:
        self.assertEqual({1: (700, 300), 12: (70, 900)}, load.parse_ports(_PORTS))

    def test_visits_that_failed_have_no_time(self) -> None:
        self.assertEqual(Visits([200, 300], [900, 1000], 1), visits.parse("200 900\nfailed timed out\n300 1000\n"))

    def test_shares_are_all_of_it(self) -> None:
        self.assertEqual([4, 3, 3], load.shares(10, 3))
        self.assertEqual([1, 1, 0], load.shares(2, 3))


class ForwardingTest(unittest.TestCase):
    def test_nearest_path_is_that_with_the_lowest_sum_of_delays(self) -> None:
        """client-4 is 2 ms from server-3; from client-3 the way over kentucky (9 + 8) is longer than the link of 14 ms"""
        network = topology.load("geni-wan")
        ports = balancers.ports_to_hosts(network)
        self.assertEqual(network.ports("client-4")["server-3"], ports["client-4"]["server-3"])
        self.assertEqual(network.ports("client-3")["client-4"], ports["client-3"]["server-3"])

    def test_without_delays_it_is_that_with_the_fewest_links(self) -> None:
        network = topology.load("mesh5")
        ports = balancers.ports_to_hosts(network)
        self.assertEqual(network.ports("s1")["s3"], ports["s1"]["w1"])
        self.assertEqual(network.ports("s3")["w1"], ports["s3"]["w1"])

    def test_every_switch_leads_to_every_host(self) -> None:
        network = topology.load("geni-wan")
        for switch, ports in balancers.ports_to_hosts(network).items():
            self.assertEqual(set(network.hosts), set(ports), switch)


def one_round(rate: float, proxy_s: float | None = None, connect_us: int = 500, failed: int = 0, link_bytes: int = 1_000_000) -> Round:
    cpu = {"vswitchd": 1.0, "controller": 0.5} | ({} if proxy_s is None else {"proxy": proxy_s})
    some = Visits([connect_us] * 3, [20_000, 30_000, 40_000], 0)
    return Round(rate, 80.0, some, some, failed, cpu, {"s1>s2": link_bytes, "s2>s1": 3_000_000})


class OvnTest(unittest.TestCase):
    def test_network_whose_links_have_delays_is_not_compared_with_one_bridge(self) -> None:
        site = mock.Mock()
        site.lab.topology = topology.load("geni-wan")
        with self.assertRaisesRegex(MissingError, "delays"), balancers.ALL["ovn"].run(site):
            self.fail("OVN has been started")


class FiguresTest(unittest.TestCase):
    def test_figures_are_medians_of_the_rounds_and_failures_are_added(self) -> None:
        found = figures.figures([one_round(100, failed=1), one_round(900), one_round(300, failed=2)])
        self.assertEqual((300, 100, 900), tuple(found[key] for key in ("connections_per_s", "connections_per_s_min", "connections_per_s_max")))
        self.assertEqual(3, found["failed"])
        self.assertEqual((0.5, 30.0), (found["connect_p50_ms"], found["page_p50_ms"]))

    def test_bytes_are_those_of_all_directions_and_of_the_busiest(self) -> None:
        found = figures.figures([one_round(1, link_bytes=1_000_000), one_round(1, link_bytes=2_000_000), one_round(1, link_bytes=2_000_000)])
        self.assertEqual((5_000_000, 3_000_000), (found["links_bytes"], found["busiest_link_bytes"]))
        self.assertEqual((4_000_000, 5_000_000), (found["links_bytes_min"], found["links_bytes_max"]))
        self.assertEqual({"s1>s2": 2_000_000, "s2>s1": 3_000_000}, found["link_bytes"])

    def test_balancer_whose_connections_all_failed_has_no_times(self) -> None:
        nothing = Visits([], [], 5)
        found = figures.figures([Round(0, 0, nothing, nothing, 10, {"vswitchd": 1, "controller": 1}, {"s1>s2": 1})])
        self.assertIsNone(found["page_p99_ms"])
        self.assertIn("–", figures.rows({"none": "none"}, {"none": found})[0])

    def test_row_has_a_cell_for_each_column(self) -> None:
        found = {"haproxy": figures.figures([one_round(1234.5, 0.25)]), "none": figures.figures([one_round(10)]), "nginx": {"skipped": "no nginx"}}
        rows = figures.rows({"none": "none", "haproxy": "HAProxy", "nginx": "nginx stream"}, found)
        self.assertEqual({len(figures.HEADER)}, {len(row) for row in rows})
        direct, proxied, skipped = (dict(zip(figures.HEADER, row)) for row in rows)
        self.assertEqual(("10", "–"), (direct["conn/s"], direct["proxy s"]))
        self.assertEqual(("1,234", "0.25", "4.0", "3.0"), tuple(proxied[key] for key in ("conn/s", "proxy s", "links MB", "busiest MB")))
        self.assertEqual({""}, set(skipped.values()) - {"nginx stream"})

    def test_reason_of_a_skipped_balancer_is_told(self) -> None:
        self.assertEqual(["HAProxy: skipped, not installed"], figures.remarks({"haproxy": "HAProxy"}, {"haproxy": {"skipped": "not installed"}}))

    def test_plots_leave_out_what_was_skipped(self) -> None:
        result: Mapping[str, Any] = {"network": "mesh5", "balancers": {"none": figures.figures([one_round(10)]), "nginx": {"skipped": "no nginx"}}}
        made = figures.plots([result], {"none": "none", "nginx": "nginx stream"})
        self.assertEqual(["compare-mesh5-connections", "compare-mesh5-pages", "compare-mesh5-links"], [each.name for each in made])
        self.assertEqual([["none"]] * 3, [[bar.label for bar in each.bars] for each in made])

    def test_order_turns_round_from_one_repeat_to_the_next(self) -> None:
        self.assertEqual([["a", "b"], ["b", "a"], ["a", "b"]], [comparison.turn(["a", "b"], number) for number in range(3)])


class FloodlightTest(unittest.TestCase):
    def test_modules_are_those_of_its_settings_less_two(self) -> None:
        text = (
            "floodlight.modules=\\\nnet.floodlightcontroller.jython.JythonDebugInterface,\\\nnet.floodlightcontroller.a.B,\\\n"
            "net.floodlightcontroller.loadbalancer.LoadBalancer,\\\nnet.floodlightcontroller.hasupport.HAController\nother.setting=x\n"
        )
        self.assertEqual(["net.floodlightcontroller.a.B", "net.floodlightcontroller.loadbalancer.LoadBalancer"], floodlight.modules(text))

    def test_file_that_is_no_jar_of_floodlight_is_wrong_use(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            other = Path(directory) / "other.jar"
            with zipfile.ZipFile(other, "w") as archive:
                archive.writestr("a", "b")
            text = Path(directory) / "text"
            text.write_text("x")
            for path in (other, text, Path(directory) / "missing.jar"):
                with self.subTest(path.name), self.assertRaisesRegex(UsageError, f"--floodlight: .*{path.name}"):
                    balancers.floodlight(path)


class QuickTest(unittest.TestCase):
    def test_quick_is_less_of_all_but_of_what_is_given(self) -> None:
        options = comparison.CompareCommand().options(["--quick", "--pages", "40"])
        self.assertEqual((1, 300, 20, 40), (options.repeats, options.connections, options.connects, options.pages))
        options = comparison.CompareCommand().options([])
        self.assertEqual((3, 3000, 100, 48), (options.repeats, options.connections, options.connects, options.pages))


class WrongUseTest(unittest.TestCase):
    def setUp(self) -> None:
        # what comes after the command line has been read
        begun = mock.patch.object(bench_command, "need_root", side_effect=AssertionError("taken for right"))
        begun.start()
        self.addCleanup(begun.stop)

    def check(self, expected: str, *words: str) -> None:
        with self.assertRaisesRegex(UsageError, expected) as caught:
            comparison.CompareCommand().main(words)
        self.assertEqual(2, caught.exception.exit_code)

    def test_unknown_balancer(self) -> None:
        self.check(
            f"--only: expected some of {','.join(balancers.ALL)}, not 'varnish'",
            "--only",
            "none,varnish",
        )

    def test_unknown_network(self) -> None:
        self.check("no topology 'mesh9'", "--networks", "mesh5,mesh9")

    def test_network_without_servers(self) -> None:
        document = {"switches": {"s1": "00:00:00:00:00:00:00:01"}, "hosts": {"c1": {"switch": "s1", "ip": "10.0.0.1/24", "role": "client"}}}
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "lonely.json"
            file.write_text(json.dumps(document))
            self.check("lonely.json' has no host with the role 'server'", "--networks", str(file))

    def test_floodlight_without_its_jar(self) -> None:
        self.check("'floodlight' needs --floodlight", "--only", "floodlight")

    def test_control_delay_of_a_switch_that_a_network_has_not(self) -> None:
        self.check("has no switch 's9'", "--networks", "mesh5", "--control-delay", "s9=5")

    def test_number_of_repeats_that_is_none(self) -> None:
        with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()) as said:
            comparison.CompareCommand().main(["--repeats", "0"])
        self.assertEqual(2, ended.exception.code)
        self.assertIn("--repeats: expected a whole number from 1, not '0'", said.getvalue())


if __name__ == "__main__":
    unittest.main()
