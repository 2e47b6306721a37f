from __future__ import annotations

import unittest
from typing import Any

from lab.faults import ownership

DPIDS = {"s1": "00:00:00:00:00:00:00:01", "s2": "00:00:00:00:00:00:00:02"}
LABEL = "0a:4d:4c:00:00:07"
PATHS = [{"label": LABEL, "switches": list(DPIDS.values())}]
LABEL_RULE = f" cookie=0x6524000000000007, table=2, priority=1000,dl_dst={LABEL} actions=goto_table:3\n"
REQUEST = " cookie=0x6522001000100009, table=1, priority=1000,tcp,nw_src=10.0.0.1 actions=goto_table:2\n"
REPLY = " cookie=0x6523001000100009, table=0, priority=49000,tcp,nw_src=10.0.0.2 actions=goto_table:2\n"
OTHERS = " cookie=0x20000000000000, table=0, priority=1,ip actions=output:1\n"
GOOD = {"s1": OTHERS + LABEL_RULE + REQUEST, "s2": LABEL_RULE + REPLY}


def connection(state: str, generation: int = 0x700009) -> dict[str, Any]:
    return {"state": state, "generation": generation, "client_port": 40_000}


class OwnershipTest(unittest.TestCase):
    def compare(self, *connections: Any, paths: Any = PATHS, **dumps: str) -> list[str]:
        return ownership.compare(DPIDS, paths, connections, {**GOOD, **dumps})

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

    def test_rules_that_are_doubled(self) -> None:
        self.assertEqual(1, len(self.compare(connection("open"), s2=LABEL_RULE + REPLY + REQUEST)))

    def test_path_within_a_switch_needs_no_rule(self) -> None:
        within = [*PATHS, {"label": "0a:4d:4c:00:00:08", "switches": [DPIDS["s1"]]}]
        self.assertEqual([], self.compare(connection("open"), paths=within))
