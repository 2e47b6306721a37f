from __future__ import annotations

import re
import unittest
from dataclasses import replace
from typing import Any, ClassVar

from malob.cli.status import SERVER_VALUES, lines, tables
from malob.rest.client import RestClient, Target
from malob.rest.state import State, read
from malob.system.place import ROOT
from tests.unit.answering import answering

_LINK: dict[str, Any] = {
    "src": {"switch": "00:00:00:00:00:00:00:0a", "port": 2},
    "dst": {"switch": "00:00:00:00:00:01:00:0b", "port": 1},
    "active": 3,
    "latency_ms": None,
    "throughput_mbps": None,
    "use_mbps": None,
    "capacity_mbps": None,
}
_SERVER: dict[str, Any] = {
    "id": "a",
    "address": "10.0.0.1",
    "port": 80,
    "pool_id": "p",
    "located": True,
    "active_connections": 2,
    "reported_connections": None,
    "cpu": None,
    "response_ms": None,
}
_SWITCH = {"switch": "00:00:00:00:00:00:00:0a", "port_statistics": {"age_s": 0.44, "answers": 9, "failures": 1, "skipped": 2}}
_POOL: dict[str, Any] = {
    "id": "p",
    "vip_id": "v",
    "members": ["a"],
    "stats": {
        "id": "p",
        "active_connections": 2,
        "total_connections": 7,
        "counted_by": "tcp_flags",
        "members": [{"id": "a", "total_connections": 7, "health": "up"}],
    },
}
_VIP = {"id": "v", "address": "10.0.0.100", "port": None, "protocol": "tcp", "pools": ["p"]}


def _state(**parts: Any) -> State:
    snapshot = {"time": "2026-01-01T00:00:00Z", "switches": [], "links": [], "servers": [], **parts}
    return State(snapshot, [], {})


def _measured(value: float, age_s: float, source: str = "port_statistics") -> dict[str, Any]:
    return {"value": value, "age_s": age_s, "source": source}


class ServerValuesTest(unittest.TestCase):
    def test_all_that_agents_measure_is_shown(self) -> None:
        source = (ROOT / "src/main/java/io/malob/state/network/ServerValue.java").read_text()
        fields = re.findall(r'^  [A-Z_]+\("([a-z_]+)"', source, re.MULTILINE)
        self.assertGreaterEqual(len(fields), 2)
        self.assertEqual(fields, [value.name for value in SERVER_VALUES])


class ViewTest(unittest.TestCase):
    def test_empty_network_is_one_line(self) -> None:
        self.assertEqual(["0 switches, 0 directed links, 0 virtual addresses, 0 members; 2026-01-01T00:00:00Z"], tables(_state()))

    def test_what_is_not_known_is_a_dash(self) -> None:
        row = tables(_state(links=[_LINK]))[-1]
        self.assertEqual(["0a/2", "01:00:0b/1", "3", *["-"] * 9], row.split())

    def test_roles_are_shown_if_a_switch_does_not_have_four_tables(self) -> None:
        other = {**_SWITCH, "switch": "00:00:00:00:00:00:00:0b"}
        third = {**_SWITCH, "switch": "00:00:00:00:00:00:00:0c"}
        four = {"switch": _SWITCH["switch"], "role": "any", "layout": "four-tables", "source": "probed"}
        core = {"switch": other["switch"], "role": "core", "layout": "labels-only", "source": "forced"}
        state = _state(switches=[_SWITCH, other, third])
        self.assertEqual([_SWITCH["switch"], "0.4", "9", "1", "2"], tables(replace(state, switches=[four]))[3].split())
        header, *rows = (line.split() for line in tables(replace(state, switches=[four, core]))[2:6])
        self.assertEqual(["switch", "role", "layout", "counters"], header[:4])
        self.assertEqual(
            [
                [_SWITCH["switch"], "any", "four-tables", "0.4", "9", "1", "2"],
                [other["switch"], "core", "labels-only", "(forced)", "0.4", "9", "1", "2"],
                [third["switch"], "-", "-", "0.4", "9", "1", "2"],
            ],
            rows,
        )

    def test_link_shows_values_with_ages_and_sources(self) -> None:
        link = {
            **_LINK,
            "latency_ms": _measured(10.214, 0.42, "probe"),
            "throughput_mbps": _measured(38, 12.3, "agent"),
            "use_mbps": _measured(0, 0.6),
            "capacity_mbps": _measured(50, 0, "configured"),
        }
        header, row = tables(_state(links=[link]))[-2:]
        self.assertEqual(
            "link from  to          open  latency ms  age s  throughput Mbit/s  age s  by     use Mbit/s  age s  capacity Mbit/s  by", header
        )
        self.assertEqual(["0a/2", "01:00:0b/1", "3", "10.21", "0.4", "38.0", "12.3", "agent", "0.0", "0.6", "50.0", "configured"], row.split())

    def test_latency_below_what_can_be_measured_is_said_to_be_below(self) -> None:
        link = {**_LINK, "latency_ms": {**_measured(0.034, 0.4, "probe"), "below_ms": 0.1}}
        self.assertIn("  < 0.1  ", tables(_state(links=[link]))[-1])

    def test_response_below_what_can_be_measured_is_said_to_be_below(self) -> None:
        server = {**_SERVER, "response_ms": _measured(0.04, 1, "agent")}
        self.assertIn("  < 0.1  ", tables(_state(servers=[server]))[-1])

    def test_switch_shows_how_its_counters_come(self) -> None:
        row = tables(_state(switches=[_SWITCH]))[-1]
        self.assertEqual(["00:00:00:00:00:00:00:0a", "0.4", "9", "1", "2"], row.split())

    def test_member_shows_counts_and_processor_use(self) -> None:
        server = {
            **_SERVER,
            "cpu": _measured(0.255, 1.04, "agent"),
            "reported_connections": _measured(4, 1, "agent"),
            "response_ms": _measured(1.25, 1, "agent"),
        }
        state = State({**_state(servers=[server]).snapshot}, [_VIP], {"p": _POOL})
        vip, member = tables(state)[-4], tables(state)[-1]
        self.assertEqual(["v", "10.0.0.100", "any", "tcp", "p", "2", "7"], vip.split())
        self.assertEqual(["p", "a", "10.0.0.1", "80", "yes", "up", "2", "7", "4", "1.0", "26", "1.0", "1.2", "1.0"], member.split())

    def test_member_without_pool_and_agent(self) -> None:
        server = {**_SERVER, "pool_id": None, "port": None, "located": False}
        row = tables(_state(servers=[server]))[-1]
        self.assertEqual(["none", "a", "10.0.0.1", "any", "no", "-", "2", *["-"] * 7], row.split())

    def test_vip_without_pool(self) -> None:
        state = State(_state().snapshot, [{**_VIP, "pools": []}], {})
        self.assertEqual(["v", "10.0.0.100", "any", "tcp", "none", "-", "-"], tables(state)[-1].split())


class PlacementTest(unittest.TestCase):
    EDGE: ClassVar[dict[str, Any]] = {
        "switch": "00:00:00:00:00:00:00:0a",
        "state": "proactive",
        "source": "port",
        "buckets": 64,
        "moving": 2,
        "members": {"a": 40, "b": 24},
        "imbalance": 0.0123,
    }

    @staticmethod
    def rows(*edges: dict[str, Any], left_out: int = 0) -> list[list[str]]:
        vip = {"vip_id": "v", "mode": "auto", "state": "proactive", "edges": list(edges), "edges_left_out": left_out}
        shown = tables(replace(_state(), placement=[vip]))
        return [re.split("  +", line.strip()) for line in shown[3:]]

    def test_each_edge_shows_its_buckets_by_member(self) -> None:
        fallen_back = {**self.EDGE, "state": "reactive", "source": None, "buckets": 0, "moving": 0, "members": {}, "imbalance": 0}
        self.assertEqual(
            [
                ["v", "auto: proactive", "0a", "proactive", "port", "64", "2", "1.2", "a 40, b 24"],
                ["v", "auto: proactive", "0a", "reactive", "-", "0", "0", "0.0", "-"],
                ["v", "auto: proactive", "+ 7", *["-"] * 6],
            ],
            self.rows(self.EDGE, fallen_back, left_out=7),
        )

    def test_vip_without_edges_has_a_line_too(self) -> None:
        self.assertEqual([["v", "auto: proactive", *["-"] * 7]], self.rows())


class ClusterTest(unittest.TestCase):
    def test_controllers_are_listed_with_their_switches(self) -> None:
        nodes = [
            {"name": "a", "rest": "10.0.0.1:8080", "slot": 0, "switches": 2},
            {"name": "b", "rest": "10.0.0.2:8080", "slot": 1, "switches": 3},
        ]
        switches = [{"switch": str(number), "master": master, "role": None} for number, master in enumerate(["a", "a", None])]
        shown = tables(replace(_state(), cluster={"name": "b", "nodes": nodes, "switches": switches}))
        self.assertEqual(
            [["a", "10.0.0.1:8080", "0", "2", "2"], ["b*", "10.0.0.2:8080", "1", "3", "0"], ["none", "-", "-", "-", "1"]],
            [line.split() for line in shown[3:6]],
        )

    def test_without_cluster_there_is_no_table(self) -> None:
        self.assertNotIn("master of", "\n".join(tables(_state())))


class ProblemsTest(unittest.TestCase):
    @staticmethod
    def problem(id_: str, command: str | None = None) -> dict[str, Any]:
        return {"reason": "down", "kind": "member", "id": id_, "problem": f"Member {id_} is down.", "remedy": "Start it.", "command": command}

    def test_balancer_that_works_has_none(self) -> None:
        self.assertEqual([], lines([]))

    def test_problem_and_remedy_are_sentences_and_a_command_follows(self) -> None:
        self.assertEqual(
            ["Member a is down. Start it.", "Member b is down. Start it: ./malob member set b"],
            lines([self.problem("a"), self.problem("b", "./malob member set b")]),
        )

    def test_many_are_counted(self) -> None:
        shown = lines([self.problem(str(number)) for number in range(25)])
        self.assertEqual(21, len(shown))
        self.assertEqual("and 5 more: ./malob status --json lists all", shown[-1])


class ReadTest(unittest.TestCase):
    def test_pool_that_is_deleted_meanwhile_is_left_out(self) -> None:
        answers: dict[str, Any] = {
            "/quantum/v1.0/vips/": [_VIP],
            "/quantum/v1.0/pools/": [{"id": "p"}, {"id": "gone"}],
            "/quantum/v1.0/pools/p/stats/": _POOL["stats"],
            "/wm/malob/snapshot": _state().snapshot,
        }

        def answer(path: str) -> tuple[int, Any]:
            return (200, answers[path]) if path in answers else (404, {"error": "no"})

        with answering(answer) as port:
            state = read(RestClient(Target("http", "127.0.0.1", port)))
        self.assertEqual(
            {
                "snapshot": _state().snapshot,
                "vips": [_VIP],
                "pools": [{"id": "p", "stats": _POOL["stats"]}],
                "problems": [],
                "placement": [],
                "switches": [],
                "cluster": None,
                "missing_peers": [],
            },
            state.to_json(),
        )
