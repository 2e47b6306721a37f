from __future__ import annotations

import contextlib
import io
import json
import sys
import unittest
from typing import Any
from unittest import mock

from malob.cli.explain import lines, main
from malob.errors import UsageError
from malob.rest.client import RestError
from tests.unit.answering import answering

_LINK: dict[str, Any] = {
    "src": {"switch": "00:00:00:00:00:00:00:01", "port": 3},
    "dst": {"switch": "00:00:00:00:00:00:00:02", "port": 4},
    "active": 2,
    "latency_ms": {"value": 5.5, "age_s": 0.4, "source": "probe"},
    "throughput_mbps": None,
    "use_mbps": None,
    "capacity_mbps": None,
}
_BACK = {**_LINK, "src": _LINK["dst"], "dst": _LINK["src"]}
_CANDIDATE: dict[str, Any] = {
    "member_id": "a",
    "address": "10.0.1.1",
    "port": 80,
    "chosen": True,
    "excluded": None,
    "values": {"latency_ms": 11.0},
    "weight": 1,
    "active_connections": 2,
    "foreign_connections": 7,
    "cpu": {"value": 0.255, "age_s": 1.04, "source": "agent"},
    "response_ms": None,
    "request_path": [
        {"switch": "00:00:00:00:00:00:00:01", "in_port": 5, "out_port": 3},
        {"switch": "00:00:00:00:00:00:00:02", "in_port": 4, "out_port": 9},
    ],
    "request_links": [_LINK],
    "reply_path": [
        {"switch": "00:00:00:00:00:00:00:02", "in_port": 9, "out_port": 4},
        {"switch": "00:00:00:00:00:00:00:01", "in_port": 3, "out_port": 5},
    ],
    "reply_links": [_BACK],
}
_AWAY = {
    **_CANDIDATE,
    "member_id": "b",
    "address": "10.0.1.2",
    "chosen": False,
    "excluded": "not_located",
    "values": {},
    "cpu": None,
    "request_path": None,
    "request_links": None,
    "reply_path": None,
    "reply_links": None,
}
_REASON = {"rule": "the lowest latency", "tie_break": "fewer links"}
_EXPLANATION: dict[str, Any] = {
    "client": {"address": "10.0.0.21", "mac": "02:00:00:00:00:21", "switch": "00:00:00:00:00:00:00:01", "port": 5},
    "vip_address": "10.0.0.100",
    "protocol": "tcp",
    "port": 80,
    "vip_id": "web",
    "pool_id": "p",
    "decision": {
        "algorithm": "SL-PS",
        "decided_by": "service",
        "id": "http",
        "service_name": "HTTP",
        "ftp_control": None,
        "server": _REASON,
        "path": _REASON,
    },
    "member_id": "a",
    "refused": None,
    "buckets": None,
    "candidates": [_CANDIDATE, _AWAY],
    "candidates_left_out": 0,
}


class ViewTest(unittest.TestCase):
    def test_explanation_says_question_decision_and_result(self) -> None:
        self.assertEqual(
            [
                "10.0.0.21 at 01/5 to 10.0.0.100 tcp 80: VIP web, pool p",
                "algorithm: SL-PS, by services entry HTTP (http)",
                "server and path: the lowest latency; between equals: fewer links",
                "result: member a",
                "",
            ],
            lines(_EXPLANATION)[:5],
        )

    def test_two_rules_are_two_lines(self) -> None:
        decision = {**_EXPLANATION["decision"], "path": {"rule": "the fewest links", "tie_break": "smaller ids"}}
        shown = lines({**_EXPLANATION, "decision": decision})
        self.assertIn("server: the lowest latency; between equals: fewer links", shown)
        self.assertIn("path: the fewest links; between equals: smaller ids", shown)

    def test_candidates_have_their_values_and_why_not(self) -> None:
        header, chosen, away = lines(_EXPLANATION)[5:8]
        self.assertIn("latency ms  open  foreign  weight  CPU %", header)
        self.assertEqual(["*", "a", "10.0.1.1", "11.000", "2", "7", "1", "26", "1.0", "-", "-", "-", "01/3", "02/9", "02/4", "01/5"], chosen.split())
        self.assertEqual(["b", "10.0.1.2", "-", "2", "7", "1", "-", "-", "-", "-", "not_located", "-", "-"], away.split())

    def test_latency_below_what_can_be_measured_is_said_to_be_below(self) -> None:
        values = {"round_trip_ms": 0.04, "expected_wait_ms": 0.04, "expected_latency_ms": 0.1}
        _, chosen, *_ = lines({**_EXPLANATION, "candidates": [{**_CANDIDATE, "values": values}]})[5:]
        self.assertIn("10.0.1.1  ", chosen)
        self.assertEqual(["<", "0.1", "0.040", "0.100"], chosen.split()[3:7])

    def test_client_without_address_goes_by_its_mac(self) -> None:
        client = {**_EXPLANATION["client"], "address": None}
        self.assertEqual("02:00:00:00:00:21 at 01/5 to 10.0.0.100 tcp 80: VIP web, pool p", lines({**_EXPLANATION, "client": client})[0])

    def test_links_of_all_paths_come_once(self) -> None:
        twice = {**_EXPLANATION, "candidates": [_CANDIDATE, {**_CANDIDATE, "member_id": "c"}]}
        rows = lines(twice)[-2:]
        self.assertEqual(["01/3", "02/4", "2", "5.50", "0.4"], rows[0].split()[:5])
        self.assertEqual(["02/4", "01/3"], rows[1].split()[:2])

    def test_each_source_of_the_decision_is_said(self) -> None:
        for source, said in (
            ("vip", "lb_method of VIP http"),
            ("pool", "lb_method of pool http"),
            ("default", "the services table's default entry"),
            ("ftp_control", "the client's FTP control connection from its port 4000"),
        ):
            decision = {**_EXPLANATION["decision"], "decided_by": source, "ftp_control": {"client_port": 4000, "port": 21}}
            self.assertEqual(f"algorithm: SL-PS, by {said}", lines({**_EXPLANATION, "decision": decision})[1])

    def test_bucket_comes_with_what_would_move_it_and_the_part_of_each_member(self) -> None:
        bucket = {"index": 7, "member_id": "a", "before_id": None, "cause": "member_drained", "seconds": 12.3, "seconds_left": 0, "next": "It stays."}
        members = [{"member_id": "a", "buckets": 40, "load": 0.61, "share": 0.625}, {"member_id": "b", "buckets": 24, "load": None, "share": None}]
        shown = lines({**_EXPLANATION, "buckets": {"source": "port", "count": 64, "bucket": bucket, "members": members}})
        at = shown.index("result: member a")
        self.assertEqual(
            ["buckets: 64, by the client's port; this is number 7, of member a for 12 s (member drained)", "It stays.", ""], shown[at + 1 : at + 4]
        )
        self.assertEqual([["a", "40", "61.0", "62.5"], ["b", "24", "-", "-"]], [line.split() for line in shown[at + 5 : at + 7]])

    def test_unknown_port_leaves_the_member_open(self) -> None:
        buckets = {"source": "port", "count": 64, "bucket": None, "members": []}
        shown = lines({**_EXPLANATION, "member_id": None, "buckets": buckets})
        self.assertIn("result: depends on the client's port; --client-port tells it", shown)
        self.assertIn("buckets: 64, by the client's port", shown)

    def test_refusal_is_short(self) -> None:
        refused = {**_EXPLANATION, "vip_id": None, "pool_id": None, "decision": None, "member_id": None, "refused": "no_vip", "candidates": []}
        self.assertEqual(["10.0.0.21 at 01/5 to 10.0.0.100 tcp 80: no VIP", "result: refused, no_vip"], lines(refused))

    def test_what_is_left_out_is_said(self) -> None:
        self.assertIn("… and 5 more", lines({**_EXPLANATION, "candidates_left_out": 5}))


class CommandTest(unittest.TestCase):
    def _run(self, status: int, body: Any, *arguments: str) -> tuple[str, list[str]]:
        asked: list[str] = []

        def answer(path: str) -> tuple[int, Any]:
            asked.append(path)
            return status, body

        out = io.StringIO()
        with (
            answering(answer) as port,
            contextlib.redirect_stdout(out),
            mock.patch.object(sys, "argv", ["x", "--http", f"127.0.0.1:{port}", *arguments]),
        ):
            self.assertEqual(0, main())
        return out.getvalue(), asked

    def test_question_goes_to_the_controller(self) -> None:
        out, asked = self._run(200, _EXPLANATION, "--vip", "web", "--client", "10.0.0.21", "--port", "80")
        self.assertEqual(["/wm/malob/explain?vip=web&client=10.0.0.21&port=80"], asked)
        self.assertEqual("\n".join(lines(_EXPLANATION)) + "\n", out)

    def test_clients_port_is_asked_for(self) -> None:
        _, asked = self._run(200, _EXPLANATION, "--vip", "web", "--client", "10.0.0.21", "--client-port", "40000")
        self.assertEqual(["/wm/malob/explain?vip=web&client=10.0.0.21&client_port=40000"], asked)

    def test_json_is_the_controllers(self) -> None:
        out, _ = self._run(200, _EXPLANATION, "--vip", "web", "--client", "10.0.0.21", "--json")
        self.assertEqual(_EXPLANATION, json.loads(out))

    def test_wrong_value_is_wrong_use_and_unknown_client_a_failure(self) -> None:
        with self.assertRaises(UsageError):
            self._run(400, {"error": "port is none", "field": "port"}, "--vip", "web", "--client", "10.0.0.21")
        with self.assertRaisesRegex(RestError, "no client"):
            self._run(404, {"error": "no client", "field": "client"}, "--vip", "web", "--client", "10.0.0.9")
