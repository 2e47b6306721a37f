"""A host with two uplinks, on real Open vSwitch: its flows while it is up, and its network before and after."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from malob.endhost.names import INSIDE_IPV6
from malob.errors import ScriptError
from malob.system import namespaces
from malob.system.preparation import prepare
from malob.system.processes import run
from malob.system.waiting import say, wait_until
from tests.system.uplinks import HOST, HTTP_PORT, SERVER, SERVER6, SSH_PORT, TALK_PORT, Talk, UplinkNetwork, gateway6

STATE = Path(f"/run/malob/endhost/netns-{HOST}")

#: What the DHCP client does with a lease.
LEASE_HOOK = Path(__file__).parent / "lease_hook.sh"

#: Sends one datagram from a socket that is bound to no address, as many programs do, and tells what comes in 0.5 s.
_DATAGRAM = """
import select, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b"x", (sys.argv[1], int(sys.argv[2])))
while select.select([s], [], [], 0.5)[0]:
    print(s.recvfrom(2000)[1][0])
"""

#: Sends a datagram each 0.1 s over a connected socket, until its stdin ends; prints the time, and "answered", "silence" or the error.
_CONVERSATION = """
import select, socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect((sys.argv[1], int(sys.argv[2])))
s.settimeout(0.1)
while not select.select([sys.stdin], [], [], 0.1)[0]:
    try:
        s.send(b"x")
        s.recv(2000)
        found = "answered"
    except TimeoutError:
        found = "silence"
    except OSError as error:
        found = error
    print(time.monotonic(), found, flush=True)
"""

#: Connects a number of times, one after the other; prints the gateway that answered, and the seconds of connect().
_CONNECTS = """
import re, socket, sys, time
for _ in range(int(sys.argv[3])):
    began = time.monotonic()
    with socket.create_connection((sys.argv[1], int(sys.argv[2])), 5) as s:
        took = time.monotonic() - began
        s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
        print(re.search(r"mle-\\d", s.makefile().read())[0], took)
"""

_LOSE_SYNS = "table inet losing { chain coming { type filter hook input priority 0; tcp flags syn drop; }; }"


@pytest.mark.needs("endhost")
class _WithUplinks(unittest.TestCase):
    network: UplinkNetwork

    def logs(self) -> Sequence[Path]:
        return [log for log in (STATE / "endhost.log", STATE / "controller.log") if log.exists()]

    def wait_well(self) -> None:
        def broken() -> Sequence[str]:
            return self.network.status()["broken"]

        wait_until(lambda: not broken(), "everything to be well", 15, detail=lambda: str(broken()))


@pytest.mark.real_time
class EndhostTest(_WithUplinks):
    """What happens while it is up. One network for all; each test leaves both uplinks alive."""

    earlier: Talk
    session: Talk

    @classmethod
    def setUpClass(cls) -> None:
        prepare("endhost")
        cls.network = UplinkNetwork()
        cls.addClassCleanup(cls.network.close)
        cls.earlier = Talk(cls.network)
        cls.session = Talk(cls.network, place="mle-2", address="10.0.2.2", port=SSH_PORT)
        cls.network.up("--algorithm", "RR", "--force")

    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self._testMethodName}")
        # so that one failure does not become that of the test after it
        self.wait_well()

    def answers(self, count: int, bind: str | None = None) -> Counter[str]:
        """Which gateways answered so many requests, one after the other."""
        # of other ports than flows have, which are not known to the kernel as taken on that address
        bound = ["--interface", bind, "--local-port", "20000-29999"] if bind else []
        command = ["curl", "-s", "-m", "5", *bound, f"http://{SERVER}:{HTTP_PORT}/"]
        return Counter((re.findall(r"mle-\d", self.network.host(*command, check=False)) or ["none"])[0] for _ in range(count))

    def test_flows_go_over_both_uplinks_in_turn(self) -> None:
        self.assertEqual({"mle-1": 5, "mle-2": 5}, dict(self.answers(10)))
        self.assertEqual(0, self.network.counted("foreign"))

    def test_answers_are_not_reset_by_the_kernel(self) -> None:
        resets, unreachable = self.network.counted("resets"), self.network.counted("unreachable")
        talks = [Talk(self.network) for _ in range(4)]
        self.assertEqual({"mle-1", "mle-2"}, {talk.by() for talk in talks})
        self.assertEqual({"198.18.255.2"}, {talk.local for talk in talks})
        self.network.host(sys.executable, "-I", "-c", _DATAGRAM, SERVER, str(TALK_PORT))
        for talk in talks:
            self.assertIn("mle", talk.by())
            talk.quit()
        self.assertEqual((resets, unreachable), (self.network.counted("resets"), self.network.counted("unreachable")))

    def test_datagrams_are_answered_once(self) -> None:
        for _ in range(4):
            found = self.network.host(sys.executable, "-I", "-c", _DATAGRAM, SERVER, str(TALK_PORT))
            self.assertEqual([SERVER], found.split())

    def test_pings_are_answered_once(self) -> None:
        words = self.network.host("ping", "-n", "-c", "3", "-i", "0.2", "-W", "2", SERVER, check=False)
        self.assertIn(" 3 received, 0% packet loss", words)
        self.assertNotIn("DUP", words)

    def test_ipv6_flows_go_over_both_uplinks_and_come_back(self) -> None:
        self.wait_alive_by_ipv6()
        talks = [Talk(self.network, address=SERVER6) for _ in range(4)]
        self.assertEqual({"mle-1": 2, "mle-2": 2}, dict(Counter(talk.by() for talk in talks)))
        self.assertEqual({INSIDE_IPV6}, {talk.local for talk in talks})
        for talk in talks:
            self.assertIn("mle", talk.by())
            talk.quit()
        words = self.network.host("ping", "-n", "-c", "3", "-i", "0.2", "-W", "2", SERVER6, check=False)
        self.assertIn(" 3 received, 0% packet loss", words)
        self.assertNotIn("DUP", words)

    def wait_alive_by_ipv6(self) -> None:
        wait_until(lambda: all(uplink["gateway_mac6"] for uplink in self.network.status()["uplinks"]), "both IPv6 routers to be known", 15)

    def test_ipv6_flows_of_a_lost_uplink_are_reset_and_those_of_others_stay(self) -> None:
        self.wait_alive_by_ipv6()
        talks = {talk.by(): talk for talk in (Talk(self.network, address=SERVER6), Talk(self.network, address=SERVER6))}
        self.break_and_mend_second_uplink(talks, SERVER6)
        self.wait_alive_by_ipv6()

    def test_ipv6_flows_are_reset_when_the_last_uplink_loses_it(self) -> None:
        self.wait_alive_by_ipv6()
        talk, other = Talk(self.network, address=SERVER6), Talk(self.network)
        for n in (1, 2):
            self.network.host("ip", "-6", "address", "del", f"2001:db8:{n}::2/64", "dev", f"eth{n - 1}")
        lost = time.monotonic()
        try:
            end = talk.end()
            self.assertEqual("ECONNRESET", end["end"])
            self.assertLess(end["at"] - lost, 3)
            self.assertIn("mle", other.by())
        finally:
            for n in (1, 2):
                self.network.host(
                    "sh",
                    "-ec",
                    f"ip -6 address add 2001:db8:{n}::2/64 dev eth{n - 1} nodad;"
                    f" ip -6 route replace default via {gateway6(n)} dev eth{n - 1} metric {n}00",
                )
        wait_until(lambda: all(uplink["ipv6"] for uplink in self.network.status()["uplinks"]), "IPv6 to be used again", 10)
        self.wait_alive_by_ipv6()
        again = Talk(self.network, address=SERVER6)
        self.assertIn("mle", again.by())
        again.quit()
        other.quit()

    def test_a_connection_that_the_switch_has_no_room_for_fails_at_once(self) -> None:
        talk = Talk(self.network)
        full = [
            "--",
            "--id=@full",
            "create",
            "Flow_Table",
            "flow_limit=1",
            "overflow_policy=refuse",
            "--",
            "set",
            "Bridge",
            "malob0",
            "flow_tables:4=@full",
        ]
        self.vsctl(*full)
        try:
            began = time.monotonic()
            self.assertEqual({"none": 1}, dict(self.answers(1)))
            self.assertLess(time.monotonic() - began, 3)
            self.assertGreaterEqual(self.network.status()["flows"]["refused"]["rule_refused"], 1)
            self.assertIn("mle", talk.by())
        finally:
            self.vsctl("remove", "Bridge", "malob0", "flow_tables", "4")
        self.assertEqual({"mle-1": 2, "mle-2": 2}, dict(self.answers(4)))

    def vsctl(self, *words: str) -> None:
        self.of_switch("ovs-vsctl", "--timeout=10", *words)

    def of_switch(self, *command: str) -> str:
        """What a command of the host's own Open vSwitch prints."""
        return self.network.host("env", f"OVS_RUNDIR={STATE}/openvswitch", *command)

    def test_switch_spreads_flows_by_capacity_and_each_stays(self) -> None:
        for name, bps in (("eth0", 10_000_000), ("eth1", 30_000_000)):
            self.put(f"uplinks/{name}", {"capacity_bps": bps})
        self.put("algorithm", {"algorithm": "GROUP"})
        try:
            self.wait_shares("33", "100")
            found = self.answers(60)
            self.assertEqual(60, found["mle-1"] + found["mle-2"], found)
            # a quarter of them, by hash: within four standard deviations
            self.assertLess(abs(found["mle-1"] - 15), 14, found)
            talks = [Talk(self.network) for _ in range(4)]
            first = [talk.by() for talk in talks]
            for _ in range(3):
                self.assertEqual(first, [talk.by() for talk in talks])
            for talk in talks:
                talk.quit()
        finally:
            self.put("algorithm", {"algorithm": "RR"})
            for name in ("eth0", "eth1"):
                self.put(f"uplinks/{name}", {"capacity_bps": None})
        self.wait_shares()
        self.assertEqual({"mle-1": 2, "mle-2": 2}, dict(self.answers(4)))

    def wait_shares(self, *weights: str) -> None:
        """Until the switch's group has these, or until it has no group."""
        wait_until(
            lambda: list(weights) == re.findall(r"weight:(\d+)", self.of_switch("ovs-ofctl", "-OOpenFlow13", "dump-groups", "malob0")),
            f"the group's weights to be {weights}",
            5,
        )

    def put(self, what: str, document: dict[str, Any]) -> None:
        self.request("-f", "-H", f"Authorization: Bearer {(STATE / 'token').read_text().strip()}", "-X", "PUT", "-d", json.dumps(document), what=what)

    def request(self, *options: str, what: str, user: Sequence[str] = ()) -> str:
        return self.network.host(*user, "curl", "-s", *options, f"http://127.0.0.1:8080/wm/malob/endhost/{what}", check=False)

    def test_only_root_has_the_token(self) -> None:
        self.assertEqual(0o600, stat.S_IMODE((STATE / "token").stat().st_mode))
        self.assertEqual(0o600, stat.S_IMODE((STATE / "data" / "tokens.json").stat().st_mode))
        user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        for options in ((), ("-X", "PUT", "-d", '{"algorithm": "MBW"}')):
            shown = self.request("-w", "\n%{http_code}", *options, what="algorithm" if options else "", user=user)
            self.assertEqual("401", shown.splitlines()[-1], shown)
        self.assertEqual("", self.network.host(*user, "cat", str(STATE / "token"), check=False))
        self.assertEqual("RR", self.network.status()["algorithm"])

    def test_what_was_there_before_stays_where_it_was(self) -> None:
        self.assertEqual(("10.0.1.2", "mle-1"), (self.earlier.local, self.earlier.by()))
        self.assertEqual(HOST, self.session.by())

    def test_what_asks_for_an_uplink_gets_it(self) -> None:
        self.assertEqual({"mle-2": 3}, dict(self.answers(3, bind="10.0.2.2")))
        self.assertEqual({"mle-2": 3}, dict(self.answers(3, bind="eth1")))
        fresh = Talk(self.network, place="mle-1", address="10.0.1.2", port=SSH_PORT)
        self.assertEqual(HOST, fresh.by())

    def test_neighbours_are_reached_directly(self) -> None:
        talk = Talk(self.network, address="10.0.2.1")
        self.assertEqual(("10.0.2.2", "mle-2"), (talk.local, talk.by()))

    def test_status_tells_of_uplinks(self) -> None:
        shown = self.network.malob("status")
        self.assertEqual(0, shown.returncode, shown.stderr)
        self.assertRegex(shown.stdout, r"(?m)^eth0\s+alive\s+10\.0\.1\.2\s+10\.0\.1\.1\s")

    def test_an_address_that_changes_is_followed(self) -> None:
        self.change_address("10.0.2.2", "10.0.2.7")
        try:
            wait_until(lambda: self.address(1) == "10.0.2.7", "the new address to be known", 5)
            self.wait_well()
            self.assertEqual({"mle-1": 3, "mle-2": 3}, dict(self.answers(6)))
            self.assertEqual({"mle-2": 2}, dict(self.answers(2, bind="10.0.2.7")))
            self.assertEqual(0, self.network.counted("foreign"))
        finally:
            self.change_address("10.0.2.7", "10.0.2.2")
            wait_until(lambda: self.address(1) == "10.0.2.2", "the old address to be known", 5)
            self.wait_well()

    def change_address(self, old: str, new: str) -> None:
        """As a DHCP client does."""
        self.network.host(
            "sh",
            "-ec",
            f"ip address add {new}/24 dev eth1; ip address del {old}/24 dev eth1;"
            f" ip address show dev eth1 | grep -q {new} || ip address add {new}/24 dev eth1;"
            " ip route replace default via 10.0.2.1 dev eth1 metric 200",
        )

    def address(self, at: int) -> str | None:
        return self.network.status()["uplinks"][at]["ipv4"]

    def test_flows_of_a_lost_uplink_are_reset_and_those_of_others_stay(self) -> None:
        talks = {talk.by(): talk for talk in (Talk(self.network), Talk(self.network))}
        self.break_and_mend_second_uplink(talks, SERVER)
        self.assertEqual({"mle-1": 2, "mle-2": 2}, dict(self.answers(4)))

    def test_datagrams_of_a_lost_uplink_go_over_the_other_without_an_error(self) -> None:
        before = self.moved()
        conversations = [self.network.start(sys.executable, "-I", "-c", _CONVERSATION, SERVER, str(TALK_PORT)) for _ in range(2)]
        for conversation in conversations:
            self.answered_after(conversation, 0)
        with self.second_uplink_broken():
            wait_until(lambda: self.moved() > before, "a conversation to be moved", 5)
            moved = time.monotonic()
            for conversation in conversations:
                self.answered_after(conversation, moved)
            count = self.moved()
        self.wait_well()
        mended = time.monotonic()
        for conversation in conversations:
            self.answered_after(conversation, mended)
            conversation.communicate("", 5)
        self.assertEqual(count, self.moved(), "none moves back")

    def moved(self) -> int:
        """The flows that have left their uplinks for others."""
        return sum(uplink["flows"]["moved"] for uplink in self.network.status()["uplinks"])

    def answered_after(self, conversation: subprocess.Popen[str], moment: float) -> None:
        """Reads until an answer from after that moment; an error, or five seconds without an answer, fails the test."""
        while True:
            at, found = conversation.stdout.readline().strip().split(" ", 1)  # type: ignore[union-attr]
            self.assertIn(found, ("answered", "silence"))
            if float(at) > moment and found == "answered":
                return
            if moment:
                self.assertLess(float(at), moment + 5)

    @contextmanager
    def second_uplink_broken(self) -> Iterator[None]:
        gateway = namespaces.inside("mle-2", ["ip", "link", "set", "eth0"])
        run([*gateway, "down"])
        try:
            yield
        finally:
            run([*gateway, "up"])
            for address in ("2001:db8:2::1/64", "fe80::2/64"):
                run(namespaces.inside("mle-2", ["ip", "-6", "address", "replace", address, "dev", "eth0", "nodad"]))

    def break_and_mend_second_uplink(self, talks: dict[str, Talk], server: str) -> None:
        """talks: by the gateway that answers."""
        with self.second_uplink_broken():
            lost = time.monotonic()
            end = talks["mle-2"].end()
            self.assertEqual("ECONNRESET", end["end"])
            self.assertLess(end["at"] - lost, 3)
            again = [Talk(self.network, address=server) for _ in range(4)]
            self.assertEqual({"mle-1"}, {talk.by() for talk in again})
            self.assertEqual("mle-1", talks["mle-1"].by())
        self.wait_well()

    def test_an_interface_that_goes_and_comes_is_an_uplink_again(self) -> None:
        self.session.quit()
        self.network.host("ip", "link", "delete", "eth1")
        wait_until(lambda: not self.network.status()["uplinks"][1]["alive"], "the uplink to be dead", 5)
        self.assertEqual({"mle-1": 3}, dict(self.answers(3)))
        run(namespaces.inside("mle-2", ["nft", "flush", "ruleset"]))
        run(namespaces.inside("mle-2", ["ip", "address", "flush", "dev", "lo"]))
        self.network.join(2)
        self.wait_well()
        self.assertEqual({"mle-1": 3, "mle-2": 3}, dict(self.answers(6)))
        self.assertIn("generic-receive-offload: off", self.network.host("ethtool", "-k", "eth1"))
        type(self).session = Talk(self.network, place="mle-2", address="10.0.2.2", port=SSH_PORT)

    def test_flows_go_on_without_the_controller_which_comes_back(self) -> None:
        talks = [Talk(self.network), Talk(self.network)]
        killed = self.network.status()["setup"]["controller"]
        os.kill(killed, signal.SIGKILL)
        self.assertEqual({"mle-1", "mle-2"}, {talk.by() for talk in talks})
        wait_until(lambda: self.network.status()["setup"]["controller"] not in (None, killed), "another controller", 10)
        self.wait_well()
        self.assertEqual({"mle-1": 2, "mle-2": 2}, dict(self.answers(4)))
        self.assertEqual({"mle-1", "mle-2"}, {talk.by() for talk in talks})

    def test_flows_go_on_while_the_controller_stands_still_and_after(self) -> None:
        talks = [Talk(self.network) for _ in range(4)]
        before = self.network.status()
        controller = before["setup"]["controller"]
        os.kill(controller, signal.SIGSTOP)
        try:
            time.sleep(5)
        finally:
            os.kill(controller, signal.SIGCONT)
        time.sleep(2)
        self.assertEqual({"mle-1", "mle-2"}, {talk.by() for talk in talks})
        after = self.network.status()
        self.assertEqual(controller, after["setup"]["controller"])
        self.assertEqual(*([uplink["flows"]["reset"] for uplink in status["uplinks"]] for status in (before, after)))
        for talk in talks:
            talk.quit()

    def test_a_switch_that_ends_is_started_again(self) -> None:
        killed = switch_daemons(self.network)
        os.kill(killed[0], signal.SIGKILL)
        wait_until(lambda: switch_daemons(self.network)[0] not in killed, "another switch daemon", 10)
        self.wait_well()
        self.assertEqual({"mle-1": 2, "mle-2": 2}, dict(self.answers(4)))


class EndhostLifeTest(_WithUplinks):
    """up and down: the network is as it was, whatever happens between them."""

    @classmethod
    def setUpClass(cls) -> None:
        prepare("endhost")
        cls.network = UplinkNetwork()
        cls.addClassCleanup(cls.network.close)
        # duplicate address detection of the link-local addresses takes that long
        wait_until(lambda: "tentative" not in cls.network.host("ip", "address"), "addresses to settle", 10)

    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self._testMethodName}")
        # so that one failure does not become that of all tests after it
        self.addCleanup(self.network.malob, "down")
        self.before = self.network.snapshot()

    def assert_as_before(self) -> None:
        after = self.network.snapshot()
        for what, text in self.before.items():
            self.assertEqual(text, after[what], what)

    def test_down_leaves_all_as_it_was_and_resets_flows(self) -> None:
        self.network.up()
        self.assertNotEqual(self.before, self.network.snapshot())
        talk = Talk(self.network)
        self.network.down()
        # the second, if the kernel was faster than the controller's reset
        self.assertIn(talk.end()["end"], ("ECONNRESET", "ECONNABORTED"))
        self.assert_as_before()
        talk = Talk(self.network)
        self.assertEqual("10.0.1.2", talk.local)
        talk.quit()
        again = self.network.malob("down")
        self.assertEqual(0, again.returncode)

    def test_first_answer_to_a_syn_chooses_the_uplink(self) -> None:
        self.network.up("--algorithm", "RR", "--race-ports", str(HTTP_PORT))
        # both answer: one connection each time, and a reset of the other one
        resets = self.network.counted("resets")
        self.assertEqual(10, len(self.connects(10)))
        # a server's last ACK may come twice, and the kernel resets the second, too
        wait_until(lambda: self.network.counted("resets") >= resets + 10, "the other connections to be reset", 5)
        status = self.network.status()
        self.assertEqual((10, 30), (status["races"]["total"], status["races"]["extra_packets"]))
        self.assertEqual(10, status["flows"]["total"])
        self.assertEqual("", run(namespaces.inside("mle-1", ["ss", "-Htn", "state", "syn-recv"])))
        # one of them loses all SYNs, which no probe of its router shows: a retransmission would come after a second
        run(namespaces.inside("mle-1", ["nft", _LOSE_SYNS]))
        try:
            found = self.connects(10)
        finally:
            run(namespaces.inside("mle-1", ["nft", "delete table inet losing"]))
        self.assertEqual({"mle-2"}, {gateway for gateway, _ in found})
        self.assertLess(max(seconds for _, seconds in found), 0.9)
        self.network.down()
        self.assert_as_before()

    def connects(self, count: int) -> list[tuple[str, float]]:
        lines = self.network.host(sys.executable, "-I", "-c", _CONNECTS, SERVER, str(HTTP_PORT), str(count)).splitlines()
        return [(gateway, float(seconds)) for gateway, seconds in map(str.split, lines)]

    def test_down_after_everything_was_killed(self) -> None:
        self.network.up()
        setup = self.network.status()["setup"]
        for pid in [setup["supervisor"], setup["controller"], *switch_daemons(self.network)]:
            os.kill(pid, signal.SIGKILL)
        broken = self.network.malob("status", "--json")
        self.assertEqual(1, broken.returncode)
        self.assertIn("supervisor", json.loads(broken.stdout)["broken"][0])
        self.network.down()
        self.assert_as_before()

    def test_up_after_its_supervisor_was_killed_goes_on_and_flows_stay(self) -> None:
        self.network.up("--algorithm", "RR")
        talks = [Talk(self.network) for _ in range(2)]
        for also in ([], ["controller"]):
            setup = self.network.status()["setup"]
            for program in ["supervisor", *also]:
                os.kill(setup[program], signal.SIGKILL)
            self.network.up()
            self.wait_well()
            with self.subTest(killed=["supervisor", *also]):
                self.assertEqual({"mle-1", "mle-2"}, {talk.by() for talk in talks})
                self.assertEqual("RR", self.network.status()["algorithm"])
        for talk in talks:
            talk.quit()
        self.network.down()
        self.assert_as_before()

    def test_up_in_another_way_after_its_supervisor_was_killed_begins_anew(self) -> None:
        self.network.up()
        os.kill(self.network.status()["setup"]["supervisor"], signal.SIGKILL)
        self.network.up("--inside", "198.18.254.2/30")
        self.assertEqual([], self.network.status()["broken"])
        talk = Talk(self.network)
        self.assertEqual("198.18.254.2", talk.local)
        talk.quit()
        self.network.down()
        self.assert_as_before()

    def test_a_second_up_is_refused_and_harms_nothing(self) -> None:
        self.network.up()
        with self.assertRaisesRegex(ScriptError, "up already"):
            self.network.up()
        self.assertEqual([], self.network.status()["broken"])
        self.network.down()
        self.assert_as_before()

    def test_a_session_over_an_uplink_is_a_reason_to_refuse_and_is_kept_when_forced(self) -> None:
        session = Talk(self.network, place="mle-1", address="10.0.1.2", port=SSH_PORT)
        with self.assertRaisesRegex(ScriptError, "ended with 1: .*ssh session from 10.0.1.1 .*eth0"):
            self.network.up()
        self.assert_as_before()
        self.network.up("--allow-ssh")
        self.assertEqual(HOST, session.by())
        self.network.down()
        self.assertEqual(HOST, session.by())
        session.quit()
        self.assert_as_before()

    def test_rules_of_others_at_our_priorities_stay_when_forced_and_after(self) -> None:
        foreign = (
            "rule add priority 32000 fwmark 0x4d lookup main suppress_prefixlength 0",
            "rule add priority 32002 from 10.77.0.0/16 lookup 5065728",
        )
        for rule in foreign:
            self.network.host("ip", *rule.split())
        try:
            before = self.network.snapshot()
            with self.assertRaisesRegex(ScriptError, "ended with 1: .*policy rule 32000.*--force"):
                self.network.up()
            with self.assertRaisesRegex(ScriptError, "ended with 1: .*policy rule 32000.*--force"):
                self.network.up("--allow-ssh")
            self.network.up("--force")
            # followed: rules are removed and added while it is up, too
            self.network.host("ip", "address", "add", "10.0.1.7/24", "dev", "eth0")
            wait_until(lambda: "10.0.1.7" in self.network.host("ip", "rule"), "the address to be followed", 10)
            for kept in ("fwmark 0x4d", "from 10.77.0.0/16"):
                self.assertIn(kept, self.network.host("ip", "rule"))
            self.network.host("ip", "address", "del", "10.0.1.7/24", "dev", "eth0")
            self.network.down()
            self.assertEqual(before, self.network.snapshot())
        finally:
            for rule in foreign:
                self.network.host("ip", *rule.replace("add", "del").split())
        self.assert_as_before()

    def test_routes_of_others_in_our_tables_are_not_touched_by_force(self) -> None:
        route = ("10.88.0.0/16", "via", "10.0.1.1", "dev", "eth0", "table", "5065729")
        self.network.host("ip", "route", "add", *route)
        try:
            with self.assertRaisesRegex(ScriptError, "ended with 1: .*routing table 5065729"):
                self.network.up("--force")
            self.assertIn("10.88.0.0/16", self.network.host("ip", "route", "show", "table", "5065729"))
        finally:
            self.network.host("ip", "route", "del", *route)
        self.assert_as_before()

    def test_names_of_routing_tables_change_nothing(self) -> None:
        self.name_tables("100 vpn", "5065728 inside", "5065729 first", "5065730 second")
        self.network.host("ip", "rule", "add", "priority", "32001", "from", "10.99.0.1", "lookup", "vpn")
        try:
            with self.assertRaisesRegex(ScriptError, "ended with 1: .*policy rule 32001.*--force"):
                self.network.up()
            self.network.up("--force")
            self.assertEqual([], self.network.status()["broken"])
            self.assertIn("lookup first", self.network.host("ip", "rule"))
            self.assertIn("malob-in", self.network.host("ip", "route", "show", "table", "inside"))
            os.kill(self.network.status()["setup"]["supervisor"], signal.SIGKILL)
            self.network.up("--force")
            self.network.down()
            self.assertIn("10.99.0.1", self.network.host("ip", "rule"))
        finally:
            self.network.host("ip", "rule", "del", "priority", "32001")
        self.assert_as_before()

    def name_tables(self, *lines: str) -> None:
        """Gives routing tables names, in this class's mount namespace."""
        folder = next(path for path in (Path("/etc/iproute2"), Path("/usr/share/iproute2")) if (path / "rt_tables").exists())
        copy = tempfile.mkdtemp(prefix="malob-iproute2-")
        self.addCleanup(shutil.rmtree, copy)
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        names = Path(copy, "rt_tables.d", "test.conf")
        names.parent.mkdir(exist_ok=True)
        names.write_text("\n".join(lines) + "\n")
        run(["mount", "--bind", copy, str(folder)])
        self.addCleanup(run, ["umount", str(folder)])

    def test_what_is_in_the_way_is_told_and_nothing_is_changed(self) -> None:
        for prepare_it, undo_it, words, code in (
            ("ip rule add from all lookup main priority 32100", "ip rule del priority 32100", "policy rule 32100", 1),
            ("ip link add malob0 type veth peer name other", "ip link del malob0", "interface malob0", 1),
            ("ip link add dev br0 type bridge; ip link set eth1 master br0", "ip link del br0", "belongs to br0", 2),
        ):
            with self.subTest(words):
                self.network.host("sh", "-ec", prepare_it)
                try:
                    with self.assertRaisesRegex(ScriptError, f"ended with {code}: .*{words}"):
                        self.network.up()
                finally:
                    self.network.host("sh", "-ec", undo_it)
        self.assert_as_before()

    def test_a_port_that_is_taken_is_missing(self) -> None:
        taken = self.network.start(sys.executable, "-I", "-m", "http.server", "--bind", "127.0.0.1", "8080")
        wait_until(lambda: ":8080 " in self.network.host("ss", "-Hltn"), "the port to be taken", 10)
        with self.assertRaisesRegex(ScriptError, "ended with 3: .*port 8080"):
            self.network.up()
        taken.terminate()
        taken.wait()
        self.assert_as_before()

    def test_wrong_use_is_told(self) -> None:
        for words in (
            ["up"],
            ["up", "--uplink", "eth0="],
            ["up", "--uplink", "nope"],
            ["up", "--uplink", "lo"],
            ["up", "--uplink", "eth0", "--uplink", "eth0"],
            ["up", "--uplink", "eth0", "--algorithm", "X"],
        ):
            with self.subTest(words):
                done = self.network.malob(*words)
                self.assertEqual((2, ""), (done.returncode, done.stdout), done.stderr)
        self.assertEqual(1, self.network.malob("status").returncode)


@pytest.mark.needs("endhost")
class EndhostLeaseTest(unittest.TestCase):
    """The second uplink's address comes from a DHCP server, by a real client, which is there before and after."""

    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self._testMethodName}")
        prepare("endhost")
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.network = UplinkNetwork()
        self.addCleanup(self.network.close)

    def serve(self, digit: int) -> subprocess.Popen[str]:
        """Starts a DHCP server that has other addresses for each digit, and knows nothing of an earlier one's leases."""
        process = self.network.start(
            "dnsmasq",
            "--keep-in-foreground",
            "--conf-file=/dev/null",
            "--user=root",
            "--port=0",
            "--interface=eth0",
            "--no-ping",
            "--dhcp-authoritative",
            f"--dhcp-range=10.0.2.{digit}0,10.0.2.{digit}9,5m",
            "--dhcp-option=option:router,10.0.2.1",
            f"--dhcp-leasefile={self.directory}/leases-{digit}",
            f"--pid-file={self.directory}/pid",
            place="mle-2",
        )
        wait_until(lambda: ":67 " in run(namespaces.inside("mle-2", ["ss", "-Hlun"])), "the DHCP server to listen", 10)
        return process

    def address(self) -> str:
        return (re.findall(r"inet (\S+)/", self.network.host("ip", "-4", "address", "show", "dev", "eth1")) or [""])[0]

    def test_flows_outlive_a_renewal_and_are_reset_when_it_brings_another_address(self) -> None:
        server = self.serve(5)
        client = self.network.start("udhcpc", "-f", "-i", "eth1", "-s", str(LEASE_HOOK))
        wait_until(lambda: self.address().startswith("10.0.2.5"), "an address", 15, detail=self.address)
        first = self.address()
        self.network.up("--algorithm", "RR")
        talks = {talk.by(): talk for talk in (Talk(self.network), Talk(self.network))}
        client.send_signal(signal.SIGUSR1)
        time.sleep(1)
        self.assertEqual(first, self.address())
        self.assertEqual("mle-2", talks["mle-2"].by())

        server.terminate()
        server.wait()
        self.serve(7)
        client.send_signal(signal.SIGUSR1)
        self.assertEqual("ECONNRESET", talks["mle-2"].end()["end"])
        wait_until(lambda: self.address().startswith("10.0.2.7"), "another address", 15, detail=self.address)
        self.assertEqual("mle-1", talks["mle-1"].by())
        wait_until(
            lambda: self.network.status()["uplinks"][1]["ipv4"] == self.address() and not self.network.status()["broken"],
            "the new address to be used",
            10,
        )
        # the client itself asks from 0.0.0.0
        foreign = self.network.counted("foreign")
        command = ["curl", "-s", "-m", "5", f"http://{SERVER}:{HTTP_PORT}/"]
        found = Counter(re.findall(r"mle-\d", "".join(self.network.host(*command) for _ in range(6))))
        self.assertEqual({"mle-1": 3, "mle-2": 3}, dict(found))
        self.assertEqual(foreign, self.network.counted("foreign"))


def switch_daemons(network: UplinkNetwork) -> list[int]:
    """The switch's, then its database's."""
    found = network.host("sh", "-c", f"cd {STATE}/openvswitch && cat ovs-vswitchd.pid ovsdb-server.pid")
    return [int(word) for word in found.split()]


if __name__ == "__main__":
    unittest.main()
