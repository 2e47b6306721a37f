from __future__ import annotations

import contextlib
import io
import json
import sys
import unittest
from typing import Any, Callable
from unittest import mock
from urllib.parse import parse_qs, urlsplit

from malob.cli.connections import main, table
from malob.errors import MissingError, UsageError
from malob.rest.client import RestClient, RestError, Target
from tests.unit.answering import answering

_CONNECTION: dict[str, Any] = {
    "protocol": "tcp",
    "client_address": "10.0.0.1",
    "client_port": 40000,
    "client_vlan": None,
    "vip_address": "10.0.0.100",
    "port": 80,
    "vip_id": "web",
    "member_id": "a",
    "member_address": "10.0.1.1",
    "member_port": 8080,
    "member_vlan": None,
    "algorithm": "LC+SPH",
    "state": "open",
    "age_s": 1.54,
    "request_path": [
        {"switch": "00:00:00:00:00:00:00:01", "in_port": 5, "out_port": 3},
        {"switch": "00:00:00:00:00:00:00:02", "in_port": 4, "out_port": 9},
    ],
    "reply_path": [
        {"switch": "00:00:00:00:00:00:00:02", "in_port": 9, "out_port": 4},
        {"switch": "00:00:00:00:00:00:00:01", "in_port": 3, "out_port": 5},
    ],
    "request_label": "0a:4d:4c:00:00:07",
    "reply_label": "0a:4d:4c:00:00:08",
    "generation": 77,
}


def _pages(total: int, asked: list[str]) -> Callable[[str], tuple[int, Any]]:
    """A controller with that many connections, numbered by their ports."""

    def answer(path: str) -> tuple[int, Any]:
        asked.append(path)
        query = {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}
        start, limit = int(query.get("next", 0)), int(query["limit"])
        ports = range(start, min(total, start + limit))
        following = str(ports.stop) if ports.stop < total else None
        return 200, {"connections": [{**_CONNECTION, "client_port": port} for port in ports], "next": following}

    return answer


class ViewTest(unittest.TestCase):
    def test_connection_is_a_row_with_paths_by_switch_and_port(self) -> None:
        header, row = table([_CONNECTION])
        self.assertEqual(
            ["tcp", "10.0.0.1:40000", "web", "10.0.0.100:80", "a", "10.0.1.1:8080", "LC+SPH", "open", "1.5", "01/3", "02/9", "02/4", "01/5"],
            row.split(),
        )
        self.assertTrue(header.startswith("protocol  client"), header)

    def test_ipv6_address_is_apart_from_its_port(self) -> None:
        over_ipv6 = {**_CONNECTION, "client_address": "2001:db8::9", "vip_address": "2001:db8::64", "member_address": "2001:db8::b", "port": None}
        cells = table([over_ipv6])[1].split()
        self.assertEqual(["[2001:db8::9]:40000", "2001:db8::64", "[2001:db8::b]:8080"], [cells[1], cells[3], cells[5]])

    def test_dormant_ping_has_dashes(self) -> None:
        dormant = {
            **_CONNECTION,
            "protocol": "icmp",
            "client_port": None,
            "port": None,
            "member_port": None,
            "vip_id": None,
            "request_path": None,
            "reply_path": None,
            "state": "dormant",
        }
        self.assertEqual(["icmp", "10.0.0.1", "-", "10.0.0.100", "a", "10.0.1.1", "LC+SPH", "dormant", "1.5", "-", "-"], table([dormant])[1].split())


class ReadTest(unittest.TestCase):
    def test_pages_are_put_together_up_to_the_limit(self) -> None:
        asked: list[str] = []
        with answering(_pages(2500, asked)) as port:
            found = RestClient(Target("http", "127.0.0.1", port)).connections({"vip": "a b"}, 2200)
        self.assertEqual(list(range(2200)), [each["client_port"] for each in found["connections"]])
        self.assertEqual("2200", found["next"])
        self.assertEqual(
            [
                "/wm/malob/connections?vip=a+b&limit=1000",
                "/wm/malob/connections?vip=a+b&limit=1000&next=1000",
                "/wm/malob/connections?vip=a+b&limit=200&next=2000",
            ],
            asked,
        )

    def test_last_page_ends_it(self) -> None:
        with answering(_pages(3, [])) as port:
            found = RestClient(Target("http", "127.0.0.1", port)).connections({}, 100)
        self.assertEqual((3, None), (len(found["connections"]), found["next"]))


class CommandTest(unittest.TestCase):
    def _run(self, answer: Callable[[str], tuple[int, Any]], *arguments: str) -> tuple[str, str]:
        out, err = io.StringIO(), io.StringIO()
        with (
            answering(answer) as port,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            mock.patch.object(sys, "argv", ["x", "--http", f"127.0.0.1:{port}", *arguments]),
        ):
            self.assertEqual(0, main())
        return out.getvalue(), err.getvalue()

    def test_filters_go_to_the_controller_and_more_is_said_aside(self) -> None:
        asked: list[str] = []
        out, err = self._run(_pages(9, asked), "--member", "a", "--state", "open", "--limit", "4")
        self.assertEqual(["/wm/malob/connections?member=a&state=open&limit=4"], asked)
        self.assertEqual(5, len(out.splitlines()))
        self.assertIn("more than these 4", err)

    def test_json_is_one_document(self) -> None:
        out, err = self._run(_pages(2, []), "--json")
        self.assertEqual(2, len(json.loads(out)["connections"]))
        self.assertEqual("", err)

    def test_none_is_said(self) -> None:
        self.assertEqual(("", "no connections\n"), self._run(_pages(0, [])))

    def test_wrong_value_is_wrong_use(self) -> None:
        with self.assertRaisesRegex(UsageError, "^--port: port must be a number$"):
            self._run(lambda path: (400, {"error": "port must be a number", "field": "port"}), "--port", "x")

    def test_unknown_vip_is_a_failure(self) -> None:
        with self.assertRaisesRegex(RestError, "no vip"):
            self._run(lambda path: (404, {"error": "no vip has the id x", "field": "vip"}), "--vip", "x")

    def test_no_controller_is_missing(self) -> None:
        with answering(_pages(0, [])) as port:
            pass
        with self.assertRaisesRegex(MissingError, "no controller answers"), mock.patch.object(sys, "argv", ["x", "--http", f"127.0.0.1:{port}"]):
            main()
