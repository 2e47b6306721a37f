"""Hosts with two ports, which one MAC uses: active-backup, balance-xor and 802.3ad."""

from __future__ import annotations

import time

import pytest

from lab import balancing
from lab.attached import loads, uplinks
from lab.attached.loads import KINDS, Capture, Load
from lab.attached.uplinks import HostUplinks
from malob.network.hosts import Host
from malob.system.waiting import say, wait_until
from tests.system.real_networks import MODES, PORT, VIP, RealNetworkTest, bonds, untranslated

MAX_PAUSE_S = 1.0
#: of the member with two ports at one switch
PORTS = (21, 22)
MEMBER, CLIENT, XOR_MEMBER, LACP_MEMBER, SPLIT_MEMBER = (
    Host(name, switch, f"10.0.0.{number}/24", "server")
    for name, switch, number in (("bm", "s2", 51), ("bc", "s1", 52), ("xm", "s2", 61), ("lm", "s2", 62), ("ym", "s2", 63))
)
#: without a carrier that tells of it, TCP's retransmissions come on top
MAX_SILENT_PAUSE_S = 2.0


@pytest.mark.real_time
class BondsTest(RealNetworkTest):
    """A bonded member and a bonded client, each with legs at two switches."""

    member: HostUplinks
    client: HostUplinks

    @classmethod
    def build(cls) -> None:
        cls.member = HostUplinks(cls.attached, MEMBER.name, [MEMBER.address], ["s2", "s3"])
        cls.client = HostUplinks(cls.attached, CLIENT.name, [CLIENT.address], ["s1", "s3"])
        loads.start_server(cls.member.place, PORT)
        cls.reach(cls.client.place, cls.member.place)

    def check_member(self, mode: str) -> None:
        """A member's bond uses its other leg while connections are open, and the first one again."""
        self.service(mode, servers=[MEMBER])
        address = self.own_address()
        capture = Capture(self.attached.host("c1"))
        load = Load(self.attached.host("c1"), VIP, PORT, [address], KINDS, 20)
        self.addCleanup(load.end)
        self.use_other(self.member, True)
        wrong = untranslated([frame for frame in capture.end() if address in {frame["ip_src"], frame["ip_dst"]}], [MEMBER.ip])
        self.assertEqual([], wrong, mode)
        self.assert_unbroken(load, MAX_SILENT_PAUSE_S, mode)

    def use_other(self, host: HostUplinks, silent: bool) -> None:
        time.sleep(1)
        active = host.active()
        say(f"  from uplink {active} to {1 - active}")
        if silent:
            host.switch_to(1 - active)
        else:
            host.fail(active)
            self.addCleanup(host.repair, active)
        time.sleep(3)
        self.assertEqual(1 - active, host.active())

    def test_member_by_itself_reactive(self) -> None:
        """the carrier of the former leg stays"""
        self.check_member(balancing.REACTIVE)

    def test_member_by_itself_proactive(self) -> None:
        """the carrier of the former leg stays"""
        self.check_member(balancing.PROACTIVE)

    def test_client(self) -> None:
        """a client's bond fails over during downloads"""
        self.service()
        load = Load(self.client.place, VIP, PORT, [CLIENT.ip], KINDS, 20)
        self.addCleanup(load.end)
        self.use_other(self.client, False)
        self.assert_unbroken(load, MAX_PAUSE_S, "client")


class OneSwitchBondTest(RealNetworkTest):
    """A member with two ports at one switch."""

    bonded: Host
    mode: str
    member: HostUplinks

    @classmethod
    def build(cls) -> None:
        cls.member = HostUplinks(cls.attached, cls.bonded.name, [cls.bonded.address], ["s2", "s2"], mode=cls.mode, numbers=PORTS)
        loads.start_server(cls.member.place, PORT)
        cls.reach(cls.member.place)

    def check_requests(self, mode: str) -> None:
        self.service(mode, servers=[self.bonded])
        self.assert_prompt(loads.each_once(self.attached.host("c1"), VIP, PORT, 20, ["10.0.0.1"] * 40, 20_000), mode)


@pytest.mark.real_time
class BalanceXorTest(OneSwitchBondTest):
    """It uses one port for each flow."""

    properties = bonds("s2", PORTS)
    bonded = XOR_MEMBER
    mode = uplinks.BALANCE_XOR

    def test_requests(self) -> None:
        for mode in MODES:
            with self.subTest(mode=mode):
                before = self.member.sent()
                self.check_requests(mode)
                # the switch's counters are up to a few seconds old
                wait_until(lambda: all(now > then + 40 for now, then in zip(self.member.sent(), before)), "both ports to be used", 10)


@pytest.mark.real_time
class LacpTest(OneSwitchBondTest):
    """802.3ad: it uses no port before its partner, the switch's controller, has answered its LACP messages."""

    properties = bonds("s2", PORTS, lacp=True)
    bonded = LACP_MEMBER
    mode = uplinks.LACP

    def test_requests(self) -> None:
        for mode in MODES:
            with self.subTest(mode=mode):
                self.check_requests(mode)


@pytest.mark.real_time
class SplitBondTest(RealNetworkTest):
    """A balance-xor bond with legs at two switches: it does not work, and the problem says why."""

    member: HostUplinks

    @classmethod
    def build(cls) -> None:
        cls.member = HostUplinks(cls.attached, SPLIT_MEMBER.name, [SPLIT_MEMBER.address], ["s2", "s3"], mode=uplinks.BALANCE_XOR)
        loads.start_server(cls.member.place, PORT)

    def test_is_named(self) -> None:
        spoofed = self.controller.rest.get("/wm/malob/refusals")["spoofed"]
        self.service(servers=[SPLIT_MEMBER])
        load = Load(self.attached.host("c1"), VIP, PORT, ["10.0.0.1"], [], 20)
        self.addCleanup(load.end)
        wait_until(lambda: "bond_over_switches" in self.reasons(), "the problem", 20, detail=lambda: ", ".join(self.reasons()))
        # longer than it takes for a member to be ejected, and for a packet to count as spoofed
        time.sleep(12)
        problem = next(each for each in self.controller.rest.get("/wm/malob/problems") if each["reason"] == "bond_over_switches")
        for what in (SPLIT_MEMBER.ip, "00:00:00:00:00:00:00:02", "00:00:00:00:00:00:00:03"):
            self.assertIn(what, problem["problem"])
        self.assertNotIn("no_answer", self.reasons())
        self.assertEqual(spoofed, self.controller.rest.get("/wm/malob/refusals")["spoofed"])

    def reasons(self) -> list[str]:
        return [each["reason"] for each in self.controller.rest.get("/wm/malob/problems")]
