from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import select
import sys
import time
import unittest
from typing import Any
from unittest import mock

from malob.cli.top import screen
from malob.cli.top.__main__ import main
from malob.cli.top.reading import Interval, Reading
from malob.cli.top.screen import VIEWS, Choice, Column, ordered
from malob.errors import MissingError, UsageError
from malob.rest.state import State
from malob.system.place import ROOT
from tests.unit.answering import answering

_MEMBERS, _LINKS, _POOLS = VIEWS


def _server(name: str, open_: int, **more: Any) -> dict[str, Any]:
    return {"id": name, "pool_id": "p", "located": True, "active_connections": open_, "cpu": None, "response_ms": None, **more}


def _link(port: int, use: float | None, capacity: float | None) -> dict[str, Any]:
    def measured(value: float | None) -> dict[str, Any] | None:
        return None if value is None else {"value": value, "age_s": 0.1}

    return {
        "src": {"switch": "00:00:00:00:00:00:00:01", "port": port},
        "dst": {"switch": "00:00:00:00:00:00:00:02", "port": 1},
        "active": 1,
        "latency_ms": measured(2.5),
        "use_mbps": measured(use),
        "capacity_mbps": measured(capacity),
    }


def _reading(at_s: float, totals: dict[str, int], **more: Any) -> Reading:
    """A controller with a pool p of members that have had these numbers of connections."""
    snapshot = {
        "time": "now",
        "switches": [{}],
        "links": more.get("links", []),
        "servers": more.get("servers", [_server(name, 0) for name in totals]),
    }
    stats = {
        "active_connections": 5,
        "total_connections": sum(totals.values()),
        "members": [
            {"id": name, "total_connections": total, "health": more.get("health", {}).get(name, "unchecked")} for name, total in totals.items()
        ],
    }
    vip = {"id": "web", "address": "10.0.0.100", "port": 80, "pools": ["p"]}
    return Reading(
        at_s,
        State(snapshot, [vip], {"p": {"id": "p", "stats": stats}}),
        more.get("admin", {}),
        {"open_connections": 5},
        {"no_route": more.get("refused", 0), "not_balanced": int(1000 * at_s)},
    )


class IntervalTest(unittest.TestCase):
    def test_latency_below_what_can_be_measured_is_said_to_be_below(self) -> None:
        column = _LINKS.column("latency")
        self.assertEqual(["< 0.1", "< 0.1", "0.10", "-"], [column.show(value) for value in (0.0, 0.09, 0.1, None)])

    def test_rates_are_per_second(self) -> None:
        interval = Interval(_reading(10, {"a": 100, "b": 7}), _reading(12, {"a": 130, "b": 7}, refused=3))
        self.assertEqual({"a": 15.0, "b": 0.0}, interval.member_rates())
        self.assertEqual({"p": 15.0}, interval.pool_rates())
        self.assertEqual(1.5, interval.refusal_rate())

    def test_rate_is_unknown_at_first_and_after_a_restart(self) -> None:
        self.assertEqual({"a": None}, Interval(None, _reading(1, {"a": 9})).member_rates())
        self.assertEqual({"a": None, "new": None}, Interval(_reading(1, {"a": 9}), _reading(2, {"a": 3, "new": 1})).member_rates())


class ViewsTest(unittest.TestCase):
    def test_member_shows_what_is_measured(self) -> None:
        server = _server("a", 4, cpu={"value": 0.5}, response_ms={"value": 1.5})
        row = _MEMBERS.rows(Interval(_reading(1, {"a": 10}), _reading(2, {"a": 13}, servers=[server])))[0]
        self.assertEqual({"id": "a", "pool": "p", "state": "up", "open": 4, "new": 3.0, "total": 13, "cpu": 50.0, "response": 1.5}, row)

    def test_response_below_what_can_be_measured_is_said_to_be_below(self) -> None:
        self.assertEqual(["< 0.1", "0.1"], [_MEMBERS.column("response").show(value) for value in (0.04, 0.1)])

    def test_state_is_the_operators_or_else_whether_it_is_seen(self) -> None:
        servers = [_server("a", 0), _server("b", 0, located=False), _server("c", 0)]
        rows = _MEMBERS.rows(Interval(None, _reading(1, {}, servers=servers, admin={"a": "up", "b": None, "c": "drain"})))
        self.assertEqual(["up", "unseen", "drain"], [row["state"] for row in rows])

    def test_state_tells_what_checks_have_shown(self) -> None:
        health = {"a": "up", "b": "down", "c": "ejected", "d": "checking", "e": "down"}
        now = _reading(1, dict.fromkeys(health, 0), health=health, admin={"e": "drain"})
        self.assertEqual(["up", "failing", "ejected", "checking", "drain"], [row["state"] for row in _MEMBERS.rows(Interval(None, now))])

    def test_use_of_a_link_is_unknown_without_capacity(self) -> None:
        rows = _LINKS.rows(Interval(None, _reading(1, {}, links=[_link(1, 5, 20), _link(2, 5, None), _link(3, None, 20)])))
        self.assertEqual([25.0, None, None], [row["share"] for row in rows])
        self.assertEqual(("01/1", "02/1", 2.5), (rows[0]["from"], rows[0]["to"], rows[0]["latency"]))

    def test_pool_has_the_address_of_its_vip(self) -> None:
        row = _POOLS.rows(Interval(None, _reading(1, {"a": 1, "b": 2})))[0]
        self.assertEqual(("web", "10.0.0.100:80", 2, 5, 3), tuple(row[key] for key in ("vip", "address", "members", "open", "total")))

    def test_numbers_go_from_the_largest_texts_from_the_first_unknown_last(self) -> None:
        rows: list[Any] = [{"id": "b", "cpu": None}, {"id": "c", "cpu": 1}, {"id": "a", "cpu": 2}]

        def names(key: str, reverse: bool) -> str:
            return "".join(str(row["id"]) for row in ordered(_MEMBERS, rows, key, reverse))

        self.assertEqual(["acb", "cab", "abc", "cba"], [names("cpu", False), names("cpu", True), names("id", False), names("id", True)])

    def test_long_texts_are_cut(self) -> None:
        self.assertEqual("abc…", Column("id", "ID", 4).show("abcdefgh"))


class ScreenTest(unittest.TestCase):
    def test_everything_fits_into_80_by_24_however_much_there_is(self) -> None:
        servers = [_server(f"member-with-a-long-name-{n}", 99999, pool_id="pool-with-a-long-name") for n in range(1000)]
        now = _reading(2, {each["id"]: 9999999 for each in servers}, servers=servers, links=[_link(n, 1e5, 1e5) for n in range(99)])
        for view in VIEWS:
            shown = screen.frame(Interval(_reading(1, {}), now), Choice.of(view), "http://127.0.0.1:8080", 80, 24)
            self.assertEqual(24, len(shown))
            self.assertLess(max(map(len, shown)), 80)
            self.assertEqual(screen.KEYS, shown[-1])
        members = screen.frame(Interval(None, now), Choice.of(_MEMBERS), "", 80, 24)
        self.assertEqual("… 983 more", members[-2])
        self.assertEqual(17, sum(line.startswith("member-") for line in members))
        # no column is cut off
        self.assertTrue(members[4].endswith("RESP MS"), members[4])

    def test_trouble_is_said_where_the_time_was(self) -> None:
        self.assertEqual("no new data", screen.frame(Interval(None, _reading(1, {})), Choice.of(_POOLS), "", 80, 24, "no new data")[0])

    def test_keys_choose_table_and_order(self) -> None:
        choice = Choice.of(_MEMBERS)
        self.assertEqual(["links", "pools", "members"], [choice.after(key).view.name for key in ("\t", "p", "m")])
        self.assertEqual(Choice(_MEMBERS, "total"), choice.after("s"))
        self.assertEqual(Choice(_MEMBERS, "id"), Choice(_MEMBERS, "response").after("s"))
        self.assertTrue(choice.after("r").reverse)
        self.assertFalse(choice.after("r").after("r").reverse)
        self.assertEqual(choice, choice.after("x"))


class CommandTest(unittest.TestCase):
    """top against a controller whose pool has had one connection more each time."""

    def setUp(self) -> None:
        self.total = 0
        self.healthy = True

    def _answer(self, path: str) -> tuple[int, Any]:
        if not self.healthy:
            return 500, {"error": "out of order", "field": None}
        if path.endswith("/stats/"):
            self.total += 1
        reading = _reading(0, {"a": self.total}, links=[_link(1, 1, 2)])
        pool = reading.state.pools["p"]
        return 200, {
            "/quantum/v1.0/vips/": reading.state.vips,
            "/quantum/v1.0/pools/": [pool],
            "/quantum/v1.0/pools/p/stats/": pool["stats"],
            "/quantum/v1.0/members/": [{"id": "a", "admin_state": "up"}],
            "/wm/malob/snapshot": reading.state.snapshot,
            "/wm/malob/counters": reading.counters,
            "/wm/malob/refusals": reading.refusals,
        }[path]

    def _run(self, *words: str) -> str:
        out = io.StringIO()
        with (
            answering(self._answer) as port,
            contextlib.redirect_stdout(out),
            mock.patch.object(sys, "argv", ["x", *words, "--http", f"127.0.0.1:{port}"]),
        ):
            self.assertEqual(0, main())
        return out.getvalue()

    def test_once_prints_rates_over_an_interval(self) -> None:
        lines = self._run("--once", "--interval", "0.1").splitlines()
        self.assertEqual("MEMBER", lines[3].split()[0])
        rate = float(lines[4].split()[4])
        self.assertTrue(1 < rate <= 10, rate)

    def test_json_has_all_tables(self) -> None:
        document = json.loads(self._run("--once", "--json", "--interval", "0.1"))
        self.assertEqual(("a", "01/1", "web"), (document["members"][0]["id"], document["links"][0]["from"], document["pools"][0]["vip"]))

    def test_wrong_use(self) -> None:
        for words, expected in (
            (["--sort", "x"], "--sort: members have id, pool"),
            (["--json"], "--json: only with"),
            ([], "not a terminal; --once"),
        ):
            with self.assertRaisesRegex(UsageError, expected):
                self._run(*words)

    def test_no_controller_is_missing(self) -> None:
        with answering(self._answer) as port:
            pass
        with self.assertRaises(MissingError), mock.patch.object(sys, "argv", ["x", "--once", "--http", f"127.0.0.1:{port}"]):
            main()

    def test_terminal_shows_tables_and_trouble_and_q_quits(self) -> None:
        with answering(self._answer) as port:
            child, terminal = pty.fork()
            if child == 0:
                os.environ.update(TERM="xterm", COLUMNS="80", LINES="24")
                os.execv(
                    sys.executable,
                    [sys.executable, str(ROOT / "scripts/command.py"), "malob.cli", "top", "--interval", "0.1", "--http", f"127.0.0.1:{port}"],
                )
            self.addCleanup(os.close, terminal)
            self._see(terminal, "[members]")
            os.write(terminal, b"\t")
            self._see(terminal, "[links]")
            self.healthy = False
            self._see(terminal, "no new data for")
            os.write(terminal, b"q")
            # the screen is given back
            self._see(terminal, "\033[?1049l")
            self.assertEqual(0, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    def _see(self, terminal: int, words: str) -> None:
        seen, deadline = "", time.monotonic() + 30
        while words not in seen:
            ready, _, _ = select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))
            self.assertTrue(ready, f"no '{words}' in {seen[-2000:]!r}")
            seen += os.read(terminal, 65536).decode("utf-8", "replace")


if __name__ == "__main__":
    unittest.main()
