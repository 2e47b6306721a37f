"""Metrics, records of connections and the log as JSON, by real traffic."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from malob.rest.client import RestError
from malob.system.waiting import wait_until
from tests import exposition
from tests.system.base import SystemTest

_VIP = "10.0.0.109"
_REQUESTS = 12


class MetricsTest(SystemTest):
    topology_name = "mesh5"

    records: Path

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="malob-records-")
        cls.addClassCleanup(directory.cleanup)
        cls.records = Path(directory.name, "connections.jsonl")
        cls.properties = {
            "io.malob.balancer.BalancerModule.connectionRecords": str(cls.records),
            "io.malob.balancer.BalancerModule.idleTimeoutTcp": "1",
        }
        os.environ["MALOB_LOGS"] = "json"
        cls.addClassCleanup(os.environ.pop, "MALOB_LOGS")
        super().setUpClass()

    def _metrics(self) -> dict[str, exposition.Family]:
        return exposition.read(self.controller.rest.get_text("/metrics"))

    def _value(self, name: str, **labels: str) -> float:
        return exposition.value(self._metrics(), name, **labels)

    def test_metrics_and_records_follow_traffic(self) -> None:
        """requests show in metrics at once; when their rules have ended, their bytes and records do, too"""
        self.assertEqual(0, self._value("malob_member_connections_total"), "nothing yet")
        self.virtual("seen", _VIP, 80)
        self.requests("c1", _VIP, 80, _REQUESTS)
        metrics = self._metrics()

        def now(name: str, **labels: str) -> float:
            return exposition.value(metrics, name, **labels)

        self.assertEqual(_REQUESTS, now("malob_placements_total", service="http", algorithm="RR+SPH", outcome="placed"))
        self.assertEqual(_REQUESTS, now("malob_packet_ins_total", outcome="placed"))
        self.assertEqual(_REQUESTS, now("malob_placement_seconds_count"))
        self.assertEqual(_REQUESTS, now("malob_member_connections_total", pool="seen"))
        self.assertEqual(len(self.servers), now("malob_member_located", pool="seen"))
        self.assertEqual(len(self.lab.topology.switches), now("malob_switches"))
        self.assertGreater(now("jvm_memory_used_bytes"), 0)
        wait_until(lambda: self._value("malob_connection_records_total", outcome="written") == _REQUESTS, "the connections to be recorded", 30)
        records = [json.loads(line) for line in self.records.read_text().splitlines()]
        self._check_records(records)
        for name in ("request_bytes", "reply_bytes"):
            self.assertEqual(sum(record[name] for record in records), self._value(f"malob_member_{name}_total", pool="seen"))
        self.assertEqual(_REQUESTS, self._value("malob_member_reply_rules_total"))
        self.assertEqual(0, self._value("malob_member_active_connections"))

    def _check_records(self, records: list[dict[str, Any]]) -> None:
        client = self.lab.topology.hosts["c1"].ip
        for record in records:
            self.assertEqual(("client", "tcp", client), (record["end"], record["protocol"], record["client"]))
            self.assertEqual((_VIP, 80, "RR+SPH"), (record["vip"], record["vip_port"], record["algorithm"]))
            # one of three packets may have come to the controller, before the rule took effect
            self.assertGreater(record["request_bytes"], 2 * 54, "an ACK, a request and its end")
            self.assertGreater(record["reply_bytes"], 2 * 54)
            self.assertGreater(len(record["request_path"]), 0)
        self.assertEqual(self.server_names, {self._server(record["member"]) for record in records})

    def _server(self, address: str) -> str:
        return next(server.name for server in self.servers if server.ip == address)

    def test_rules_are_those_of_the_switches(self) -> None:
        """the numbers of rules are those that the switches tell themselves"""
        wait_until(lambda: self._told() == set(self.lab.topology.switches.values()), "all switches to tell", 20)
        switch, dpid = next(iter(self.lab.topology.switches.items()))
        wait_until(
            lambda: self._value("malob_switch_rules", switch=dpid, table="3") == sum("table=3," in rule for rule in self.rules(switch)),
            f"the rules of {switch} to be counted",
            25,
        )

    def _told(self) -> set[str]:
        """The switches whose rules are counted."""
        rules = self._metrics().get("malob_switch_rules", exposition.Family("gauge"))
        return {dict(labels)["switch"] for labels in rules.samples["malob_switch_rules"]}

    def test_log_is_json_and_its_levels_change(self) -> None:
        """every line of the log is an object of JSON with the name of an event; its level changes at once"""
        rest = self.controller.rest
        rest.put("/wm/malob/logs/levels", {"logger": "io.malob.controller", "level": "WARN"})
        self.assertEqual("WARN", rest.get("/wm/malob/logs/levels")["io.malob.controller"])
        rest.put("/wm/malob/logs/levels", {"logger": "io.malob.controller", "level": None})
        with self.assertRaises(RestError):
            rest.put("/wm/malob/logs/levels", {"logger": "org.restlet", "level": "DEBUG"})
        lines = [json.loads(line) for line in self.controller.log.read_text().splitlines() if line.startswith("{")]
        connected = {line["switch"] for line in lines if line["event"] == "switch_connected"}
        self.assertEqual(set(self.lab.topology.switches.values()), connected)
