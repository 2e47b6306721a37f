"""Switches that refuse rules in their later tables, and switches whose layout an operator chooses."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from malob.system import ovs
from malob.system.place import ROOT
from malob.system.waiting import wait_until
from tests.system.base import SystemTest, forced_layouts

_LIMITED, _FORCED = "s1", "s2"
_MAX_RULES = 5000


@pytest.mark.beside
class SwitchRolesTest(SystemTest):
    properties = forced_layouts(**{_FORCED: "one-table"})

    def test_roles_are_found_out_or_forced(self) -> None:
        """a switch without room in tables 1 to 3 has one table; a layout that is set counts; the others have four; probed ones track connections"""
        self._limit(_LIMITED)
        self.controller.restart()
        self.wait_for_network()
        wait_until(lambda: len(self._switches()) == len(self.lab.topology.switches), "the capabilities of all switches", 10)
        forced = self.lab.topology.switches[_FORCED]
        wait_until(
            lambda: all(shown["connection_tracking"] is (None if dpid == forced else True) for dpid, shown in self._switches().items()),
            "the answers about connection tracking",
            10,
            detail=lambda: str(self._switches()),
        )
        for name, dpid in self.lab.topology.switches.items():
            shown = self._switches()[dpid]
            found = shown["role"], shown["layout"], shown["source"], shown["refused"], shown["ipv6"]
            with self.subTest(switch=name):
                if name == _LIMITED:
                    self.assertEqual(("any", "one-table-with-groups", "probed", ["table_1", "table_2", "table_3"], True), found)
                elif name == _FORCED:
                    self.assertEqual(("edge", "one-table", "forced", [], True), found)
                else:
                    self.assertEqual(("any", "four-tables", "probed", [], True), found)
        limited = self.lab.topology.switches[_LIMITED]
        wait_until(lambda: _MAX_RULES in self._max_rules(limited), "the max number of rules", 60, detail=lambda: str(self._switches()[limited]))
        self.assertEqual([], [rule for rule in self.rules(_LIMITED) if "cookie=0x653" in rule], "rules of the probe")
        self.assertNotIn("group_id=", ovs.ofctl("dump-groups", self.lab.bridge(_LIMITED)))
        status = self._status().splitlines()
        self.assertTrue(any(line.split()[:3] == [limited, "any", "one-table-with-groups"] for line in status), status)
        self.assertTrue(any(line.split()[1:4] == ["edge", "one-table", "(forced)"] for line in status), status)

    def _limit(self, switch: str) -> None:
        """Lets a switch refuse all rules in tables 1 to 3, and those of table 0 beyond a number."""
        bridge = self.lab.bridge(switch)
        ovs.vsctl(
            *("--", "--id=@none", "create", "Flow_Table", "flow_limit=0", "overflow_policy=refuse"),
            *("--", "--id=@some", "create", "Flow_Table", f"flow_limit={_MAX_RULES}", "overflow_policy=refuse"),
            *("--", "set", "Bridge", bridge, "flow_tables:0=@some"),
            *(f"flow_tables:{table}=@none" for table in (1, 2, 3)),
        )
        ovs.ofctl("del-flows", bridge)

    def _switches(self) -> dict[str, Any]:
        return {switch["switch"]: switch for switch in self.controller.rest.get("/wm/malob/switches")}

    def _max_rules(self, dpid: str) -> list[int | None]:
        return [table["max"] for table in self._switches()[dpid]["tables"] if table["table"] == 0]

    def _status(self) -> str:
        """What the command prints, which must succeed."""
        command = ["env", f"MALOB_URL=http://127.0.0.1:{self.controller.http_port}", str(ROOT / "malob"), "status"]
        return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
