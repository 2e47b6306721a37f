from __future__ import annotations

import unittest
from typing import Any

from lab import balancing, rules
from lab.faults import ownership

DPIDS = {"s1": "00:00:00:00:00:00:00:01", "s2": "00:00:00:00:00:00:00:02"}
LABEL = "0a:4d:4c:00:00:07"
PATHS = [{"label": LABEL, "switches": list(DPIDS.values())}]
LABEL_RULE = f" cookie=0x6524000000000007, table=2, priority=1000,dl_dst={LABEL} actions=goto_table:3\n"
REQUEST = " cookie=0x6522001000100009, table=1, priority=1000,tcp,nw_src=10.0.0.1,nw_dst=10.0.0.100,tp_src=40000,tp_dst=80 actions=goto_table:2\n"
REPLY = " cookie=0x6523001000100009, table=0, priority=49000,tcp,nw_src=10.0.0.2,nw_dst=10.0.0.1,tp_src=80,tp_dst=40000 actions=goto_table:2\n"
BUCKETS = "".join(
    f" cookie=0x652d001000100000, table=1, priority=900,tcp,nw_dst=10.0.0.100,tp_dst=80,tp_src={2 * number:#x}/0x2"
    f" actions=set_field:10.0.0.{11 + number}->ip_dst,goto_table:2\n"
    for number in range(2)
)
MEMBER_REPLY = " cookie=0x652e001000100000, table=0, priority=48900,tcp,nw_src=10.0.0.11,tp_src=80 actions=goto_table:2\n"
OTHERS = " cookie=0x20000000000000, table=0, priority=1,ip actions=output:1\n"
GOOD = {"s1": OTHERS + LABEL_RULE + REQUEST, "s2": LABEL_RULE + REPLY}


def connection(state: str, generation: int = 0x700009, client_port: int = 40_000) -> dict[str, Any]:
    return {"state": state, "generation": generation, "protocol": "tcp", "client_address": "10.0.0.1", "client_port": client_port}


class OwnershipTest(unittest.TestCase):
    def compare(self, *connections: Any, paths: Any = PATHS, placement: Any = (), **dumps: str) -> list[str]:
        return ownership.compare(DPIDS, paths, connections, placement, {**GOOD, **dumps})

    def test_rules_as_they_should_be(self) -> None:
        self.assertEqual([], self.compare(connection("open")))
        self.assertEqual([], self.compare(connection("ended"), s1=LABEL_RULE))
        self.assertEqual([], self.compare(connection("dormant")))

    def test_rules_without_a_connection(self) -> None:
        self.assertEqual(2, len(self.compare()), "neither rule has a connection")
        self.assertIn("which the controller does not know", self.compare()[0])
        self.assertEqual(
            [f"s{number} has a rule of label {LABEL}, whose path does not include it" for number in (1, 2)],
            self.compare(connection("open"), paths=[]),
        )

    def test_rules_that_are_missing(self) -> None:
        self.assertEqual([f"s2 has no rule of label {LABEL}"], self.compare(connection("open"), s2=REPLY))
        self.assertEqual(1, len(self.compare(connection("open"), s1=LABEL_RULE)))

    def test_udp_needs_one_of_the_rules(self) -> None:
        udp = {**connection("open"), "protocol": "udp"}
        self.assertEqual([], self.compare(udp, s1=LABEL_RULE))
        self.assertEqual([], self.compare(udp, s2=LABEL_RULE))
        self.assertEqual(2, len(self.compare(udp, s1=LABEL_RULE, s2=LABEL_RULE)))
        self.assertEqual(1, len(self.compare(udp, s1=GOOD["s1"] + REQUEST, s2=LABEL_RULE + REPLY)))

    def test_rules_that_are_doubled(self) -> None:
        self.assertEqual(1, len(self.compare(connection("open"), s2=LABEL_RULE + REPLY + REQUEST)))

    def test_connections_of_one_generation_are_told_apart(self) -> None:
        other = {"s1": GOOD["s1"] + REQUEST.replace("40000", "40001"), "s2": GOOD["s2"] + REPLY.replace("40000", "40001")}
        self.assertEqual([], self.compare(connection("open"), connection("open", client_port=40_001), **other))
        self.assertEqual(2, len(self.compare(connection("open"), **other)))

    def test_path_within_a_switch_needs_no_rule(self) -> None:
        within = [*PATHS, {"label": "0a:4d:4c:00:00:08", "switches": [DPIDS["s1"]]}]
        self.assertEqual([], self.compare(connection("open"), paths=within))

    def test_each_edge_has_a_rule_for_each_bucket(self) -> None:
        placement = [proactive("proactive", 2)]
        rules = {"s1": GOOD["s1"] + BUCKETS, "s2": GOOD["s2"] + MEMBER_REPLY}
        self.assertEqual([], self.compare(connection("open"), placement=placement, **rules))
        self.assertEqual(["s1 has 2 rules of buckets instead of 4"], self.compare(connection("open"), placement=[proactive("proactive", 4)], **rules))
        self.assertEqual(["s1 has 0 rules of buckets instead of 2"], self.compare(connection("open"), placement=placement))

    def test_vip_that_is_no_longer_proactive_has_no_rules_of_its_own(self) -> None:
        self.assertEqual(
            ["s1 has 2 rules of buckets instead of 0", "s2 has 1 rules of proactive VIPs, but no VIP is proactive"],
            self.compare(connection("open"), placement=[proactive("reactive", 2)], s1=GOOD["s1"] + BUCKETS, s2=GOOD["s2"] + MEMBER_REPLY),
        )


def proactive(state: str, buckets: int) -> dict[str, Any]:
    return {"vip_id": "1", "state": state, "edges": [{"switch": DPIDS["s1"], "state": state, "buckets": buckets, "moving": 0}]}


class BucketRulesTest(unittest.TestCase):
    def test_members_of_buckets_are_those_that_rules_lead_to(self) -> None:
        found = rules.buckets(OTHERS + REQUEST + BUCKETS, "10.0.0.100")
        match = "tcp,nw_dst=10.0.0.100,tp_dst=80,tp_src={}/0x2"
        self.assertEqual({match.format("0x0"): "10.0.0.11", match.format("0x2"): "10.0.0.12"}, found)

    def test_members_of_buckets_of_a_tracked_vip_are_those_that_connections_are_translated_to(self) -> None:
        rule = (
            " cookie=0x652d001000100002, table=1, priority=106,ct_state=+new+trk,tcp,nw_dst=10.0.0.100,tp_src=0x4/0x7e,tp_dst=80"
            " actions=ct(commit,table=1,zone=7777,nat(dst=10.0.0.11:80),exec(set_field:0x1->ct_mark))\n"
        )
        self.assertEqual({"ct_state=+new+trk,tcp,nw_dst=10.0.0.100,tp_src=0x4/0x7e,tp_dst=80": "10.0.0.11"}, rules.buckets(rule, "10.0.0.100"))

    def test_buckets_of_other_addresses_and_those_that_move_are_left_out(self) -> None:
        self.assertEqual({}, rules.buckets(BUCKETS, "10.0.0.10"))
        moving = BUCKETS.splitlines()[0].replace("set_field:10.0.0.11->ip_dst,goto_table:2", "CONTROLLER:65535")
        self.assertEqual({}, rules.buckets(moving, "10.0.0.100"))


class PlacementTest(unittest.TestCase):
    def test_vip_is_proactive_once_all_its_edges_are(self) -> None:
        self.assertEqual("", balancing.not_proactive([proactive("proactive", 2)], "1"))
        self.assertEqual("", balancing.not_proactive([proactive("proactive", 2)], "1", [DPIDS["s1"]]))
        self.assertEqual(f"{DPIDS['s2']} is no edge yet", balancing.not_proactive([proactive("proactive", 2)], "1", [DPIDS["s1"], DPIDS["s2"]]))
        for state, reason in (
            ([], "the controller reports no placement for it"),
            ([proactive("changing", 2)], "it is changing"),
            ([{**proactive("proactive", 2), "edges": []}], "it has no edges"),
            ([{**proactive("changing", 2), "state": "proactive"}], f"{DPIDS['s1']} is changing"),
            ([{**proactive("proactive", 2), "vip_id": "2"}], "the controller reports no placement for it"),
        ):
            with self.subTest(reason=reason):
                self.assertEqual(reason, balancing.not_proactive(state, "1"))

    def test_moving_buckets_are_those_of_all_edges_of_the_vip(self) -> None:
        edges = [{"moving": 3}, {"moving": 4}]
        self.assertEqual(7, balancing.moving_buckets([{"vip_id": "1", "edges": edges}, {"vip_id": "2", "edges": edges}], "1"))
