"""The walk of an operator who has nothing but ./malob: a service from nothing to its end."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from lab import processes
from malob.system.place import ROOT
from malob.system.waiting import wait_until
from tests.system.base import SystemTest

ADDRESS = "10.0.0.160"

TALKER = Path(__file__).parent / "talker.py"
TALK_PORT = 7000


class CommandLineTest(SystemTest):
    topology_name = "single"

    def test_service_is_set_up_used_drained_and_applied_anew(self) -> None:
        self.malob("vip", "add", "web", "--address", ADDRESS, "--protocol", "tcp")
        self.malob("pool", "add", "servers", "--vip", "web", "--lb-method", "RR")
        members = dict(zip(("a", "b"), self.servers))
        for member, server in members.items():
            self.malob("member", "add", member, "--address", server.ip, "--pool", "servers")
        self.assertEqual(["a", "b"], [line.split()[0] for line in self.malob("member", "list").splitlines()[1:]])
        wait_until(lambda: {row["state"] for row in self._top()["members"]} == {"up"}, "the servers to be found", 20)
        self.assertEqual({server.name: 3 for server in self.servers}, self.requests("c1", ADDRESS, 80, 6))

        held = self._hold_a_connection()
        member = self.malob_json("connections", "--vip", "web", "--state", "open")["connections"][0]["member_id"]
        other = members["a" if member == "b" else "b"]
        draining = self._begin(self._command("member", "drain", member, "--wait", "--timeout", "60"))
        wait_until(lambda: self.malob_json("member", "show", member)["admin_state"] == "drain", "the member to be drained", 20)
        self.assertEqual({other.name: 6}, self.requests("c1", ADDRESS, 80, 6))
        self.assertIsNone(draining.poll(), "its connection is open still")
        held.communicate("quit\n", timeout=20)
        out, err = draining.communicate(timeout=60)
        self.assertEqual((0, ""), (draining.returncode, err))
        self.assertIn("drain", out)

        self.malob("member", "rm", member)
        self.assertEqual([other.ip], [each["address"] for each in self.malob_json("member", "list")])
        self._apply_with_weight_of(members[member].ip, member)
        self.assertEqual({other.name: 2, members[member].name: 4}, self.requests("c1", ADDRESS, 80, 6))
        self._end_all()

    def _apply_with_weight_of(self, address: str, member: str) -> None:
        """The member comes back, with two thirds of the requests."""
        tree = self.malob_json("config")
        tree["pools"][0]["lb_method"] = "WRR"
        tree["members"].append({"id": member, "address": address, "pool_id": "servers", "weight": 2})
        file = self._file("tree.json", json.dumps(tree))
        self.assertEqual(1, self.status("apply", file, "--check"))
        self.assertEqual(1, len(self.malob_json("member", "list")))
        shown = self.malob("apply", file, "--yes")
        self.assertEqual(["+", "~"], sorted(line[0] for line in shown.splitlines()))
        self.assertEqual(0, self.status("apply", file, "--check"))
        wait_until(lambda: {row["state"] for row in self._top()["members"]} == {"up"}, "the server to be found again", 20)

    def _end_all(self) -> None:
        """As YAML, what there is changes nothing; what is not there goes, but for what is wrong nothing does."""
        text = self.malob("config")
        self.assertEqual(0, self.status("apply", self._file("tree.yaml", text), "--check"))
        wrong = text.replace(ADDRESS, "10.0.0.999")
        self.assertEqual(2, self.status("apply", self._file("wrong.yaml", wrong), "--yes"))
        self.assertEqual(text, self.malob("config"))
        tree = {**self.malob_json("config"), "vips": [], "pools": [], "members": []}
        self.malob("apply", self._file("empty.json", json.dumps(tree)), "--yes")
        self.assertEqual("", self.malob("vip", "list"))
        self.assertNotIn("w1", self.requests("c1", ADDRESS, 80, 1))

    def _top(self) -> Any:
        return self.malob_json("top", "--once", "--interval", "0.1")

    def _hold_a_connection(self) -> subprocess.Popen[str]:
        """A client that talks over one connection until it is told to end."""
        for server in self.servers:
            self._begin(processes.script(self.lab, server.name, TALKER, "serve", server.name, str(TALK_PORT)))
            wait_until(lambda: f":{TALK_PORT}" in self.on(server.name, "ss", "-Hltn"), "the talker to listen", 20)
        held = self._begin(processes.script(self.lab, "c1", TALKER, "hold", ADDRESS, str(TALK_PORT)))
        assert held.stdout is not None
        self.assertIn("local", held.stdout.readline())
        self.assertIn("by", held.stdout.readline())
        return held

    def _begin(self, command: list[str]) -> subprocess.Popen[str]:
        begun = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(begun.communicate)
        self.addCleanup(begun.kill)
        return begun

    def _file(self, name: str, text: str) -> str:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        file = Path(directory.name, name)
        file.write_text(text)
        return str(file)

    def _command(self, *words: str) -> list[str]:
        return ["env", f"MALOB_URL=http://127.0.0.1:{self.controller.http_port}", str(ROOT / "malob"), *words]

    def status(self, *words: str) -> int:
        """The exit code of a command."""
        return subprocess.run(self._command(*words), capture_output=True, timeout=30).returncode

    def malob(self, *words: str) -> str:
        """What a command prints, which must succeed."""
        done = subprocess.run(self._command(*words), capture_output=True, text=True, timeout=30)
        self.assertEqual(0, done.returncode, f"{words}: {done.stderr}")
        return done.stdout

    def malob_json(self, *words: str) -> Any:
        return json.loads(self.malob(*words, "--json"))
