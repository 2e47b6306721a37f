"""An end host's configuration, its stored state, and its interpretation of the kernel's answers."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from malob.cli.endhost import uplinks_text
from malob.endhost import checks, document, offloads, policy
from malob.endhost.document import UplinkState
from malob.endhost.network import MAIN, Interface
from malob.endhost.options import Settings, UplinkOption, inside, ports
from malob.endhost.policy import Way
from malob.endhost.rules import Rule
from malob.errors import ScriptError, UsageError
from malob.system.journal import Journal

ETH0 = Interface("eth0", 2, "02:00:00:00:00:01", True, False, True, False, "", None, 1500, ("10.0.1.2",), (), "10.0.1.1", None)


def settings(*uplinks: str, **more: object) -> Settings:
    return Settings(tuple(map(UplinkOption.parse, uplinks)), **more)  # type: ignore[arg-type]


class OptionsTest(unittest.TestCase):
    def test_uplink_with_everything(self) -> None:
        told = UplinkOption.parse("eth0=10.0.1.1,weight=2.5,gateway6=fe80::1")
        self.assertEqual(UplinkOption("eth0", "10.0.1.1", "fe80::1", 2.5), told)

    def test_uplink_with_a_name_only(self) -> None:
        self.assertEqual(UplinkOption("wlp3s0"), UplinkOption.parse("wlp3s0"))

    def test_wrong_uplinks_are_refused_with_what_is_wrong(self) -> None:
        for text, word in (
            ("", "not the name"),
            ("averylongname123456", "not the name"),
            ("a/b", "not the name"),
            ("..", "not the name"),
            ("eth0=", "not the IPv4"),
            ("eth0=fe80::1", "not the IPv4"),
            ("eth0=224.0.0.1", "not the IPv4"),
            ("eth0,gateway6=10.0.0.1", "not the IPv6"),
            ("eth0,weight=0", "weight"),
            ("eth0,weight=nan", "weight"),
            ("eth0,weight=1,weight=2", "twice"),
            ("eth0,colour=red", "colour"),
        ):
            with self.subTest(text), self.assertRaisesRegex(argparse.ArgumentTypeError, word):
                UplinkOption.parse(text)

    def test_inside_has_room_for_its_gateway(self) -> None:
        self.assertEqual("198.18.255.2/30", inside("198.18.255.2/30"))
        for text in ("198.18.255.2", "198.18.255.2/31", "198.18.255.0/30", "198.18.255.3/30", "fd00::2/64", "x"):
            with self.subTest(text), self.assertRaises(argparse.ArgumentTypeError):
                inside(text)

    def test_the_gateway_inside_is_the_first_other_address(self) -> None:
        self.assertEqual("198.18.255.1", settings("eth0").inside_gateway)
        self.assertEqual("198.18.255.2", settings("eth0", inside="198.18.255.1/30").inside_gateway)

    def test_contradictions_are_refused(self) -> None:
        for uplinks, more, word in (
            (["eth0", "eth0"], {}, "twice"),
            (["eth0"], {"default_uplink": "eth1"}, "eth1"),
            (["eth0"], {"openflow_port": 8080}, "OpenFlow"),
        ):
            with self.subTest(word), self.assertRaisesRegex(UsageError, word):
                settings(*uplinks, **more)

    def test_what_is_made_of_the_same_settings_can_be_gone_on_with(self) -> None:
        earlier = settings("eth0=10.0.1.1", "eth1", algorithm="RR")
        self.assertTrue(settings("eth0,weight=2", "eth1", force=True).goes_on_from(earlier))
        for other in (
            settings("eth1", "eth0"),
            settings("eth0"),
            settings("eth0", "eth1", http_port=8081),
            settings("eth0", "eth1", openflow_port=6654),
            settings("eth0", "eth1", inside="10.9.0.2/30"),
        ):
            self.assertFalse(other.goes_on_from(earlier))

    def test_settings_are_the_same_after_a_document(self) -> None:
        told = settings("eth0=10.0.1.1,weight=2", "eth1", algorithm="RR", default_uplink="eth1", race_ports=(80, 443), force=True)
        self.assertEqual(told, Settings.of(json.loads(json.dumps(told.document()))))

    def test_settings_of_an_earlier_version_have_no_races(self) -> None:
        document = settings("eth0").document()
        del document["race_ports"]
        self.assertEqual(settings("eth0"), Settings.of(document))

    def test_ports_are_numbers_of_ports(self) -> None:
        self.assertEqual((443, 80), ports("443,80,443"))
        for text in ("", "0", "65536", "80,", "http", "-1", "80 443", "٨٠", ",".join(["80"] * 65)):
            with self.subTest(text), self.assertRaises(argparse.ArgumentTypeError):
                ports(text)


class JournalTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name) / "deep" / "host.json"
        self.journal = Journal(self.path)

    def test_steps_come_back_in_order_in_another_process(self) -> None:
        self.journal.begin(settings={"a": 1})
        self.journal.add("bridge", own=True)
        self.journal.add("offloads", device="eth0", index=2, features=["gro"])
        other = Journal(self.path)
        self.assertEqual(["bridge", "offloads"], [step["kind"] for step in other.steps()])
        self.assertEqual([{"kind": "bridge", "own": True}], other.steps("bridge"))
        self.assertEqual({"a": 1}, other.read()["settings"])

    def test_the_same_step_is_noted_once(self) -> None:
        self.journal.begin()
        self.journal.add("bridge", own=True)
        self.journal.add("bridge", own=True)
        self.assertEqual(1, len(self.journal.steps()))

    def test_removed_steps_are_gone(self) -> None:
        self.journal.begin()
        self.journal.add("inside")
        self.journal.remove(self.journal.steps()[0])
        self.assertEqual([], self.journal.steps())
        self.journal.end()
        self.assertFalse(self.journal.exists())

    def test_supervisor_is_known_while_it_runs_and_not_by_its_number_alone(self) -> None:
        self.journal.begin()
        found = self.journal.owner()
        self.assertEqual(os.getpid(), found.pid if found else None)
        text = self.path.read_text().replace(str(found.start_ticks if found else None), "1")
        self.path.write_text(text)
        self.assertIsNone(self.journal.owner())

    def test_another_process_can_take_it_over_with_all_steps(self) -> None:
        self.journal.begin(settings={"a": 1})
        self.journal.add("inside")
        self.path.write_text(self.path.read_text().replace(str(os.getpid()), "1"))
        self.assertIsNone(self.journal.owner())
        self.journal.take_over(settings={"a": 2})
        self.assertIsNotNone(self.journal.owner())
        self.assertTrue(self.journal.is_of_this_network())
        self.assertEqual((["inside"], {"a": 2}), ([step["kind"] for step in self.journal.steps()], self.journal.read()["settings"]))

    def test_after_a_reboot_it_is_of_another_network(self) -> None:
        self.journal.begin()
        self.assertTrue(self.journal.is_of_this_network())
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        self.path.write_text(self.path.read_text().replace(boot, "another"))
        self.assertFalse(self.journal.is_of_this_network())
        self.assertIsNone(self.journal.owner())

    def test_a_broken_file_is_told_of(self) -> None:
        self.journal.begin()
        self.path.write_text("{")
        with self.assertRaisesRegex(ScriptError, "host.json"):
            self.journal.steps()


class PolicyTest(unittest.TestCase):
    WAYS = {11: Way("eth0", ("10.0.1.2", "10.0.1.3"), "10.0.1.1")}

    def test_ipv4_leads_to_the_switch_what_has_no_address_yet_or_the_inside_one(self) -> None:
        rules = policy.wanted_rules(4, self.WAYS, ["10.9.9.9"], "198.18.255.2")
        self.assertEqual(
            [
                Rule(4, 32000, MAIN, specific=True),
                Rule(4, 32001, 11, "10.0.1.2"),
                Rule(4, 32001, 11, "10.0.1.3"),
                Rule(4, 32002, policy.INSIDE_TABLE, "198.18.255.2"),
                Rule(4, 32002, policy.INSIDE_TABLE, "0.0.0.0"),
            ],
            rules,
        )

    def test_ipv6_leads_other_interfaces_addresses_to_the_main_table(self) -> None:
        rules = policy.wanted_rules(6, {}, ["2001:db8::9"], "fd00::2")
        self.assertIn(Rule(6, 32001, MAIN, "2001:db8::9"), rules)
        self.assertEqual(Rule(6, 32002, policy.INSIDE_TABLE, local=True), rules[-1])

    def test_without_uplinks_what_is_open_still_finds_the_switch_and_nothing_new_does(self) -> None:
        self.assertEqual(
            [Rule(6, 32000, MAIN, specific=True), Rule(6, 32002, policy.INSIDE_TABLE, "fd00::2")], policy.rules_without_uplinks(6, "fd00::2")
        )


class DocumentTest(unittest.TestCase):
    def test_gateway_is_the_default_routes_unless_told(self) -> None:
        self.assertEqual("10.0.1.1", UplinkState(UplinkOption("eth0")).seen(ETH0).way(4).gateway)
        self.assertEqual("10.0.1.9", UplinkState(UplinkOption("eth0", "10.0.1.9")).seen(ETH0).way(4).gateway)

    def test_gateway_is_remembered_while_the_address_stays(self) -> None:
        state = UplinkState(UplinkOption("eth0")).seen(ETH0)
        routeless = replace(ETH0, gateway_ipv4=None)
        self.assertEqual("10.0.1.1", state.seen(routeless).way(4).gateway)
        self.assertEqual("10.0.1.1", state.seen(None).seen(routeless).way(4).gateway)
        self.assertIsNone(state.seen(replace(routeless, ipv4=("10.7.7.7",))).way(4).gateway)

    def test_an_interface_that_is_off_has_nothing(self) -> None:
        state = UplinkState(UplinkOption("eth0")).seen(ETH0).seen(replace(ETH0, up=False))
        self.assertEqual(
            {"name": "eth0", "port": "eth0", "mac": ETH0.mac, "weight": 0, "ipv4": None, "gateway_ipv4": None, "ipv6": None, "gateway_ipv6": None},
            state.document(),
        )

    def test_configuration_without_ipv6_has_none_inside(self) -> None:
        state = UplinkState(UplinkOption("eth0")).seen(ETH0)
        told = document.configuration(settings("eth0", algorithm="RR"), "02:00:00:00:00:09", False, [state])
        self.assertEqual("00:00:4d:41:4c:4f:42:00", told["switch"])
        self.assertIsNone(told["inside"]["ipv6"])
        self.assertNotIn("algorithm", told)

    def test_inside_keeps_ipv6_when_no_uplink_has_it_any_more(self) -> None:
        told = document.configuration(settings("eth0"), "02:00:00:00:00:09", True, [UplinkState(UplinkOption("eth0")).seen(ETH0)])
        self.assertEqual(("fd6d:616c:6f62::2", None), (told["inside"]["ipv6"], told["uplinks"][0]["ipv6"]))

    def test_configuration_with_ipv6_has_it_inside(self) -> None:
        both = replace(ETH0, ipv6=("2001:db8:1::2",), gateway_ipv6="fe80::1")
        told = document.configuration(settings("eth0"), "02:00:00:00:00:09", True, [UplinkState(UplinkOption("eth0")).seen(both)])
        self.assertEqual("fd6d:616c:6f62::2", told["inside"]["ipv6"])
        self.assertEqual(("2001:db8:1::2", "fe80::1"), (told["uplinks"][0]["ipv6"], told["uplinks"][0]["gateway_ipv6"]))


class ChecksTest(unittest.TestCase):
    def refusal(self, told: Settings, *interfaces: Interface) -> str:
        with self.assertRaises(ScriptError) as caught:
            checks.check(told, {interface.name: interface for interface in interfaces})
        return str(caught.exception)

    def test_uplinks_that_are_none(self) -> None:
        for wrong, word in (
            (replace(ETH0, name="eth9"), "no interface eth0"),
            (replace(ETH0, ethernet=False), "Ethernet"),
            (replace(ETH0, loopback=True), "Ethernet"),
            (replace(ETH0, kind="bridge"), "bridge"),
            (replace(ETH0, master="bond0"), "bond0"),
        ):
            with self.subTest(word):
                self.assertIn(word, self.refusal(settings("eth0"), wrong))

    def test_a_gateway_that_is_oneself(self) -> None:
        self.assertIn("its own address", self.refusal(settings("eth0=10.0.1.2"), ETH0))

    def test_no_uplink_that_can_be_used(self) -> None:
        self.assertIn("gateway", self.refusal(settings("eth0"), replace(ETH0, gateway_ipv4=None)))

    def test_an_inside_that_somebody_has(self) -> None:
        self.assertIn("10.0.1.2", self.refusal(settings("eth0", inside="10.0.1.5/24"), ETH0))

    def test_names_that_are_taken(self) -> None:
        self.assertIn("malob0", self.refusal(settings("eth0"), ETH0, replace(ETH0, name="malob0")))


class WordsTest(unittest.TestCase):
    def test_merging_features_that_are_on_and_can_be_turned_off(self) -> None:
        shown = (
            "Features for eth0:\nrx-checksumming: on\ngeneric-receive-offload: on\nlarge-receive-offload: off [fixed]\n"
            "rx-gro-hw: on [fixed]\n\trx-gro-list: on\n"
        )
        self.assertEqual(["gro", "rx-gro-list"], offloads.merging(shown))

    def test_rates(self) -> None:
        self.assertEqual(
            ["unknown", "0 bit/s", "999 bit/s", "1.5 kbit/s", "20 Mbit/s", "2.5 Gbit/s"],
            [uplinks_text.rate(bps) for bps in (None, 0, 999, 1500, 20e6, 2.5e9)],
        )


if __name__ == "__main__":
    unittest.main()
