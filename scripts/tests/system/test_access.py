"""Who gets in: real switches over TLS, and a controller without any privilege that asks for tokens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from malob.network import topology
from malob.system import ovs
from malob.system.place import ROOT
from malob.system.ports import free_port
from malob.system.processes import ProcessId, bound_to_us, find_program, run
from malob.system.waiting import wait_until
from tests.system.base import SystemTest

_CORE = "io.malob.controller.core.CoreModule."
_NOBODY = "65534"


def _certificates(directory: Path) -> None:
    """Files NAME.key and NAME.pem for ca, controller, switches; and for strangers, whom another authority vouches for."""
    for authority in ("ca", "strangers-ca"):
        _openssl(
            directory,
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            f"/CN={authority}",
            "-keyout",
            f"{authority}.key",
            "-out",
            f"{authority}.pem",
        )
    for name, authority in (("controller", "ca"), ("switches", "ca"), ("strangers", "strangers-ca")):
        _openssl(
            directory,
            "req",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-subj",
            f"/CN={name}",
            "-keyout",
            f"{name}.key",
            "-out",
            f"{name}.csr",
        )
        _openssl(
            directory,
            "x509",
            "-req",
            "-days",
            "2",
            "-in",
            f"{name}.csr",
            "-CA",
            f"{authority}.pem",
            "-CAkey",
            f"{authority}.key",
            "-CAcreateserial",
            "-out",
            f"{name}.pem",
        )


def _openssl(directory: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True, timeout=30)


@pytest.mark.needs("emulator")
class OpenFlowTlsTest(SystemTest):
    topology_name = "thesis-two-servers"

    files: Path

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="malob-tls-")
        cls.addClassCleanup(directory.cleanup)
        cls.files = Path(directory.name)
        _certificates(cls.files)
        cls.properties = {
            _CORE + "certificate": str(cls.files / "controller.pem"),
            _CORE + "privateKey": str(cls.files / "controller.key"),
            _CORE + "clientAuthorities": str(cls.files / "ca.pem"),
            _CORE + "switches": ",".join(topology.load(cls.topology_name).switches.values()),
        }
        cls.addClassCleanup(ovs.vsctl, "del-ssl", check=False)
        super().setUpClass()

    @classmethod
    def wait_for_network(cls) -> None:
        cls.connect("switches", "ssl")
        super().wait_for_network()

    @classmethod
    def connect(cls, name: str, scheme: str) -> None:
        """All switches, anew and with this certificate: what is connected does not look at another one."""
        for switch in cls.lab.topology.switches:
            ovs.vsctl("del-controller", cls.lab.bridge(switch))
        ovs.vsctl("set-ssl", str(cls.files / f"{name}.key"), str(cls.files / f"{name}.pem"), str(cls.files / "ca.pem"))
        for switch in cls.lab.topology.switches:
            bridge = cls.lab.bridge(switch)
            ovs.vsctl(
                "set-controller",
                bridge,
                f"{scheme}:{cls.controller.endpoint}",
                "--",
                "set",
                "Controller",
                bridge,
                "max_backoff=1000",
                "connection_mode=out-of-band",
            )

    def test_hosts_reach_each_other_and_strangers_do_not_get_in(self) -> None:
        """switches with a certificate work as always; with one of somebody else, or without TLS, they are not let in"""
        self.wait_for_answers()
        for name, scheme in (("strangers", "ssl"), ("switches", "tcp")):
            self.connect(name, scheme)
            wait_until(lambda: self.controller.rest.switch_count() == 0, "the switches to go", 10)
            time.sleep(1.5)  # they try again every second
            self.assertEqual(0, self.controller.rest.switch_count(), (name, scheme))
        self.wait_for_network()
        self.wait_for_answers()

    def wait_for_answers(self) -> None:
        """Hosts reach each other a moment after the links are known."""
        wait_until(lambda: self.ping("client", self.servers[0].ip) == (3, 0), "answers of a server", 15)


class UnprivilegedControllerTest(unittest.TestCase):
    """As the service runs: another user, no capability, tokens on all addresses."""

    def test_runs_without_root_and_lets_in_who_has_a_token(self) -> None:
        """with no capability it serves, wants a token, and takes one that is made while it runs; no secret is left about"""
        with tempfile.TemporaryDirectory(prefix="malob-access-") as place:
            data = Path(place) / "data"
            data.mkdir()
            os.chmod(place, 0o755)
            os.chown(data, int(_NOBODY), int(_NOBODY))
            # the checkout may be in a home that other users may not enter; /run is the class's own
            checkout = Path("/run/checkout")
            checkout.mkdir()
            run(["mount", "--bind", str(ROOT), str(checkout)])
            admin = self.token(data, "ops", "admin")
            port = free_port()
            command = bound_to_us(
                [
                    find_program("setpriv") or "setpriv",
                    f"--reuid={_NOBODY}",
                    f"--regid={_NOBODY}",
                    "--clear-groups",
                    "--inh-caps=-all",
                    "--bounding-set=-all",
                    "--no-new-privs",
                    str(checkout / "malob"),
                    "run",
                    "--bind",
                    "0.0.0.0",
                    "--openflow-port",
                    str(free_port()),
                    "--http-port",
                    str(port),
                    "--data",
                    str(data),
                ]
            )
            log = Path(place) / "log"
            with open(log, "wb") as out:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
            try:
                wait_until(
                    lambda: process.poll() is not None or self.status(port, "/wm/core/health/json") == 200,
                    "the controller",
                    60,
                    detail=lambda: log.read_text()[-300:],
                )
                self.assertIsNone(process.poll(), log.read_text())
                status = Path(f"/proc/{process.pid}/status").read_text()
                self.assertRegex(status, rf"Uid:\s+{_NOBODY}\s+{_NOBODY}\s+{_NOBODY}\s+{_NOBODY}\n")
                self.assertRegex(status, r"CapEff:\s+0+\n")
                self.assertEqual((401, 200, 401), tuple(self.status(port, "/metrics", token) for token in (None, admin, "malob_guess")))
                reader = self.token(data, "grafana", "read-only")
                wait_until(lambda: self.status(port, "/metrics", reader) == 200, "the new token to count", 10)
                self.assertEqual(403, self.status(port, "/quantum/v1.0/vips/", reader, {"address": "10.0.0.100"}))
                self.assertEqual(201, self.status(port, "/quantum/v1.0/vips/", admin, {"address": "10.0.0.100"}))
                self.assertRegex(log.read_text(), r"audit request=1 who=ops from=127\.0\.0\.1 method=POST path=\S+\n")
                self.assertRegex(log.read_text(), r"audit_result request=1 status=201")
                self.nothing_tells(Path(place), [admin, reader])
            finally:
                own = ProcessId.of(process.pid)
                if own is not None:
                    own.end(patience_s=10)
                process.wait()

    @staticmethod
    def token(data: Path, name: str, role: str) -> str:
        return run([str(ROOT / "malob"), "token", "--data", str(data), "add", name, "--role", role]).strip()

    @staticmethod
    def status(port: int, path: str, token: str | None = None, body: dict[str, str] | None = None) -> int:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}{path}",
            None if body is None else json.dumps(body).encode(),
            {} if token is None else {"Authorization": f"Bearer {token}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def nothing_tells(self, place: Path, secrets: list[str]) -> None:
        """No file has a token in it, and those with hashes of them can be read by their owner alone."""
        for file in (each for each in place.rglob("*") if each.is_file()):
            content = file.read_bytes()
            self.assertFalse(any(secret.encode() in content for secret in secrets), file)
            if re.search(rb'"sha256"', content):
                self.assertEqual(0, file.stat().st_mode & 0o077, file)
