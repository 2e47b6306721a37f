"""The page in a real browser: an operator sees the network, makes a VIP, watches traffic, drains a server."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import unittest

import pytest

from lab import processes
from malob.system.place import ROOT
from malob.system.preparation import prepare
from tests.system.base import SystemTest

WALK = ROOT / "src/test/web/walk.mjs"
SECONDS = 120


@pytest.mark.needs("page")
class PageModulesTest(unittest.TestCase):
    def test_modules_without_a_browser(self) -> None:
        """what the page computes: edges, rates, histories, places, texts"""
        prepare("page")
        done = subprocess.run(["node", "--test", str(WALK.with_name("modules.test.mjs"))], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)


@pytest.mark.needs("page")
class PageTest(SystemTest):
    topology_name = "mesh5"

    def test_operators_walk(self) -> None:
        """network, an error beside its field, a VIP, its traffic, the minutes before, why a server, draining one, checking one; nobody is kept out"""
        prepare("page")
        client, (first, second) = self.lab.topology.hosts["c1"], self.servers[:2]
        self.addCleanup(self.remove_virtual, "shops")
        # the balancer asks for servers that it has not seen; a client it knows only when that has sent something
        self.ping(client.name, first.ip)
        folder = tempfile.mkdtemp(prefix="malob-page-")  # stays after a failure
        walk = subprocess.Popen(
            ["node", str(WALK), f"http://127.0.0.1:{self.controller.http_port}/", client.ip, first.ip, second.ip, folder],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert walk.stdout is not None and walk.stderr is not None
        steps = []
        try:
            for line in walk.stdout:
                steps.append(line.strip())
                if line.strip() == "vip":
                    self._send(client.name)
            complaint = walk.stderr.read()
        finally:
            if walk.poll() is None:
                walk.kill()
            walk.wait()
            walk.stdout.close()
            walk.stderr.close()
        self.assertEqual(
            ["network", "error", "vip", "traffic", "history", "why", "drained", "checked", "everybody"],
            steps,
            f"{complaint}\nhow the page looked then: {folder}/page.png",
        )
        shutil.rmtree(folder)
        self.assertEqual("drain", self.controller.rest.get("/quantum/v1.0/members/two")["admin_state"])

    def _send(self, client: str) -> None:
        """Requests from now on until the test ends."""
        sender = subprocess.Popen(
            processes.script(self.lab, client, processes.REQUESTER, "10.0.0.100", "80", "--rate", "20", "--seconds", str(SECONDS)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(sender.wait)
        self.addCleanup(sender.kill)
