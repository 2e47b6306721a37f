from __future__ import annotations

import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import pytest

from malob.cli.mptcp import planner, question
from malob.errors import ScriptError
from malob.network import topology
from malob.system.place import ROOT
from malob.system.processes import run
from malob.system.waiting import say, wait_until
from tests.system.base import NAME, SystemTest


def _mptcp(*words: str) -> str:
    """What `./malob mptcp` prints. Raises ScriptError with its last words if it fails."""
    return run([sys.executable, str(ROOT / "scripts" / "command.py"), "malob.cli", "mptcp", *words], timeout_s=180)


class OfflineTest(unittest.TestCase):
    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self.shortDescription()}")

    def test_every_network_has_a_plan(self) -> None:
        """the networks of the MPTCP paper's kind have plans whose links carry what their paths say"""
        # addresses: as many as core links, for each host
        for name, addresses in (("mptcp-1", 22), ("gridnet", 80), ("att-mpls", 108), ("fat-tree:4", 32)):
            for vlan in ([], ["--vlan"]):
                with self.subTest(name=name, vlan=vlan):
                    plan = json.loads(_mptcp("plan", name, "--json", "--method", "balanced", *vlan))
                    self.assertEqual(addresses, len(plan["paths"]))
                    self.assertEqual(_carried(plan), sum(link["subflows"] for link in plan["links"]))

    def test_picture(self) -> None:
        """a plan is drawn where the user wants it, and told as well"""
        with tempfile.TemporaryDirectory(prefix="malob-test-") as directory:
            picture = Path(directory, "plan.svg")
            self.assertIn("proven optimal: yes", _mptcp("plan", "mptcp-1", "--vlan", "--method", "balanced", "--svg", str(picture)))
            self.assertTrue(picture.read_text().startswith("<svg"))

    def test_archive_of_classes(self) -> None:
        """a plan is the same with an archive of classes and without, and the archive is used"""
        request = question.offline(topology.load("att-mpls"))
        # builds it
        planned = planner.plan(request)
        java = run(["bash", "-c", f". {ROOT}/scripts/malob/launcher/java.sh; find_java"]).strip() + "/bin/java"
        program = ["-cp", str(ROOT / "target" / "malob.jar"), "io.malob.mptcp.PlanCommand"]
        plain = planner.plan(request, command=(java, "-Xshare:off", *program))
        self.assertEqual(plain, planned)
        with tempfile.TemporaryDirectory(prefix="malob-test-") as directory:
            # a release of the same jars, in which there is none yet
            release = Path(directory)
            (release / "target").mkdir()
            for name in ("scripts", "target/malob.jar", "target/lib"):
                (release / name).symlink_to(ROOT / name)
            shutil.copy(ROOT / "malob", release)
            for _ in range(2):
                self.assertEqual(plain, planner.plan(request, command=(str(release / "malob"), "java", program[-1])))
            [archive] = (release / "target").glob("*.jsa")
            program[1] = str(release / "target" / "malob.jar")
            loaded = release / "loaded"
            words = (java, f"-XX:SharedArchiveFile={archive}", f"-Xlog:class+load:file={loaded}", *program)
            self.assertEqual(plain, planner.plan(request, command=words))
            classes = [line for line in loaded.read_text().splitlines() if "io.malob." in line and "Lambda" not in line]
            self.assertGreater(len(classes), 50)
            self.assertLess(sum("source: file" in line for line in classes), len(classes) // 10, "classes that are not in the archive")

    def test_mistakes(self) -> None:
        """what cannot be planned is wrong use, in words that name it"""
        for words, said in ((["--only-vlan", "7"], "VLAN 7"), (["--traffic", "h1:h99"], "h99")):
            with self.subTest(words=words), self.assertRaisesRegex(ScriptError, said):
                _mptcp("plan", "mptcp-1", *words)


def _carried(plan: Any) -> int:
    """Each path counts once on each of its links."""
    return sum(len({frozenset(hop) for branch in path["branches"] for hop in zip(branch, branch[1:])}) for path in plan["paths"])


@pytest.mark.needs("emulator")
class CommandTest(SystemTest):
    """The walk of docs/how-to/mptcp.md, but for the traffic."""

    topology_name = "mptcp-1"

    def test_walk(self) -> None:
        """a plan is set up, hosts get their aliases, packets between these take its paths, and all of it goes again"""
        controller = ["--http", f"127.0.0.1:{self.controller.http_port}"]
        _mptcp("apply", "--name", NAME, "--vlan", *controller)
        status = wait_until_applied(controller)
        # twice, as a user may
        for _ in range(2):
            self.assertIn("h1: ", _mptcp("hosts", "--name", NAME, *controller))
        endpoints = self.on("h1", "ip", "mptcp", "endpoint")
        for alias in ("10.0.0.11", "10.0.0.21"):
            self.assertIn(alias, endpoints)
        [path] = [path for path in status["plan"]["paths"] if path["address"] == "10.0.0.21"]
        # by port 3 to s4, where h6 is, in the paper's Table II
        self.assertEqual(3, path["port"])
        first, *others = (self._packets("s1", port) for port in (3, 4, 5))
        self.on("h1", "ping", "-n", "-c", "20", "-i", "0.05", "-W", "2", "-I", "10.0.0.21", "10.0.0.14")
        self.assertGreaterEqual(self._packets("s1", 3) - first, 20)
        for port, before in zip((4, 5), others):
            # link probes are there always
            self.assertLess(self._packets("s1", port) - before, 20)
        _mptcp("clear", *controller)
        self.assertEqual("state: none", _mptcp("status", *controller).strip())
        # what leads nowhere any more goes last
        wait_until(lambda: not self._rules_of_vlans(), "the rules to go", 15)

    def _rules_of_vlans(self) -> list[str]:
        return [rule for switch in self.lab.topology.switches for rule in self.rules(switch) if "vlan" in rule]

    def _packets(self, switch: str, port: int) -> int:
        """How many have left by a port."""
        counters = self.lab.shaper.read(self.lab.link_device(switch, self._neighbour(switch, port)))
        return counters.packets

    def _neighbour(self, switch: str, port: int) -> str:
        return next(name for name, number in self.lab.topology.ports(switch).items() if number == port)


def wait_until_applied(controller: list[str]) -> Any:
    """The status, once all switches have their rules."""
    seen: list[Any] = []

    def applied() -> bool:
        seen[:] = [json.loads(_mptcp("status", "--json", *controller))]
        return bool(seen[0]["state"] == "applied")

    wait_until(applied, "the plan to be applied", 20)
    return seen[0]


if __name__ == "__main__":
    unittest.main()
