"""The end host's policy rules and routes beside those of other programs, on a scripted `ip`."""

from __future__ import annotations

import json
import unittest
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from malob.endhost import checks, network, policy
from malob.endhost.network import MAIN, OURS
from malob.endhost.policy import INSIDE_TABLE, Way
from malob.endhost.rules import Rule, is_ours, ours
from malob.errors import ScriptError
from tests.unit.test_endhost import ETH0, settings

INSIDE, GATEWAY = "198.18.255.2", "198.18.255.1"
ETH0_WAY = Way("eth0", ("10.0.1.2",), "10.0.1.1")


class ScriptedIp:
    """Answers for `ip` as iproute2 does, on a machine whose /etc/iproute2 gives names to tables, scopes and protocols."""

    NAMES = {254: "main", 255: "local", 100: "vpn", INSIDE_TABLE: "inside", OURS: "malob"}

    def __init__(self) -> None:
        self.rules: dict[str, list[dict[str, Any]]] = {
            version: [{"priority": 0, "src": "all", "table": 255}, {"priority": 32766, "src": "all", "table": 254}] for version in ("-4", "-6")
        }
        #: version and table, device, gateway, protocol
        self.routes: list[tuple[str, int, str, str, int]] = []

    def __call__(self, command: Sequence[str], timeout_s: float = 30, check: bool = True, text: str | None = None) -> str:
        words = list(command)
        assert words.pop(0) == "ip", command
        numeric = "-N" in words
        version = "-6" if "-6" in words else "-4"
        words = [word for word in words if not word.startswith("-")]
        kind, verb, *rest = words
        if kind == "address":
            return json.dumps([self.link(numeric)])
        return getattr(self, f"{kind}_{verb}")(version, rest, numeric)

    def name(self, number: int, numeric: bool) -> str:
        return str(number) if numeric else self.NAMES.get(number, str(number))

    def link(self, numeric: bool) -> dict[str, Any]:
        return {
            "ifindex": 2,
            "ifname": "eth0",
            "flags": ["UP"],
            "mtu": 1500,
            "address": "02:00:00:00:00:01",
            "link_type": "[1]" if numeric else "ether",
            "addr_info": [
                {"family": "inet", "local": "10.0.1.2", "scope": "0" if numeric else "global"},
                {"family": "inet", "local": "169.254.0.9", "scope": "253" if numeric else "link"},
            ],
        }

    def rule_show(self, version: str, _words: list[str], numeric: bool) -> str:
        return json.dumps(
            [{**rule, **{key: self.name(rule[key], numeric) for key in ("table", "protocol") if key in rule}} for rule in self.rules[version]]
        )

    def rule_add(self, version: str, words: list[str], _numeric: bool) -> str:
        rule = self.parsed(words)
        if rule in self.rules[version]:
            raise ScriptError("RTNETLINK answers: File exists")
        self.rules[version].append(rule)
        self.rules[version].sort(key=lambda each: each["priority"])
        return ""

    def rule_del(self, version: str, words: list[str], _numeric: bool) -> str:
        """As the kernel does: a missing field matches anything, and the first match wins."""
        told = {key: value for key, value in self.parsed(words).items() if (key, value) != ("src", "all")}
        for rule in self.rules[version]:
            if told.items() <= rule.items():
                self.rules[version].remove(rule)
                return ""
        raise ScriptError("RTNETLINK answers: No such file or directory")

    @staticmethod
    def parsed(words: list[str]) -> dict[str, Any]:
        keys = {
            "priority": "priority",
            "from": "src",
            "lookup": "table",
            "suppress_prefixlength": "suppress_prefixlen",
            "protocol": "protocol",
            "iif": "iif",
            "fwmark": "fwmark",
        }
        numbers = ("priority", "table", "suppress_prefixlen", "protocol")
        pairs = [(keys[key], value) for key, value in zip(words[::2], words[1::2])]
        return {key: int(value) if key in numbers else value for key, value in pairs}

    def route_replace(self, version: str, words: list[str], _numeric: bool) -> str:
        told = dict(zip(words[::2], words[1::2])) if "onlink" not in words else self.route_words(words)
        table = int(told["table"])
        self.routes = [route for route in self.routes if route[:2] != (version, table)]
        self.routes.append((version, table, told["dev"], told["via"], int(told.get("protocol", 3))))
        return ""

    @staticmethod
    def route_words(words: list[str]) -> dict[str, str]:
        words = [word for word in words if word not in ("default", "onlink")]
        return dict(zip(words[::2], words[1::2]))

    def matching(self, version: str, words: list[str]) -> list[tuple[str, int, str, str, int]]:
        told = self.route_words(words)
        table = int(told["table"]) if told["table"].isdigit() else MAIN
        protocol = told.get("protocol")
        return [route for route in self.routes if route[:2] == (version, table) and protocol in (None, str(route[4]))]

    def route_show(self, version: str, words: list[str], numeric: bool) -> str:
        found = self.matching(version, words)
        if "254" in words or "main" in words:
            return json.dumps([{"dst": "default", "dev": route[2], "gateway": route[3]} for route in found])
        asked = "protocol" in words
        return "".join(
            f"default via {gateway} dev {device} " + ("" if asked else f"proto {self.name(protocol, numeric)} ") + "onlink \n"
            for _, _, device, gateway, protocol in found
        )

    def route_flush(self, version: str, words: list[str], _numeric: bool) -> str:
        for route in self.matching(version, words):
            self.routes.remove(route)
        return ""


class RulesOfOthersTest(unittest.TestCase):
    FOREIGN = [
        {"priority": 32000, "src": "all", "table": 100},
        # the shape of ours, but for what we never look at
        {"priority": 32000, "src": "all", "table": MAIN, "suppress_prefixlen": 0, "fwmark": "0x1"},
        {"priority": 32002, "src": INSIDE, "table": INSIDE_TABLE, "protocol": 186},
    ]

    def setUp(self) -> None:
        self.ip = ScriptedIp()
        for module in ("network", "policy", "rules"):
            patch = mock.patch(f"malob.endhost.{module}.run", self.ip)
            patch.start()
            self.addCleanup(patch.stop)
        for version in ("-4", "-6"):
            self.ip.rules[version][1:1] = [dict(rule) for rule in self.FOREIGN]
        self.before = {version: list(rules) for version, rules in self.ip.rules.items()}
        self.policy = policy.Policy(INSIDE, GATEWAY)

    def foreign(self) -> dict[str, list[dict[str, Any]]]:
        return {version: [rule for rule in rules if rule.get("protocol") != OURS] for version, rules in self.ip.rules.items()}

    def test_rules_of_others_at_our_priorities_stay_when_ours_come_and_change_and_go(self) -> None:
        self.policy.follow(4, [ETH0_WAY], ())
        self.assertEqual(self.before, self.foreign())
        self.assertEqual(policy.wanted_rules(4, {INSIDE_TABLE + 1: ETH0_WAY}, (), INSIDE), ours(4))
        self.policy.follow(4, [Way("eth0", ("10.0.1.77",), "10.0.1.1")], ())
        self.assertEqual(self.before, self.foreign())
        self.assertEqual(["10.0.1.77"], [rule.source for rule in ours(4) if rule.priority == policy.OF_UPLINK])
        policy.refuse_new(INSIDE)
        self.assertEqual(self.before, self.foreign())
        self.assertEqual([INSIDE], [rule.source for rule in ours(4) if rule.priority == policy.TO_INSIDE])
        policy.remove_all(2)
        self.assertEqual(self.before, self.ip.rules)

    def test_following_again_changes_nothing(self) -> None:
        self.policy.follow(4, [ETH0_WAY], ())
        with (
            mock.patch.object(self.ip, "rule_add", side_effect=AssertionError),
            mock.patch.object(self.ip, "rule_del", side_effect=AssertionError),
            mock.patch.object(self.ip, "route_replace", side_effect=AssertionError),
        ):
            self.policy.follow(4, [ETH0_WAY], ())

    def test_rules_of_others_are_told_of_and_ours_are_not(self) -> None:
        self.policy.follow(4, [ETH0_WAY], ())
        found = policy.overruled()
        self.assertEqual(2 * len(self.FOREIGN), len(found))
        self.assertIn("IPv4's policy rule 32000", found[0])

    def test_ours_are_read_with_everything_that_they_have(self) -> None:
        for rule in (Rule(6, 32002, INSIDE_TABLE, local=True), Rule(4, 32000, MAIN, specific=True), Rule(4, 32001, 9, "10.0.0.1")):
            with self.subTest(rule):
                rule.add()
                self.assertIn(rule, ours(rule.version))
                rule.remove()
                self.assertEqual([], ours(rule.version))

    def test_a_rule_without_a_mark_is_not_ours(self) -> None:
        self.assertFalse(any(is_ours(told) for told in network.rules(4)))


class RoutesOfOthersTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ip = ScriptedIp()
        for module in ("network", "policy", "rules"):
            patch = mock.patch(f"malob.endhost.{module}.run", self.ip)
            patch.start()
            self.addCleanup(patch.stop)

    def test_a_table_with_routes_of_others_is_refused_with_force_as_well(self) -> None:
        self.ip.routes.append(("-4", INSIDE_TABLE + 1, "tun0", "10.8.0.1", 3))
        for force in (False, True):
            with self.subTest(force=force), self.assertRaisesRegex(ScriptError, f"routing table {INSIDE_TABLE + 1}"):
                checks.check(settings("eth0", force=force), {"eth0": ETH0})

    def test_our_own_routes_are_no_reason_to_refuse(self) -> None:
        policy.Policy(INSIDE, GATEWAY).follow(4, [ETH0_WAY], ())
        self.assertEqual([], policy.taken_tables(2))

    def test_only_our_routes_go(self) -> None:
        policy.Policy(INSIDE, GATEWAY).follow(4, [ETH0_WAY], ())
        foreign = ("-4", INSIDE_TABLE, "tun0", "10.8.0.1", 3)
        self.ip.routes.append(foreign)
        policy.remove_all(2)
        self.assertEqual([foreign], self.ip.routes)

    def test_names_of_tables_scopes_and_protocols_are_read_as_numbers(self) -> None:
        self.ip.rules["-4"].insert(1, {"priority": 32001, "src": "all", "table": 100})
        policy.Policy(INSIDE, GATEWAY).follow(4, [ETH0_WAY], ())
        self.assertEqual(INSIDE_TABLE, ours(4)[-1].table)
        self.assertEqual(("eth0", "10.0.1.1"), network.default_route(4, INSIDE_TABLE + 1))
        found = network.read()["eth0"]
        self.assertEqual((True, False, ("10.0.1.2",)), (found.ethernet, found.loopback, found.ipv4))

    def test_ssh_over_an_uplink_is_allowed_by_its_own_option_which_allows_nothing_else(self) -> None:
        with mock.patch("malob.endhost.checks.ssh_peers", lambda: [("10.0.1.2", "192.0.2.7")]):
            with self.assertRaisesRegex(ScriptError, "192.0.2.7.*--allow-ssh"):
                checks.check(settings("eth0"), {"eth0": ETH0})
            checks.check(settings("eth0", allow_ssh=True), {"eth0": ETH0})
            checks.check(settings("eth0", force=True), {"eth0": ETH0})
            self.ip.rules["-4"].insert(1, {"priority": 32100, "src": "all", "table": 100})
            with self.assertRaisesRegex(ScriptError, "32100.*--force"):
                checks.check(settings("eth0", allow_ssh=True), {"eth0": ETH0})
            checks.check(settings("eth0", force=True), {"eth0": ETH0})


class ServiceTest(unittest.TestCase):
    def test_the_service_does_not_pass_over_rules_of_others(self) -> None:
        unit = (Path(policy.__file__).parent / "malob-endhost.service").read_text()
        start = next(line for line in unit.splitlines() if line.startswith("ExecStart="))
        self.assertNotIn("--force", start)
        self.assertIn("--allow-ssh", start)


if __name__ == "__main__":
    unittest.main()
