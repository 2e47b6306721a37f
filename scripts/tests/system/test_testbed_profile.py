"""CloudLab's profile, run by geni-lib as on CloudLab: the request that comes of it. Needs no root, but the Python package index once."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from malob.system.place import ROOT
from research.testbed import rules
from research.testbed.__main__ import PROFILE, PROFILED
from research.testbed.rspec import emulab, rspec
from tests.system import geni_lib


@pytest.mark.needs("geni-lib")
class TestbedProfileTest(unittest.TestCase):
    def request(self, **parameters: object) -> str:
        """What the portal would get."""
        with tempfile.TemporaryDirectory() as directory:
            out = Path(directory, "request.xml")
            chosen = Path(directory, "parameters.json")
            chosen.write_text(json.dumps(parameters))
            environment = {
                **os.environ,
                "GENILIB_PORTAL_MODE": "1",
                "GENILIB_PORTAL_REQUEST_PATH": str(out),
                "GENILIB_PORTAL_PARAMS_PATH": str(chosen),
            }
            done = subprocess.run([str(geni_lib.python()), str(PROFILE)], env=environment, capture_output=True, text=True, timeout=60)
            self.assertEqual((0, ""), (done.returncode, done.stdout), done.stderr)
            return out.read_text()

    def test_request_keeps_the_rules_and_has_the_rates_and_delays_of_the_kept_one(self) -> None:
        for name in PROFILED:
            request = self.request(network=name)
            self.assertEqual([], rules.faults(request), name)
            kept = (ROOT / "geni" / "rspec" / f"{name}.xml").read_text()
            self.assertEqual(properties(kept), properties(request))

    def test_each_machine_sets_itself_up(self) -> None:
        root = ElementTree.fromstring(self.request(network="thesis-two-servers"))
        commands = {node.get("client_id"): [one.get("command") for one in node.iter(rspec("execute"))] for node in root.iter(rspec("node"))}
        self.assertEqual(7, len(commands))
        self.assertEqual(
            [
                "sudo /local/repository/geni/setup/controller.sh --openflow-port 6653 --vip 10.0.0.100:80"
                " --member 10.0.0.11 --member 10.0.0.12 >/tmp/malob-setup.log 2>&1"
            ],
            commands["controller"],
        )
        self.assertEqual(
            [
                "sudo /local/repository/geni/setup/switch.sh --datapath-id 00:00:00:00:00:00:02:02 --controller 192.168.254.1:6653"
                " --port 1=10.0.0.252/24 --port 2=192.168.2.2/24 --node 3=10.0.0.203/24 >/tmp/malob-setup.log 2>&1"
            ],
            commands["server-2-switch"],
        )
        self.assertEqual(["sudo /local/repository/geni/setup/client.sh --address 10.0.0.1/24 >/tmp/malob-setup.log 2>&1"], commands["client"])

    def test_switches_and_controller_share_a_network_of_their_own(self) -> None:
        root = ElementTree.fromstring(self.request(network="thesis-two-servers"))
        control = next(one for one in root.iter(rspec("link")) if one.get("client_id") == "control")
        self.assertEqual(
            ["controller:control", "client-switch:control", "server-1-switch:control", "server-2-switch:control"],
            [one.get("client_id") for one in control.findall(rspec("interface_ref"))],
        )

    def test_parameters_change_the_request(self) -> None:
        plain = self.request(network="thesis-two-servers", shaped=False, setup=False, ram=4096)
        self.assertEqual(set(), properties(plain))
        self.assertNotIn("execute", plain)
        memory = {one.get("ram") for one in ElementTree.fromstring(plain).iter(emulab("xen"))}
        self.assertEqual({"4096"}, memory)


def properties(request: str) -> set[tuple[str | None, ...]]:
    return {
        tuple(one.get(name) for name in ("source_id", "dest_id", "capacity", "latency"))
        for one in ElementTree.fromstring(request).iter(rspec("property"))
    }


if __name__ == "__main__":
    unittest.main()
