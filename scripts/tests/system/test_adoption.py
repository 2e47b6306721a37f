"""Connections that are open while the controller, or its connection to a switch, is away."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lab import balancing, processes
from lab.balancing import VirtualServer
from malob.system import ovs
from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest

TRANSFER = Path(__file__).parent / "transfer.py"
PORT = 8500
BYTES_PER_SECOND = 3_000_000


class Transfer:
    """A long download from a server through a VIP."""

    def __init__(self, test: SystemTest, client: str, server: str, address: str) -> None:
        self._progress = test.lab.directory / f"{client}.progress"
        self._progress.write_text("0", encoding="ascii")
        self._server = subprocess.Popen(
            processes.script(test.lab, server, TRANSFER, "serve", str(PORT), str(BYTES_PER_SECOND)), stdout=subprocess.PIPE, text=True
        )
        test.addCleanup(processes.end, self._server)
        assert self._server.stdout is not None
        self._server.stdout.readline()
        self._client = subprocess.Popen(
            processes.script(test.lab, client, TRANSFER, "fetch", address, str(PORT), str(self._progress)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        test.addCleanup(processes.end, self._client)
        self.wait_for_more(1_000_000)

    def received(self) -> int:
        return int(self._progress.read_text(encoding="ascii") or "0")

    def wait_for_more(self, count: int) -> None:
        """Returns once so many more bytes have arrived."""
        wanted = self.received() + count
        wait_until(lambda: self.received() >= wanted, f"{count} more bytes", 30, detail=lambda: f"at {self.received()}")

    def finish(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Ends it; what was sent and what has arrived."""
        got, _ = self._client.communicate("", timeout=60)
        sent, _ = self._server.communicate(timeout=60)
        return json.loads(sent), json.loads(got)


@pytest.mark.beside
class AdoptionTest(SystemTest):
    properties = {
        "io.malob.balancer.BalancerModule.auditSeconds": "10",
        "io.malob.balancer.BalancerModule.adoptSeconds": "10",
    }

    def test_download_outlives_the_controller(self) -> None:
        """kill -9 in the middle of a download, a new controller, then a link of its path breaks"""
        virtual = self.virtual("kill", "10.0.0.140", PORT, servers=[self.servers[1]])
        beside = self.virtual("beside", "10.0.0.141", 80)
        transfer = Transfer(self, "c1", self.servers[1].name, virtual.address)
        rules = self._connection_rules(virtual)
        self.assertEqual(2, len(rules), rules)

        self.controller.kill()
        transfer.wait_for_more(5_000_000)
        self.controller.start()
        self.wait_for_network()
        wait_until(lambda: self._audits()["connections_adopted"] == 1, "the connection to be adopted", 30, detail=lambda: str(self._audits()))
        self.assertEqual(1, self._active(virtual))
        self.assertEqual(rules, self._connection_rules(virtual), "no rule was touched")
        transfer.wait_for_more(5_000_000)

        used = self._path(self.lab.topology.hosts["c1"].switch, self.servers[1].switch)
        self.lab.set_link(used[0], used[1], up=False)
        self.addCleanup(self.lab.set_link, used[0], used[1], True)
        transfer.wait_for_more(5_000_000)
        self.assertEqual(rules, self._connection_rules(virtual), "the new controller repaired the path")
        wait_until(lambda: balancing.all_located(self.controller.rest, beside), "the servers to be found again", 15)
        self.assertEqual(self.server_names, set(self.requests("c1", beside.address, 80, 12)))

        self._check_end(transfer, virtual)

    def test_download_outlives_a_switchs_connection(self) -> None:
        """the client's and then the server's switch lose the controller for a while"""
        server = self.servers[0]
        virtual = self.virtual("away", "10.0.0.142", PORT, servers=[server])
        transfer = Transfer(self, "c2", server.name, virtual.address)
        slept = self._audits()["connections_slept"]
        for switch in (self.lab.topology.hosts["c2"].switch, server.switch):
            bridge = self.lab.bridge(switch)
            self._set_controller(bridge, "127.0.0.1:1")
            wait_until(lambda: self.controller.rest.switch_count() == 4, "the switch to be away", 20)
            transfer.wait_for_more(5_000_000)
            self._set_controller(bridge, self.controller.endpoint)
            self.wait_for_network()
            transfer.wait_for_more(5_000_000)
            self.assertEqual(1, self._active(virtual))
        self.assertEqual(slept, self._audits()["connections_slept"])
        self._check_end(transfer, virtual)

    def test_rule_that_belongs_to_nothing_goes(self) -> None:
        """a rule with the balancer's cookie that no connection has, and a label's rule that was deleted by hand"""
        virtual = self.virtual("round", "10.0.0.143", 80, servers=[self.servers[0]])
        self.assertEqual({self.servers[0].name}, set(self.requests("c1", virtual.address, 80, 3)))
        edge = self.lab.topology.hosts["c1"].switch
        bridge = self.lab.bridge(edge)
        labels = self._label_rules(edge)
        ovs.ofctl("del-flows", bridge, "table=2,cookie=0x6524000000000000/0xffff000000000000")
        ovs.ofctl(
            "add-flow",
            bridge,
            "cookie=0x6522001000100001,table=1,priority=1000,tcp,nw_src=10.0.0.250,nw_dst=10.0.0.143,tp_src=1,tp_dst=80,actions=goto_table:3",
        )
        self.assertEqual([], self._label_rules(edge))
        self.assertEqual(1, len(self.rules_naming("10.0.0.250")))
        wait_until(lambda: not self.rules_naming("10.0.0.250"), "the rule to go", 25)
        wait_until(lambda: set(labels) <= set(self._label_rules(edge)), "the labels to be there again", 25)

    def _label_rules(self, switch: str) -> list[str]:
        return [rule for rule in self.rules(switch) if "cookie=0x6524" in rule]

    def _set_controller(self, bridge: str, endpoint: str) -> None:
        # changed, not deleted: a bridge that has no controller at all loses its rules
        ovs.vsctl("set", "Controller", bridge, f'target="tcp:{endpoint}"')

    def _check_end(self, transfer: Transfer, virtual: VirtualServer) -> None:
        sent, got = transfer.finish()
        self.assertIsNone(got["error"])
        self.assertIsNone(sent["error"])
        self.assertEqual(sent, got)
        say(f"  {got['bytes']} bytes, sha256 {got['sha256'][:16]}...")
        wait_until(lambda: self._active(virtual) == 0, "the connection to end", 10)
        wait_until(lambda: not self._connection_rules(virtual), "its rules to go", 40)

    def _connection_rules(self, virtual: VirtualServer) -> list[str]:
        """The rules that name both the VIP and its member, as they are without counters."""
        member = next(host.ip for host in self.servers if host.name in virtual.members.values())
        return sorted(rule for rule in self.rules_naming(virtual.address) if member in rule)

    def _active(self, virtual: VirtualServer) -> int:
        return sum(balancing.open_connections(self.controller.rest, virtual).values())

    def _audits(self) -> dict[str, int]:
        return dict(self.controller.rest.get("/wm/malob/audits"))

    def _path(self, first: str, last: str) -> list[str]:
        """The switches of the most used path between two of them."""
        names = {dpid: name for name, dpid in self.lab.topology.switches.items()}
        paths = [[names[dpid] for dpid in path["switches"]] for path in self.controller.rest.get("/wm/malob/paths")]
        return next(path for path in paths if path[0] == first and path[-1] == last)
