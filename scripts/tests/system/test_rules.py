"""One switch: the life of rules, with short idle time-outs."""

from __future__ import annotations

import re

from lab import balancing
from malob.system import ovs
from malob.system.waiting import wait_until
from tests.system.base import UDP_PORT, SystemTest

IDLE_S = 3
#: How much longer the idle time-out of a reply rule is (the controller's ConnectionRuleSender).
REPLY_GRACE_S = 5
#: Open vSwitch looks for idle rules twice a second, and less often if it waits for a processor.
PATIENCE_S = 5


class RulesTest(SystemTest):
    topology_name = "single"
    properties = {f"io.malob.balancer.BalancerModule.idleTimeout{protocol}": str(IDLE_S) for protocol in ("Tcp", "Udp", "Icmp")}

    def test_client_and_member_on_one_switch(self) -> None:
        """requests are balanced without any link between switches"""
        self.virtual("one", "10.0.0.101", 80)
        self.assertEqual(self.server_names, set(self.requests("c1", "10.0.0.101", 80, 10)))

    def test_deleted_member_leaves_no_rules(self) -> None:
        """deleting a member removes its rules at once, and sends new connections elsewhere"""
        virtual = self.virtual("gone", "10.0.0.102", 80)
        self.requests("c1", "10.0.0.102", 80, 10)
        gone, left = self.servers
        self.assertTrue(self._connection_rules("10.0.0.102", gone.ip), "rules for the member, as long as it is there")
        self.controller.rest.delete(f"{balancing.BASE}/members/{self.member_of(virtual, gone.name)}")
        wait_until(lambda: not self._connection_rules("10.0.0.102", gone.ip), f"the rules for {gone.ip} to go", 2)
        self.assertTrue(self._connection_rules("10.0.0.102", left.ip), "the other member keeps its rules")
        self.assertEqual({left.name}, set(self.requests("c1", "10.0.0.102", 80, 6)))

    def test_deleted_vip_leaves_no_rules(self) -> None:
        """deleting a VIP removes every rule that names it, and its ARP answer"""
        self.virtual("vip", "10.0.0.103", 80)
        self.requests("c1", "10.0.0.103", 80, 6)
        self.assertTrue(self.rules_naming("10.0.0.103"))
        self.remove_virtual("vip")
        wait_until(lambda: not self.rules_naming("10.0.0.103"), "the VIP's rules to go", 2)
        self.on("c1", "ip", "neigh", "flush", "dev", "eth0")
        self.assertEqual((0, 0), self.ping("c1", "10.0.0.103", 1))

    def test_rules_vanish_when_idle(self) -> None:
        """the rules of a connection go by themselves, the reply's after the request's, and the count of open connections with them"""
        virtual = self.virtual("idle", "10.0.0.104", UDP_PORT, protocol="udp")
        self.assertNotEqual("", self.ask_by_udp("c1", "10.0.0.104", UDP_PORT, 30000, "hello"))

        def left() -> list[str]:
            return [rule for server in self.servers for rule in self._connection_rules("10.0.0.104", server.ip)]

        def found() -> str:
            return ovs.ofctl("dump-flows", self.lab.bridge("s1"), "udp")

        self.assertTrue(left())
        self.assertEqual(1, sum(balancing.open_connections(self.controller.rest, virtual).values()))
        request_is_gone = "the request's rule to go by itself"
        wait_until(lambda: not any("nw_dst=10.0.0.104" in rule for rule in left()), request_is_gone, IDLE_S + PATIENCE_S, detail=found)
        wait_until(lambda: not left(), "the reply's rule to go by itself", REPLY_GRACE_S + PATIENCE_S, detail=found)
        wait_until(lambda: sum(balancing.open_connections(self.controller.rest, virtual).values()) == 0, "the count of open connections to fall", 5)
        self.assertNotEqual("", self.ask_by_udp("c1", "10.0.0.104", UDP_PORT, 30000, "again"))

    def test_extensions_of_open_vswitch(self) -> None:
        """a register in packet-ins loses none; foreign rules with extensions are listed, and all others with them"""
        bridge, switch = self.lab.bridge("s1"), self.lab.topology.switches["s1"]
        self.addCleanup(ovs.ofctl, "del-flows", bridge, "cookie=0x777/-1")
        mac = self.on("c1", "cat", "/sys/class/net/eth0/address").strip()
        to_controller = "load:5->NXM_NX_REG0[],load:6->NXM_NX_PKT_MARK[],controller(max_len=65535)"
        foreign = (
            f"table=0,priority=65000,dl_src={mac},actions={to_controller}",
            "table=9,priority=1,pkt_mark=7,reg3=8,tcp,tun_gbp_id=9,actions=ct(commit,zone=1),load:1->NXM_NX_REG1[]",
            "table=9,priority=2,ct_state=+new+trk,ip,actions=learn(table=10,eth_type=0x800,NXM_OF_IP_SRC[]),resubmit(,10)",
        )
        for rule in foreign:
            ovs.ofctl("add-flow", bridge, f"cookie=0x777,{rule}")
        ovs.ofctl("add-group", bridge, "group_id=4711,type=indirect,bucket=actions=ct(zone=1),load:1->NXM_NX_REG1[]")
        self.addCleanup(ovs.ofctl, "del-groups", bridge, "group_id=4711")

        self.on("c1", "ip", "neigh", "flush", "dev", "eth0")
        self.assertEqual((3, 0), self.ping("c1", self.servers[0].ip))
        self.virtual("extended", "10.0.0.105", 80)
        self.assertEqual(self.server_names, set(self.requests("c1", "10.0.0.105", 80, 10)))

        flows = self.controller.rest.get(f"/wm/core/switch/{switch}/flow/json")["flows"]
        self.assertEqual(len(foreign), sum(int(flow["cookie"], 16) == 0x777 for flow in flows), flows)
        self.assertEqual(len(self.rules("s1")), len(flows))
        groups = self.controller.rest.get(f"/wm/core/switch/{switch}/group-desc/json")["group_desc"]
        self.assertIn("4711", [group["group_number"] for group in groups])

    def test_fragments_between_hosts(self) -> None:
        """long pings between hosts go by the rules of fragments, which switches see as type 0"""
        self.assertEqual((20, 0), self.ping("c1", self.servers[0].ip, count=20, size=3000))
        stats = ovs.ofctl("dump-flows", self.lab.bridge("s1"), "icmp,icmp_type=0")
        packets = sum(int(count) for count in re.findall(r"n_packets=(\d+)", stats))
        self.assertGreater(packets, 80, stats)

    def _connection_rules(self, vip: str, member: str) -> list[str]:
        """The rules that name both a VIP and a member of it: those of connections."""
        return [rule for rule in self.rules_naming(vip) if member in rule]
