"""Traffic through switches with fewer than four tables, on real switches."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any, ClassVar

from lab import balancing, rules
from lab.balancing import VirtualServer
from malob.network.hosts import Host
from malob.system import ovs
from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest, forced_layouts
from tests.system.test_adoption import PORT, Transfer

_ALL = ("s1", "s2", "s3", "s4", "s5")


class Layouts:
    """The tests of each layout; not a test case itself."""

    class Each(SystemTest):
        #: by switch, what REST is to show of it
        layouts: ClassVar[dict[str, str]]

        @classmethod
        def setUpClass(cls) -> None:
            super().setUpClass()
            if cls.restrict():
                cls.controller.restart()
                cls.wait_for_network()

        @classmethod
        @abstractmethod
        def restrict(cls) -> bool:
            """Takes tables away from switches; False if the controller is only told that they lack them."""

        def test_layouts(self) -> None:
            """each switch has the layout of this test"""
            wait_until(lambda: len(self._layouts()) == len(self.layouts), "the capabilities of all switches", 10)
            self.assertEqual(self.layouts, self._layouts())

        def test_all_clients_reach_all_members(self) -> None:
            """by IPv4 and IPv6: no request fails; pings, too"""
            for key, address in (("four", "10.0.0.150"), ("six", "fd00:a00::96")):
                self.virtual(key, address, 80)
                for client in ("c1", "c2"):
                    with self.subTest(client=client, address=address):
                        answers = self.requests(client, address, 80, 30)
                        self.assertEqual(self.server_names, set(answers), answers)
            self.virtual("ping", "10.0.0.152", 8, protocol="icmp")
            for client in ("c1", "c2"):
                self.assertEqual((5, 0), self.ping(client, "10.0.0.152", 5))

        def test_parallel_connections(self) -> None:
            """1,000 connections, 50 at once by ab: none fails"""
            virtual = self.virtual("ab", "10.0.0.151", 80)
            for client in ("c1", "c2"):
                self._ab(client, virtual)

        def test_download_outlives_the_controller_and_a_link(self) -> None:
            """it goes on without the controller, with its successor, and when a link of its path breaks"""
            server = self.servers[1]
            virtual = self.virtual("kept", "10.0.0.153", PORT, servers=[server])
            transfer = Transfer(self, "c1", server.name, virtual.address)

            self.controller.kill()
            transfer.wait_for_more(5_000_000)
            self.controller.start()
            self.wait_for_network()
            wait_until(lambda: self._active(virtual) == 1, "the connection to be adopted", 40)
            transfer.wait_for_more(5_000_000)

            path = self._path_to(server)
            self.lab.set_link(path[0], path[1], up=False)
            self.addCleanup(self.lab.set_link, path[0], path[1], up=True)
            began = time.monotonic()
            wait_until(lambda: self._path_to(server)[:2] != path[:2], "the path to move", 5, interval_s=0.02)
            transfer.wait_for_more(2_000_000)
            say(f"  from {' '.join(path)} to {' '.join(self._path_to(server))} and 2 MB within {time.monotonic() - began:.1f} s")

            sent, got = transfer.finish()
            self.assertEqual((None, None), (sent["error"], got["error"]))
            self.assertEqual(sent, got)
            refused = [
                line for line in self.controller.log.read_text(encoding="utf-8").splitlines() if "rule_refused" in line or "connections_reset" in line
            ]
            self.assertEqual([], refused)

        def _ab(self, client: str, virtual: VirtualServer) -> None:
            self.ab(client, f"http://{virtual.address}:{virtual.port}/", 500, 50)

        def _layouts(self) -> dict[str, Any]:
            names = {dpid: name for name, dpid in self.lab.topology.switches.items()}
            return {names[switch["switch"]]: switch["layout"] for switch in self.controller.rest.get("/wm/malob/switches")}

        def _active(self, virtual: VirtualServer) -> int:
            return sum(balancing.open_connections(self.controller.rest, virtual).values())

        def _path_to(self, server: Host) -> list[str]:
            """The switches on the most used path to a server's switch."""
            names = {dpid: name for name, dpid in self.lab.topology.switches.items()}
            ways = [[names[dpid] for dpid in path["switches"]] for path in self.controller.rest.get("/wm/malob/paths")]
            return next(way for way in ways if way[-1] == server.switch and len(way) > 1)

    class Proactive(Each):
        """All switches have one table."""

        def test_proactive_vip(self) -> None:
            """connections by ab and a download use buckets, also while the controller is away and when it is back"""
            server = self.servers[1]
            virtual = self.virtual("buckets", "10.0.0.154", 80, placement=balancing.PROACTIVE)
            kept = self.virtual("held", "10.0.0.155", PORT, servers=[server], placement=balancing.PROACTIVE)
            for client in ("c1", "c2"):  # they become known
                self.requests(client, virtual.address, 80, 5)
            network = self.lab.topology
            edges = [network.switches[network.hosts[client].switch] for client in ("c1", "c2")]
            for each in (virtual, kept):
                balancing.wait_for_proactive(self.controller.rest, each.pool_id, switches=edges)
            transfer = Transfer(self, "c1", server.name, kept.address)
            self._ab("c1", virtual)
            self.assertEqual(0, self._active(kept), "a bucket leads it")
            buckets = self._buckets()

            self.controller.kill()
            for client in ("c1", "c2"):
                self._ab(client, virtual)
            transfer.wait_for_more(3_000_000)
            self.controller.start()
            self.wait_for_network()
            self._ab("c2", virtual)
            transfer.wait_for_more(3_000_000)

            sent, got = transfer.finish()
            self.assertEqual((None, None), (sent["error"], got["error"]))
            self.assertEqual(sent, got)
            self.assertEqual(set(), buckets - self._buckets(), "each leads to its member as before")

        def _buckets(self) -> set[tuple[str, int]]:
            """Switches and cookies of buckets, which name their members."""
            found = {(switch, rules.cookie(line)) for switch in _ALL for line in rules.of_kind(rules.dump(self.lab, switch), rules.BUCKET)}
            self.assertGreaterEqual(len(found), 2 * 2 * 64, "two VIPs at the switches of two clients")
            return found


class GroupsTest(Layouts.Proactive):
    """Open vSwitch refuses all rules in tables 1 to 3."""

    layouts = dict.fromkeys(_ALL, "one-table-with-groups")

    @classmethod
    def restrict(cls) -> bool:
        for switch in _ALL:
            bridge = cls.lab.bridge(switch)
            ovs.vsctl(
                *("--", "--id=@none", "create", "Flow_Table", "flow_limit=0", "overflow_policy=refuse"),
                *("--", "set", "Bridge", bridge, *(f"flow_tables:{table}=@none" for table in (1, 2, 3))),
            )
            ovs.ofctl("del-flows", bridge)
        return True


class OneTableTest(Layouts.Proactive):
    """The controller uses one table and no groups."""

    layouts = dict.fromkeys(_ALL, "one-table")
    properties = forced_layouts(**layouts)

    @classmethod
    def restrict(cls) -> bool:
        return False


class CoreTest(Layouts.Each):
    """A client and a server are behind switches that do not translate."""

    layouts = {"s1": "labels-only", "s2": "four-tables", "s3": "labels-only", "s4": "one-table-with-groups", "s5": "four-tables"}
    properties = forced_layouts(s1="labels-only", s3="labels-only", s4="one-table-with-groups")

    @classmethod
    def restrict(cls) -> bool:
        return False
