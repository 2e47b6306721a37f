from __future__ import annotations

import contextlib
import io
import json
import sys
import unittest
from typing import Any, Callable
from unittest import mock

from malob.cli.catalog import details, main, parser, table, wait
from malob.cli.kinds import KINDS, MEMBER, VIP
from malob.errors import ScriptError, UsageError
from malob.rest.client import RestClient, RestError, Target
from tests.unit.answering import Reply, Request, serving

_VIP = {"id": "web", "name": "web", "address": "10.0.0.100", "protocol": "tcp", "port": 80, "lb_method": None, "pools": ["p"]}
_MEMBER = {"id": "a", "address": "10.0.0.1", "port": None, "pool_id": "p", "weight": 3, "backup": False, "admin_state": "up"}


class ViewTest(unittest.TestCase):
    def test_items_are_rows(self) -> None:
        self.assertEqual(
            ["vip  name  address     protocol  port  lb method  pool", "web  web   10.0.0.100  tcp         80  -          p"],
            table(VIP, [_VIP]),
        )

    def test_what_is_not_set_says_what_that_means(self) -> None:
        row = table(VIP, [{**_VIP, "protocol": None, "port": None, "pools": []}])[1]
        self.assertEqual(["web", "web", "10.0.0.100", "any", "any", "-", "-"], row.split())

    def test_what_has_parts_is_shown_as_options_take_it(self) -> None:
        lines = details(MEMBER, {"id": "a", "backup": True, "how": {"type": "SOURCE_IP", "timeout": 60}})
        self.assertIn("backup  true", lines)
        self.assertIn("how     type=SOURCE_IP,timeout=60", lines)

    def test_empty_notes_are_dashes(self) -> None:
        lines = details(MEMBER, {"id": "a", "description": "", "tags": [], "external_ids": {}})
        self.assertEqual(["-", "-", "-"], [line.split()[1] for line in lines if line.split()[0] in ("description", "tags", "external_ids")])

    def test_details_show_fields_that_the_table_does_not_know(self) -> None:
        self.assertEqual("later  1", details(MEMBER, {"id": "a", "later": 1})[-1])


class CommandTest(unittest.TestCase):
    """The command against a controller that records requests, and has one answer."""

    def setUp(self) -> None:
        self.seen: list[tuple[str, str, Any]] = []
        self.reply: Reply = (200, _MEMBER, {})
        self.answer: Callable[[Request], Reply] = self._noted

    def _noted(self, request: Request) -> Reply:
        self.seen.append((request.method, request.path, request.json))
        self.matching = request.headers.get("if-match")
        return self.reply

    def _run(self, *words: str) -> str:
        out, self.err = io.StringIO(), io.StringIO()
        with (
            serving(self.answer) as port,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(self.err),
            mock.patch.dict("os.environ", {"MALOB_URL": f"http://127.0.0.1:{port}"}),
            mock.patch.object(sys, "argv", ["x", *words]),
        ):
            self.assertEqual(0, main())
        return out.getvalue()

    def test_add_sends_what_is_given_and_shows_what_came_of_it(self) -> None:
        out = self._run("member", "add", "a", "--address", "10.0.0.1", "--pool", "p", "--weight", "3")
        self.assertEqual([("POST", "/quantum/v1.0/members/", {"id": "a", "address": "10.0.0.1", "pool_id": "p", "weight": 3})], self.seen)
        self.assertEqual(["a", "10.0.0.1", "any", "p", "3", "false", "up"], out.splitlines()[1].split())

    def test_load_balancer_is_a_kind_with_notes(self) -> None:
        self.reply = (200, {"id": "lb", "name": "lb", "address": "10.0.0.100", "admin_state": "down", "tags": ["a", "b"], "vips": ["web", "ftp"]}, {})
        out = self._run(
            "load-balancer", "set", "lb", "--admin-state", "down", "--tags", "a,b", "--external-ids", "project_id=7", "--description", "007"
        )
        notes = {"description": "007", "tags": "a,b", "external_ids": "project_id=7"}
        self.assertEqual(
            [("PUT", "/quantum/v1.0/load_balancers/lb", {"admin_state": "down", **notes})], [each for each in self.seen if each[0] == "PUT"]
        )
        self.assertEqual(["lb", "lb", "10.0.0.100", "down", "web", "ftp"], out.splitlines()[1].split())

    def test_add_leaves_the_id_to_the_controller(self) -> None:
        self._run("service", "add", "--port", "53", "--protocol", "udp", "--algorithm", "LC")
        self.assertEqual([("POST", "/quantum/v1.0/services/", {"port": 53, "protocol": "udp", "algorithm": "LC"})], self.seen)

    def test_json_is_the_controllers_own(self) -> None:
        self.assertEqual(_MEMBER, json.loads(self._run("member", "show", "a", "--json")))
        self.assertEqual("", self.err.getvalue())

    def test_set_names_only_what_changes(self) -> None:
        self._run("member", "set", "a", "--weight", "1", "--unset", "pool", "--unset", "port")
        self.assertEqual([("PUT", "/quantum/v1.0/members/a", {"weight": 1, "pool_id": None, "port": None})], self.seen)

    def test_what_is_not_there_is_neither_changed_nor_made(self) -> None:
        for words in (("member", "set", "typo", "--weight", "2"), ("member", "drain", "typo")):
            self.matching = ""
            self.reply = (412, {"error": "nothing exists here that If-Match could match", "field": "If-Match"}, {})
            with self.assertRaisesRegex(RestError, "^member typo does not exist$"):
                self._run(*words)
            self.assertEqual("*", self.matching)

    def test_set_of_nothing_and_of_contradictions_asks_nobody(self) -> None:
        with self.assertRaisesRegex(UsageError, "nothing to set"):
            self._run("member", "set", "a")
        with self.assertRaisesRegex(UsageError, "^--pool: given and cleared"):
            self._run("member", "set", "a", "--pool", "p", "--unset", "pool")
        self.assertEqual([], self.seen)

    def test_value_that_is_none_goes_to_the_controller_and_its_words_to_the_user(self) -> None:
        self.reply = (400, {"error": 'port must be a whole number, not "http"', "field": "port"}, {})
        with self.assertRaisesRegex(UsageError, '^--port: port must be a whole number, not "http"$'):
            self._run("vip", "add", "--address", "10.0.0.100", "--port", "http")
        self.assertEqual("http", self.seen[0][2]["port"])

    def test_reference_to_nothing_names_the_option(self) -> None:
        self.reply = (422, {"error": "there is no pool x", "field": "pool_id"}, {})
        with self.assertRaisesRegex(RestError, "^--pool: there is no pool x$"):
            self._run("member", "set", "a", "--pool", "x")

    def test_remove_takes_several_and_encodes_them(self) -> None:
        self._run("pool", "rm", "p", "a/b")
        self.assertEqual([("DELETE", "/quantum/v1.0/pools/p", None), ("DELETE", "/quantum/v1.0/pools/a%2Fb", None)], self.seen)

    def test_list_follows_pages(self) -> None:
        pages: dict[str, Reply] = {
            "/quantum/v1.0/pools/p/members/": (200, [_MEMBER], {"Link": '</next>; rel="next"'}),
            "/next": (200, [{**_MEMBER, "id": "b"}], {}),
        }
        self.answer = lambda request: pages[request.path]
        out = self._run("member", "list", "--pool", "p")
        self.assertEqual(["member", "a", "b"], [line.split()[0] for line in out.splitlines()])

    def test_empty_list_is_said_aside(self) -> None:
        self.reply = (200, [], {})
        self.assertEqual("", self._run("vip", "list"))
        self.assertEqual("no vips\n", self.err.getvalue())

    def test_drain_takes_new_connections_away(self) -> None:
        self._run("member", "drain", "a")
        self.assertEqual([("PUT", "/quantum/v1.0/members/a", {"admin_state": "drain"}), ("GET", "/quantum/v1.0/members/a", None)], self.seen)

    def test_timeout_without_wait_is_wrong_use(self) -> None:
        with self.assertRaisesRegex(UsageError, "--timeout"):
            self._run("member", "drain", "a", "--timeout", "5")

    def test_unknown_kind_is_wrong_use(self) -> None:
        with self.assertRaises(UsageError):
            self._run("router", "list")


class WaitTest(unittest.TestCase):
    """Waiting for the last connection, with a clock of its own."""

    def setUp(self) -> None:
        self.now = 0.0
        self.told: list[str] = []
        #: by time, how many connections a and b have
        self.counts: list[tuple[int, int]] = [(2, 1), (1, 0), (0, 0)]
        self.pool: str | None = "p"

    def _answer(self, request: Request) -> Reply:
        if request.path.endswith("/stats/"):
            a, b = self.counts[min(int(self.now), len(self.counts) - 1)]
            return 200, {"members": [{"id": "a", "active_connections": a}, {"id": "b", "active_connections": b}]}, {}
        if request.path.endswith("/gone"):
            return 404, {"error": "no member has the id gone"}, {}
        return 200, {**_MEMBER, "pool_id": self.pool}, {}

    def _wait(self, members: list[str], timeout_s: float | None = None) -> None:
        def sleep(_seconds: float) -> None:
            self.now += 1

        with serving(self._answer) as port:
            rest = RestClient(Target("http", "127.0.0.1", port))
            wait(rest, members, timeout_s, self.told.append, lambda: self.now, sleep)

    def test_ends_with_the_last_connection_of_all(self) -> None:
        self._wait(["a", "b"])
        self.assertEqual(["open connections: a 2, b 1", "open connections: a 1"], self.told)
        self.assertEqual(2, self.now)

    def test_gives_up_after_the_timeout(self) -> None:
        self.counts = [(3, 0)]
        with self.assertRaisesRegex(ScriptError, "after 2 s connections are still open: a 3"):
            self._wait(["a", "b"], 2)
        self.assertEqual(2, self.now)

    def test_member_that_is_gone_or_in_no_pool_has_none(self) -> None:
        self._wait(["gone"])
        self.pool = None
        self._wait(["a"])
        self.assertEqual([], self.told)


class ParserTest(unittest.TestCase):
    def test_all_kinds_have_all_actions_and_only_members_drain(self) -> None:
        for name, kind in KINDS.items():
            with contextlib.redirect_stdout(io.StringIO()) as out, self.assertRaises(SystemExit):
                parser(kind.name).parse_args(["--help"])
            for action in ("list", "show", "add", "set", "rm"):
                self.assertIn(f"    {action} ", out.getvalue())
            self.assertEqual(name == "member", "    drain " in out.getvalue())


if __name__ == "__main__":
    unittest.main()
