from __future__ import annotations

import hashlib
import hmac
import http.server
import json
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable

_AGENTS = Path(__file__).parents[2] / "agents"
sys.path.insert(0, str(_AGENTS))  # as on the servers, where nothing but this folder is

import server_agent  # noqa: E402
from measuring import connections, processors  # noqa: E402
from measuring.response import ResponseProbe  # noqa: E402
from reporting import configuration, delivery, message  # noqa: E402
from reporting.configuration import AgentError, Configuration  # noqa: E402
from reporting.running import Reporter  # noqa: E402

KEY = "00112233445566778899aabbccddeeff"


def settings(**more: Any) -> Configuration:
    return configuration.parse({"id": "w1", "key": KEY, **more}, "server", ("ports",))


class ConfigurationTest(unittest.TestCase):
    def test_defaults_lead_into_the_network(self) -> None:
        self.assertEqual("udp://192.168.9.19:9876", settings().controller)
        self.assertEqual("udp://192.168.9.29:9876", configuration.parse({"id": "n1", "key": KEY}, "link", ()).controller)

    def test_addresses_are_of_either_family(self) -> None:
        over_ipv6 = settings(address="2001:DB8::0:1", controller="udp://[2001:db8::19]:9876")
        self.assertEqual(("2001:db8::1", "udp://[2001:db8::19]:9876"), (over_ipv6.address, over_ipv6.controller))

    def test_each_error_names_its_field(self) -> None:
        for field, value in (
            ("id", "a b"),
            ("id", ""),
            ("key", "12"),
            ("key", 7),
            ("address", "10.0.0"),
            ("address", 3),
            ("controller", "tcp://1.2.3.4:5"),
            ("controller", ""),
            ("controller", "udp://2001:db8::19:9876"),
            ("interface", "a/b"),
            ("interval_s", 0),
            ("interval_s", True),
            ("interval_s", float("nan")),
            ("prots", [80]),
        ):
            with self.subTest(field=field, value=value), self.assertRaisesRegex(AgentError, field):
                settings(**{field: value})

    def test_key_is_not_shown(self) -> None:
        with self.assertRaises(AgentError) as caught:
            settings(key="secret")
        self.assertNotIn("secret", str(caught.exception))

    def test_ports(self) -> None:
        self.assertEqual([22, 80], configuration.ports({"ports": [80, 22, 80]}, "ports"))
        for value in ("80", [0], [65536], [True], [1.5], list(range(1, 66))):
            with self.subTest(value=value), self.assertRaisesRegex(AgentError, "ports"):
                configuration.ports({"ports": value}, "ports")


class MessageTest(unittest.TestCase):
    def test_signature_is_over_the_json(self) -> None:
        stamps = message.Stamps(lambda: 1700000000.5, lambda: 12.25)
        first, second = stamps.next(), stamps.next()
        head, _, body = message.build("w1", bytes.fromhex(KEY), first, {"server": {"cpu": 0.5}}).partition(b"\n")
        signature = hmac.new(bytes.fromhex(KEY), body, hashlib.sha256).hexdigest()
        self.assertEqual(f"malob-report 1 w1 {signature}", head.decode())
        self.assertEqual(
            {"agent": "w1", "boot": first["boot"], "sequence": 1, "time_ms": 1700000000500, "uptime_ms": 12250, "server": {"cpu": 0.5}},
            json.loads(body),
        )
        self.assertEqual((first["boot"], 2), (second["boot"], second["sequence"]))
        self.assertNotEqual(first["boot"], message.Stamps().next()["boot"])

    def test_no_number_is_not_sent(self) -> None:
        with self.assertRaises(ValueError):
            message.build("w1", b"k", {}, {"server": {"cpu": float("nan")}})


class DeliveryTest(unittest.TestCase):
    def test_udp_comes_from_the_address_of_the_agent(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
            receiver.bind(("127.0.0.1", 0))
            receiver.settimeout(5)
            way = delivery.of(settings(controller=f"udp://127.0.0.1:{receiver.getsockname()[1]}", address="127.0.0.2"))
            self.addCleanup(way.close)
            way.send(b"one")
            data, (source, _) = receiver.recvfrom(100)
        self.assertEqual((b"one", "127.0.0.2"), (data, source))

    def test_udp_over_ipv6(self) -> None:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as receiver:
            receiver.bind(("::1", 0))
            receiver.settimeout(5)
            way = delivery.of(settings(controller=f"udp://[::1]:{receiver.getsockname()[1]}", address="::1"))
            self.addCleanup(way.close)
            way.send(b"one")
            data, source = receiver.recvfrom(100)
        self.assertEqual((b"one", "::1"), (data, source[0]))

    def test_address_of_another_machine_is_named(self) -> None:
        way = delivery.of(settings(controller="udp://127.0.0.1:9", address="192.0.2.7"))
        with self.assertRaisesRegex(AgentError, "192.0.2.7 is not an address of this machine"):
            way.send(b"one")

    def test_http_tells_why_the_controller_refused(self) -> None:
        server = _Controller(409, b'{"error":"replayed"}')
        self.addCleanup(server.close)
        way = delivery.of(settings(controller=server.url))
        with self.assertRaisesRegex(AgentError, "409: replayed"):
            way.send(b"one")
        server.status, server.body = 204, b""
        way.send(b"two")
        self.assertEqual([b"one", b"two"], server.received)

    def test_http_without_a_controller_fails_at_once(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            way = delivery.of(settings(controller=f"http://127.0.0.1:{probe.getsockname()[1]}/wm/malob/reports"))
            with self.assertRaisesRegex(AgentError, "no answer"):
                way.send(b"one")


class _Controller:
    """Answers every POST with one status and body."""

    def __init__(self, status: int, body: bytes) -> None:
        self.status, self.body = status, body
        self.received: list[bytes] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.received.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(outer.status)
                if outer.body:
                    self.send_header("Content-Length", str(len(outer.body)))
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, *_words: Any) -> None:
                pass

        self._server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/wm/malob/reports"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Probe:
    def __init__(self, measure: Callable[[], Mapping[str, Any]]) -> None:
        self._measure = measure

    def measure(self, stop: threading.Event) -> Mapping[str, Any]:
        return self._measure()


class _Way:
    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.trouble = ""

    def send(self, report: bytes) -> None:
        if self.trouble:
            raise AgentError(self.trouble)
        self.sent.append(report)

    def close(self) -> None:
        pass


class ReporterTest(unittest.TestCase):
    def setUp(self) -> None:
        self.way = _Way()
        self.said: list[str] = []

    def reporter(self, content: Mapping[str, Any]) -> Reporter:
        return Reporter(settings(), _Probe(lambda: content), self.way, threading.Event(), self.said.append)

    def test_trouble_is_told_once_and_nothing_piles_up(self) -> None:
        reporter = self.reporter({"server": {"cpu": 0.1}})
        self.way.trouble = "no answer"
        self.assertEqual([False, False, False], [reporter.report() for _ in range(3)])
        self.way.trouble = ""
        self.assertEqual([True, True], [reporter.report() for _ in range(2)])
        self.assertEqual(["no answer", "the controller receives reports again"], self.said)
        self.assertEqual([4, 5], [json.loads(report.split(b"\n")[1])["sequence"] for report in self.way.sent])

    def test_oversized_report_is_not_sent(self) -> None:
        self.assertFalse(self.reporter({"server": {"x": "y" * 1400}}).report())
        self.assertEqual([], self.way.sent)


class ConnectionsTest(unittest.TestCase):
    def test_counts_established_ones_of_the_ports_only(self) -> None:
        """10,000 lines in both tables, as the kernel writes them"""
        states = ("01", "06", "0A")
        ports = (80, 8001, 22)
        with tempfile.TemporaryDirectory() as directory:
            tables = [Path(directory) / "tcp", Path(directory) / "tcp6", Path(directory) / "absent"]
            for table in tables[:2]:
                zeros = "0" * (8 if table.name == "tcp" else 32)
                table.write_text(
                    "  sl  local_address rem_address   st tx_queue rx_queue\n"
                    + "".join(f"{i:4d}: {zeros}:{ports[i % 3]:04X} {zeros}:{i:04X} {states[i // 3 % 3]} 00000000:00000000\n" for i in range(5000))
                )
            counts = connections.established([80, 8001, 443], tables)
        each = sum(1 for i in range(5000) if i % 3 == 0 and i // 3 % 3 == 0)
        other = sum(1 for i in range(5000) if i % 3 == 1 and i // 3 % 3 == 0)
        self.assertEqual({80: 2 * each, 8001: 2 * other, 443: 0}, counts)

    def test_counts_those_of_this_machine(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            self.assertEqual({port: 0}, connections.established([port]))
            with socket.create_connection(server.getsockname()):
                accepted, _ = server.accept()
                with accepted:
                    self.assertEqual({port: 1}, connections.established([port]))


class ProcessorsTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.now = 100.0
        self.write("stat", "cpu  0 0 0 0 0 0 0 0 0 0\n")

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def meter(self, cgroup: str = "auto") -> processors.UseMeter:
        return processors.meter(cgroup, self.root / "own", self.root / "fs", self.root / "stat", lambda: self.now)

    def test_machine_counts_what_is_neither_idle_nor_waiting(self) -> None:
        use = self.meter()
        #                       user nice system idle iowait irq softirq steal guest guest_nice
        self.write("stat", "cpu  100 10 50 700 100 5 15 20 90 10\ncpu0 1 2 3\n")
        self.assertEqual(200 / 1000, use.since_last())
        self.assertIsNone(use.since_last())
        self.write("stat", "cpu  110 10 50 790 90 5 15 20 90 10\ncpu0 1 2 3\n")
        self.assertEqual(10 / 100, use.since_last(), "iowait went back: it stood still")

    def test_first_kernel_fields_alone_will_do(self) -> None:
        use = self.meter()
        self.write("stat", "cpu 30 0 10 60\n")
        self.assertEqual(0.4, use.since_last())

    def test_cgroup_2_is_a_share_of_its_quota(self) -> None:
        self.write("own", "0::/box/inner\n")
        self.write("fs/box/cpu.max", "50000 100000\n")
        self.write("fs/box/cpu.stat", "usage_usec 1000000\nuser_usec 1\n")
        self.write("fs/box/inner/cpu.max", "max 100000\n")
        self.write("fs/box/inner/cpu.stat", "usage_usec 0\n")
        use = self.meter()
        self.now += 4
        self.write("fs/box/cpu.stat", "usage_usec 2000000\n")
        self.assertAlmostEqual(0.5, use.since_last() or 0)  # 1 s in 4 s of half a processor
        self.now += 1
        self.write("fs/box/cpu.stat", "usage_usec 4000000\n")
        self.assertEqual(1.0, use.since_last())

    def test_of_several_quotas_the_smallest_counts(self) -> None:
        self.write("own", "0::/box/inner\n")
        for name, quota in (("box", 50000), ("box/inner", 20000)):
            self.write(f"fs/{name}/cpu.max", f"{quota} 100000\n")
            self.write(f"fs/{name}/cpu.stat", "usage_usec 0\n")
        use = self.meter()
        self.now += 1
        self.write("fs/box/inner/cpu.stat", "usage_usec 100000\n")
        self.assertAlmostEqual(0.5, use.since_last() or 0)

    def test_cgroup_1_with_accounts_mounted_apart(self) -> None:
        self.write("own", "2:cpuacct:/a/box\n1:cpu:/box\n0::/\n")
        self.write("fs/cpu/box/cpu.cfs_quota_us", "200000\n")
        self.write("fs/cpu/box/cpu.cfs_period_us", "100000\n")
        self.write("fs/cpuacct/a/box/cpuacct.usage", "0\n")
        use = self.meter()
        self.now += 1
        self.write("fs/cpuacct/a/box/cpuacct.usage", "500000000\n")
        self.assertAlmostEqual(0.25, use.since_last() or 0)

    def test_cgroup_1_without_quota_is_the_machine(self) -> None:
        self.write("own", "1:cpu,cpuacct:/\n")
        self.write("fs/cpu/cpu.cfs_quota_us", "-1\n")
        self.assertIsInstance(self.meter(), processors.MachineMeter)

    def test_cgroup_by_name(self) -> None:
        with self.assertRaisesRegex(AgentError, "no cgroup /web with a quota"):
            self.meter("/web")
        self.write("fs/web/cpu.max", "100000 100000\n")
        self.write("fs/web/cpu.stat", "usage_usec 0\n")
        self.assertIsInstance(self.meter("/web"), processors.CgroupMeter)
        self.assertIsInstance(self.meter("none"), processors.MachineMeter)
        for wrong in ("web", "/a/../b", 3):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(AgentError, "cgroup"):
                self.meter(wrong)  # type: ignore[arg-type]

    def test_cgroups_may_be_mounted_elsewhere(self) -> None:
        self.assertEqual(Path("/cgroups"), processors.mount("/cgroups"))
        self.write("fs/web/cpu.max", "100000 100000\n")
        self.write("fs/web/cpu.stat", "usage_usec 0\n")
        settings = configuration.parse(
            {"id": "a", "key": "00" * 16, "cgroup": "/web", "cgroup_mount": str(self.root / "fs")}, "server", server_agent.FIELDS
        )
        probe = server_agent.ServerProbe(settings)
        self.write("fs/web/cpu.stat", "usage_usec 3600000000\n")
        self.assertEqual({"server": {"cpu": 1.0}}, probe.measure(threading.Event()))
        for wrong in ("cgroups", 3):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(AgentError, "cgroup_mount"):
                processors.mount(wrong)


class ResponseTest(unittest.TestCase):
    def test_connect_and_head(self) -> None:
        server = _Controller(200, b"")
        self.addCleanup(server.close)
        port = int(server.url.split(":")[2].split("/")[0])
        for fields in ({"port": port}, {"port": port, "path": "/index.html"}):
            probe = ResponseProbe.of(fields, "127.0.0.1")
            assert probe is not None
            took = probe.measure_ms()
            self.assertIsNotNone(took)
            self.assertGreater(took or 0, 0)

    def test_service_that_cannot_serve_gives_no_answer(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:

            def answer() -> None:
                connection, _ = server.accept()
                with connection:
                    connection.recv(1024)
                    connection.sendall(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")

            thread = threading.Thread(target=answer)
            thread.start()
            probe = ResponseProbe.of({"port": server.getsockname()[1], "path": "/"}, "127.0.0.1")
            assert probe is not None
            self.assertIsNone(probe.measure_ms())
            thread.join()

    def test_no_answer_is_none(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            probe = ResponseProbe.of({"port": silent.getsockname()[1], "path": "/", "timeout_s": 0.05}, "")
            assert probe is not None
            self.assertIsNone(probe.measure_ms())

    def test_errors_name_the_field(self) -> None:
        self.assertIsNone(ResponseProbe.of(None, ""))
        for wrong in (
            80,
            {},
            {"port": 0},
            {"port": 80, "path": "x"},
            {"port": 80, "url": "/"},
            {"port": 80, "path": "/a\r\nb"},
            {"port": 80, "timeout_s": 0},
        ):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(AgentError, "response|port|path|timeout_s"):
                ResponseProbe.of(wrong, "")


class ServerAgentTest(unittest.TestCase):
    """The program itself, alone in a folder, as it is on a server."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = Path(directory.name) / "agent.json"

    def command(self, *arguments: str, **fields: Any) -> list[str]:
        self.file.write_text(json.dumps({"id": "w1", "key": KEY, **fields}))
        return [sys.executable, "-I", "-B", str(_AGENTS / "server_agent.py"), "--config", str(self.file), *arguments]

    def test_dry_run_once_prints_one_report(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            done = subprocess.run(
                self.command("--once", "--dry-run", ports=[port], response={"port": port}), capture_output=True, text=True, timeout=30, cwd="/"
            )
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        head, body = done.stdout.splitlines()
        signature = hmac.new(bytes.fromhex(KEY), body.encode(), hashlib.sha256).hexdigest()
        self.assertEqual(f"malob-report 1 w1 {signature}", head)
        state = json.loads(body)["server"]
        self.assertEqual({"cpu", "connections", "response_ms", "answers"}, set(state))
        self.assertIs(True, state["answers"])
        self.assertTrue(0 <= state["cpu"] <= 1, state)
        self.assertEqual({str(port): 0}, state["connections"])

    def test_service_that_refuses_is_reported_to_give_no_answer(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        done = subprocess.run(self.command("--once", "--dry-run", response={"port": port}), capture_output=True, text=True, timeout=30)
        state = json.loads(done.stdout.splitlines()[1])["server"]
        self.assertIs(False, state["answers"])
        self.assertNotIn("response_ms", state)

    def test_once_fails_if_the_report_was_not_sent(self) -> None:
        done = subprocess.run(self.command("--once", controller="udp://127.0.0.1:9", address="192.0.2.7"), capture_output=True, text=True, timeout=30)
        self.assertEqual(1, done.returncode)
        self.assertIn("192.0.2.7 is not an address of this machine", done.stderr)

    def test_wrong_configuration_is_exit_code_2(self) -> None:
        done = subprocess.run(self.command("--once", prots=[80]), capture_output=True, text=True, timeout=30)
        self.assertEqual(2, done.returncode)
        self.assertRegex(done.stderr, f"{self.file}: unknown field 'prots'")

    def test_sigterm_ends_it(self) -> None:
        with subprocess.Popen(self.command("--dry-run", interval_s=3600), stdout=subprocess.PIPE, text=True) as agent:
            assert agent.stdout is not None
            self.assertTrue(agent.stdout.readline().startswith("malob-report 1 w1 "))
            began = time.monotonic()
            agent.send_signal(signal.SIGTERM)
            self.assertEqual(0, agent.wait(10))
        self.assertLess(time.monotonic() - began, 10)


class AgentCommandTest(unittest.TestCase):
    """./malob agent, on a data directory of its own."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.data = Path(directory.name) / "data"

    def run_it(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-B", str(_AGENTS.parent / "command.py"), "malob.cli", "agent", "--data", str(self.data), *arguments],
            capture_output=True,
            text=True,
            timeout=30,
        )

    def add(self, name: str, *more: str) -> subprocess.CompletedProcess[str]:
        return self.run_it("add", name, "--kind", "server", "--address", "10.0.0.11", *more)

    def test_added_agent_can_read_what_was_printed(self) -> None:
        done = self.add("web1", "--ports", "443,80", "--interface", "eth1")
        self.assertEqual(0, done.returncode, done.stderr)
        printed = json.loads(done.stdout)
        agent = configuration.parse(printed, "server", ("ports",))
        self.assertEqual(("web1", "10.0.0.11", "eth1"), (agent.id, agent.address, agent.interface))
        self.assertEqual([80, 443], configuration.ports(agent.own, "ports"))
        file = self.data / "agents.json"
        self.assertEqual(0o600, file.stat().st_mode & 0o777)
        self.assertEqual(
            {"allow_unsigned": False, "agents": [{"id": "web1", "kind": "server", "address": "10.0.0.11", "key": printed["key"]}]},
            json.loads(file.read_text()),
        )
        self.assertEqual(64, len(printed["key"]))

    def test_ipv6_address_is_stored_in_its_short_form(self) -> None:
        self.run_it("add", "web6", "--kind", "server", "--address", "2001:DB8:0::11")
        self.assertEqual("2001:db8::11", json.loads(self.run_it("list", "--json").stdout)[0]["address"])

    def test_other_addresses_of_a_machine_are_taken_once(self) -> None:
        self.assertEqual(0, self.add("web1", "--other-addresses", "2001:DB8::11,10.0.1.11").returncode)
        agent = json.loads((self.data / "agents.json").read_text())["agents"][0]
        self.assertEqual(("10.0.0.11", ["2001:db8::11", "10.0.1.11"]), (agent["address"], agent["other_addresses"]))
        self.assertEqual(2, self.run_it("add", "web2", "--kind", "server", "--address", "2001:db8::11").returncode)
        self.assertEqual(2, self.run_it("add", "web2", "--kind", "server", "--address", "10.0.0.12", "--other-addresses", "x").returncode)

    def test_list_shows_no_keys(self) -> None:
        key = json.loads(self.add("web1").stdout)["key"]
        table, document = self.run_it("list").stdout, self.run_it("list", "--json").stdout
        self.assertRegex(table, r"web1 +server +10\.0\.0\.11 +yes")
        self.assertEqual([{"id": "web1", "kind": "server", "address": "10.0.0.11", "signs": True}], json.loads(document))
        self.assertNotIn(key, table + document)

    def test_removed_agent_is_gone(self) -> None:
        self.add("web1")
        self.assertEqual(0, self.run_it("remove", "web1").returncode)
        self.assertEqual([], json.loads(self.run_it("list", "--json").stdout))
        self.assertEqual(2, self.run_it("remove", "web1").returncode)

    def test_wrong_use_changes_nothing(self) -> None:
        self.add("web1")
        before = (self.data / "agents.json").read_bytes()
        for wrong in (
            ["add", "web1", "--kind", "server", "--address", "10.0.0.12"],
            ["add", "web2", "--kind", "server", "--address", "10.0.0.11"],
            ["add", "a b", "--kind", "server", "--address", "10.0.0.12"],
            ["add", "web2", "--kind", "server", "--address", "10.0.0"],
            ["add", "web2", "--kind", "server", "--address", "fe80::1%eth0"],
            ["add", "web2", "--kind", "server", "--address", "::ffff:10.0.0.1"],
            ["add", "web2", "--kind", "node", "--address", "10.0.0.12"],
            ["add", "web2", "--kind", "link", "--address", "10.0.0.12", "--ports", "80"],
            ["add", "web2", "--kind", "server", "--address", "10.0.0.12", "--ports", "x"],
            [],
        ):
            with self.subTest(wrong=wrong):
                self.assertEqual(2, self.run_it(*wrong).returncode)
        self.assertEqual(before, (self.data / "agents.json").read_bytes())

    def test_damaged_file_is_left_alone(self) -> None:
        self.data.mkdir()
        (self.data / "agents.json").write_text("{")
        self.assertEqual(1, self.add("web1").returncode)
        self.assertEqual("{", (self.data / "agents.json").read_text())

    def test_rotated_agent_has_both_keys_for_a_while(self) -> None:
        before = json.loads(self.add("web1").stdout)["key"]
        done = self.run_it("rotate", "web1", "--overlap", "5")
        self.assertEqual(0, done.returncode, done.stderr)
        printed = json.loads(done.stdout)
        agent = json.loads((self.data / "agents.json").read_text())["agents"][0]
        self.assertEqual((printed["key"], before), (agent["key"], agent["former_key"]))
        self.assertNotEqual(before, printed["key"])
        self.assertTrue(0 <= time.time() + 300 - agent["former_until"] < 60, agent["former_until"])
        self.assertNotIn(before, self.run_it("list", "--json").stdout)

    def test_rotated_without_overlap_the_key_before_is_gone(self) -> None:
        before = json.loads(self.add("web1").stdout)["key"]
        self.assertEqual(0, self.run_it("rotate", "web1", "--overlap", "0").returncode)
        self.assertNotIn(before, (self.data / "agents.json").read_text())
        self.assertEqual(2, self.run_it("rotate", "web2").returncode)
