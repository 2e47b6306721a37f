from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from malob.system.lock import locked
from malob.system.place import ROOT
from malob.system.ports import free_ports, port_is_free
from malob.system.waiting import wait_until
from tests.unit.answering import answering_all

_ETCD = f"""#!{sys.executable} -B
import http.server, os, sys
options = dict(word.split("=", 1) for word in sys.argv[1:])
folder = os.environ["STARTED"]
with open(f"{{folder}}/{{os.getpid()}}", "w") as file:
    file.write(" ".join(sys.argv[1:]))
if os.environ.get("FAILS") == options["--name"]:
    sys.exit("no such cluster")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{{"health":"true"}}')
    def log_message(self, *_):
        pass
os.makedirs(options["--data-dir"])
port = int(options["--listen-client-urls"].rpartition(":")[2])
http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


class ClusterCommandTest(unittest.TestCase):
    """./malob cluster, with a program in etcd's place that says that it is healthy."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.programs, self.temporary, self.started = (Path(directory.name) / name for name in ("bin", "tmp", "started"))
        for folder in (self.programs, self.temporary, self.started):
            folder.mkdir()
        etcd = self.programs / "etcd"
        etcd.write_text(_ETCD)
        etcd.chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "TMPDIR": str(self.temporary),
            "STARTED": str(self.started),
            "ETCD_NAME": "must-not-be-seen",
        }
        self.command = [sys.executable, "-B", str(ROOT / "scripts" / "command.py"), "malob.cli", "cluster"]

    def refused(self, *arguments: str, **environment: str) -> tuple[int, str]:
        done = subprocess.run([*self.command, *arguments], capture_output=True, text=True, timeout=60, env={**self.environment, **environment})
        self.assertEqual("", done.stdout)
        return done.returncode, done.stderr

    def start(self, *arguments: str) -> tuple[subprocess.Popen[str], str]:
        """A running one, and the option that it has printed."""
        process = subprocess.Popen([*self.command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    def servers(self) -> list[int]:
        return [int(file.name) for file in self.started.iterdir()]

    def running(self) -> list[int]:
        return [pid for pid in self.servers() if Path(f"/proc/{pid}").exists()]

    def remains(self) -> list[str]:
        return [path.name for path in self.temporary.iterdir()]

    def test_it_prints_the_option_of_three_servers_and_stops_them_on_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            process, option = self.start()
            self.assertRegex(option, r"^--etcd (http://127\.0\.0\.1:\d+,){2}http://127\.0\.0\.1:\d+$")
            self.assertEqual(3, len(self.running()))
            self.assertEqual(1, len(self.remains()))
            process.send_signal(number)
            _, told = process.communicate(timeout=30)
            self.assertEqual(0, process.returncode, told)
            self.assertEqual([], self.running())
            self.assertEqual([], self.remains())

    def test_after_kill_9_no_server_is_left_and_the_next_start_removes_the_data(self) -> None:
        process, _ = self.start()
        process.kill()
        process.communicate()
        wait_until(lambda: not self.running(), "the servers to end", 20)
        left = self.remains()
        other, _ = self.start()
        self.assertEqual(1, len(self.remains()))
        self.assertNotEqual(left, self.remains())
        third, _ = self.start()
        self.assertEqual(2, len(self.remains()), "that of a cluster that runs stays")
        for each in (other, third):
            each.terminate()
            each.communicate(timeout=30)
        self.assertEqual([], self.remains())

    def test_directory_of_a_run_in_another_pid_namespace_stays(self) -> None:
        other = self.temporary / "malob-cluster-other"
        with locked(other / "lock", "uses this directory", 0):
            (other / "owner").write_text("4194304 1")  # no process here has this number
            process, _ = self.start()
            self.assertTrue(other.exists())
        process.terminate()
        process.communicate(timeout=30)
        process, _ = self.start()
        self.assertFalse(other.exists(), "that run has ended")
        process.terminate()
        process.communicate(timeout=30)

    def test_ports_and_data_are_those_of_the_options(self) -> None:
        first = next(port for port in free_ports(50) if all(port_is_free(port + offset) for offset in range(6)))
        data = self.temporary / "kept"
        process, option = self.start("--port", str(first), "--data", str(data))
        self.assertEqual(f"--etcd http://127.0.0.1:{first},http://127.0.0.1:{first + 2},http://127.0.0.1:{first + 4}", option)
        process.terminate()
        process.communicate(timeout=30)
        self.assertTrue((data / "etcd-1").is_dir())
        words = {file.read_text().split()[0] for file in self.started.iterdir()}
        self.assertEqual({"--name=etcd-1", "--name=etcd-2", "--name=etcd-3"}, words)

    def test_wrong_options_are_one_line(self) -> None:
        for arguments, problem in (
            (("--port", "x"), "argument --port: expected a port, 1 to 65535, not 'x'"),
            (("--port", "65531"), "--port: expected at most 65530, as 6 ports are used, not 65531"),
            (("--data", "d"), "--data needs --port: etcd stores the ports of its servers with the data"),
        ):
            code, told = self.refused(*arguments)
            self.assertEqual(2, code, told)
            self.assertIn(f"malob cluster: {problem}", told)
            self.assertEqual(1, told.count("\n"))
        self.assertEqual([], self.servers())

    def test_requests_go_to_a_running_controller(self) -> None:
        asked = []

        def answer(method: str, path: str, body: Any) -> tuple[int, Any]:
            asked.append((method, path))
            return 200, {"handed_over": 5, "generation_base": 700, "mastership": "spread"}

        with answering_all(answer) as number:
            for request, told in (
                ("handover", "5 switches handed over\n"),
                ("raise-base", "base of generation ids: 700\n"),
                ("mastership spread", "mastership: spread\n"),
            ):
                done = subprocess.run([*self.command, *request.split(), "--http", f"127.0.0.1:{number}"], capture_output=True, text=True, timeout=60)
                self.assertEqual((0, told), (done.returncode, done.stdout), done.stderr)
        self.assertEqual(
            [("POST", "/wm/malob/cluster/handover"), ("POST", "/wm/malob/cluster/generation-base"), ("PUT", "/wm/malob/cluster/mastership")],
            asked,
        )

    def test_policy_belongs_to_mastership(self) -> None:
        for words in (["mastership"], ["handover", "spread"]):
            code, told = self.refused(*words)
            self.assertEqual(2, code)
            self.assertIn("needs a policy: single or spread", told)

    def test_port_in_use_is_refused(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            number = taken.getsockname()[1]
            code, told = self.refused("--port", str(number))
        self.assertEqual(3, code)
        self.assertIn(f"port {number} is in use", told)

    def test_server_that_ends_at_once_is_told_with_its_last_words(self) -> None:
        code, told = self.refused(FAILS="etcd-2")
        self.assertEqual(1, code)
        self.assertIn("malob cluster: etcd-2 ended at once: no such cluster", told)
        self.assertEqual(([], []), (self.running(), self.remains()))
