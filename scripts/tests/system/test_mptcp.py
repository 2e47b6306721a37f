"""A real MPTCP connection over planned paths, on real Open vSwitch."""

from __future__ import annotations

import ipaddress
import json
import re
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest

from lab import processes
from malob.cli.mptcp import hosting, question
from malob.network.hosts import Host
from malob.rest.client import RestClient
from malob.system import ovs
from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest, forced_layouts

PROGRAM = Path(__file__).parent / "mptcp_stream.py"
BASE = "/wm/malob/mptcp"
PORT = 8600

#: How those of a plan's rules begin.
COOKIE = "0x678"

#: More than two links carry, less than three.
BYTES_PER_SECOND = 3_000_000


class Stream:
    """A connection over which one host sends to another."""

    def __init__(self, test: Mptcp, client: Host, server: Host) -> None:
        self._receiver = subprocess.Popen(
            processes.script(test.lab, server.name, PROGRAM, "receive", test.ip(server), str(PORT)), stdout=subprocess.PIPE, text=True
        )
        test.addCleanup(processes.end, self._receiver)
        assert self._receiver.stdout is not None
        self._receiver.stdout.readline()
        self._sender = subprocess.Popen(
            processes.script(test.lab, client.name, PROGRAM, "send", test.ip(client), test.ip(server), str(PORT), str(BYTES_PER_SECOND)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        test.addCleanup(processes.end, self._sender)
        self._on = lambda *command: test.on(client.name, *command)

    def sent(self) -> dict[str, int]:
        """By source address: the bytes of its sub-flow that have arrived."""
        lines = self._on("ss", "-tinHO", "dport", "=", f":{PORT}").splitlines()
        found = {}
        for line in lines:
            address = re.match(r"\S+\s+\d+\s+\d+\s+\[?([\d.]+|[\da-f:]+(?=\]))", line)
            acked = re.search(r"bytes_acked:(\d+)", line)
            if address and line.startswith("ESTAB"):
                found[address[1]] = int(acked[1]) if acked else 0
        return found

    def finish(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Ends it; what was sent and what has arrived."""
        sent, _ = self._sender.communicate("", timeout=60)
        got, _ = self._receiver.communicate(timeout=60)
        return json.loads(sent), json.loads(got)


@pytest.mark.needs("emulator")
class Mptcp(SystemTest):
    """A plan for the hosts of a network, and ways to use it; it has no tests of its own."""

    topology_name = "mptcp-1"
    ipv6 = False
    method = "balanced"
    #: switches that only forward labels: their hosts are not of the plan
    core: ClassVar[tuple[str, ...]] = ()
    rest: RestClient

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.rest = RestClient(cls.controller.rest.target, timeout_s=60)
        network = cls.lab.topology
        plan = cls.rest.post(f"{BASE}/plan", cls._request())
        hosting.prepare_hosts(cls.lab, plan["hosts"])
        for host in network.hosts.values():
            # so that nothing but switches keeps VLANs apart
            for other in {str(ipaddress.ip_interface(cls._address(other)).network) for other in network.hosts.values()}:
                cls._run(host.name, "ip", "route", "replace", other, "dev", host.device, "src", cls.ip(host))

    @classmethod
    def _request(cls) -> dict[str, Any]:
        core = {cls.lab.topology.switches[switch] for switch in cls.core}
        return {"method": cls.method, "hosts": [host for host in question.hosts(cls.lab.topology, cls.ipv6) if host["switch"] not in core]}

    @classmethod
    def _address(cls, host: Host) -> str:
        return host.address6 if cls.ipv6 else host.address

    @classmethod
    def ip(cls, host: Host) -> str:
        """Its address in the family of the plan."""
        return cls._address(host).partition("/")[0]

    @classmethod
    def _run(cls, host: str, *command: str) -> None:
        subprocess.run(cls.lab.inside(host, command), check=True)

    def setUp(self) -> None:
        super().setUp()
        self.rest.post(f"{BASE}/apply", self._request())
        self._wait_for("applied")

    def check_three_subflows(self) -> None:
        """Counters of ports: what each sub-flow says that it has sent went over the links of its own path."""
        client, server = self._host("h1"), self._host("h5")
        ways = self._ways(client, server)
        self.assertEqual(3, len(ways))
        self.assertEqual(3, len({way[0] for way in ways.values()}), ways)
        stream = self._stream(client, server, 3)
        before, sent_before = self._carried(), stream.sent()
        time.sleep(4)
        after, sent_after = self._carried(), stream.sent()
        self.assertEqual(set(ways), set(sent_after))
        expected: Counter[tuple[str, str]] = Counter()
        for address, way in ways.items():
            sent = sent_after[address] - sent_before[address]
            self.assertGreater(sent, 1_000_000, f"{address}: {sent_after}")
            expected.update(dict.fromkeys(way, sent))
        total = sum(sent_after.values()) - sum(sent_before.values())
        for hop, count in after.items():
            # headers, and acknowledgements of what goes the other way
            with self.subTest(hop=hop):
                self.assertAlmostEqual(expected[hop], count - before[hop], delta=0.12 * total)
        self._check_end(stream)

    def check_who_reaches_whom(self) -> None:
        """Ping from every address to every address: within a VLAN all answer, from another one none does."""
        addresses = self._addresses()
        hosts = [host for host in self.lab.topology.hosts.values() if host.name in addresses]
        for host in hosts:
            inside = [address for other in hosts if other.vlan == host.vlan and other != host for address in addresses[other.name]]
            outside = [self.ip(other) for other in hosts if other.vlan != host.vlan]
            with self.subTest(host=host.name):
                self.assertEqual(
                    {(one, other) for one in addresses[host.name] for other in inside}, self._answers(host, addresses[host.name], inside)
                )
                self.assertEqual(set(), self._answers(host, [self.ip(host)], outside))

    def _host(self, name: str) -> Host:
        return self.lab.topology.hosts[name]

    def _stream(self, client: Host, server: Host, subflows: int) -> Stream:
        stream = Stream(self, client, server)
        wait_until(
            lambda: len(stream.sent()) == subflows and min(stream.sent().values()) > 100_000,
            f"{subflows} sub-flows that send",
            20,
            detail=lambda: str(stream.sent()),
        )
        return stream

    def _check_end(self, stream: Stream) -> None:
        sent, got = stream.finish()
        self.assertEqual((None, None), (sent["error"], got["error"]))
        self.assertEqual(sent, got)

    def _wait_for(self, state: str) -> None:
        status = f"{BASE}/status"
        wait_until(
            lambda: self.rest.get(status)["state"] == state,
            f"the plan to be {state}",
            20,
            detail=lambda: str({**self.rest.get(status), "plan": "..."}),
        )

    def _mend(self, ends: tuple[str, str]) -> None:
        self.lab.set_link(*ends, up=True)
        self.wait_for_network()

    def _plan(self) -> dict[str, Any]:
        plan: dict[str, Any] = self.rest.get(f"{BASE}/status")["plan"]
        return plan

    def _addresses(self) -> dict[str, list[str]]:
        return {host["id"]: [address["address"] for address in host["addresses"]] for host in self._plan()["hosts"]}

    def _ways(self, client: Host, server: Host) -> dict[str, list[tuple[str, str]]]:
        """By address of the client: the links of its path, by their ends, up to the server's switch."""
        names = {dpid: name for name, dpid in self.lab.topology.switches.items()}
        ways = {}
        for path in self._plan()["paths"]:
            if path["host"] == client.name:
                branch = next([names[dpid] for dpid in branch] for branch in path["branches"] if self.lab.topology.switches[server.switch] in branch)
                switches = branch[: branch.index(server.switch) + 1]
                ways[path["address"]] = list(zip(switches, switches[1:]))
        return ways

    def _carried(self) -> dict[tuple[str, str], int]:
        """By ends of a link, in its direction: the bytes that its first switch has sent on it."""
        carried = {}
        for switch in self.lab.topology.switches:
            dump = ovs.ofctl("--no-names", "dump-ports", self.lab.bridge(switch))
            sent = dict(re.findall(r"port +(\w+): rx .*\n +tx pkts=\d+, bytes=(\d+)", dump))
            for other in self.lab.topology.neighbours(switch):
                carried[switch, other] = int(sent[str(self.lab.topology.ports(switch)[other])])
        return carried

    def _answers(self, host: Host, sources: list[str], targets: list[str]) -> set[tuple[str, str]]:
        """From where to where a ping was answered."""
        asking = "for pair; do ( ping -n -c 1 -W 2 -I ${pair%,*} ${pair#*,} >/dev/null && echo $pair ) & done; wait"
        pairs = [f"{source},{target}" for source in sources for target in targets]
        words = self.on(host.name, "bash", "-c", asking, "bash", *pairs, timeout_s=60)
        return {(pair.partition(",")[0], pair.partition(",")[2]) for pair in words.split()}

    def _plans_rules(self) -> list[str]:
        """Of all switches, after their names; by their cookie."""
        return [f"{switch}: {rule}" for switch in self.lab.topology.switches for rule in self.rules(switch) if f"cookie={COOKIE}" in rule]


@pytest.mark.real_time
class MptcpTest(Mptcp):
    def test_three_subflows_over_three_paths(self) -> None:
        """each sub-flow goes over the links of its own path"""
        self.check_three_subflows()

    def test_all_of_a_vlan_reach_each_other_and_nobody_else(self) -> None:
        """by ping from every address to every address"""
        self.check_who_reaches_whom()

    def test_broken_link(self) -> None:
        """a link of one sub-flow goes: the sub-flow goes on over another way, and all bytes arrive as they were"""
        client, server = self._host("h1"), self._host("h5")
        stream = self._stream(client, server, 3)
        address, way = max(self._ways(client, server).items(), key=lambda item: len(item[1]))
        broken = way[-1]
        self.addCleanup(self._mend, broken)
        self.lab.set_link(*broken, up=False)
        went = time.monotonic()
        wait_until(lambda: broken not in self._ways(client, server)[address], "the sub-flow to be led elsewhere", 10, 0.02)
        say(f"{address} is led elsewhere {time.monotonic() - went:.2f} s after the link went")
        for other in self._ways(client, server).values():
            self.assertNotIn(broken, other)
        before = stream.sent()
        wait_until(
            lambda: all(stream.sent()[each] > before[each] + 200_000 for each in before),
            "all sub-flows to go on",
            20,
            detail=lambda: f"{before}, then {stream.sent()}",
        )
        self._check_end(stream)

    def test_deleted_plan_leaves_ordinary_forwarding(self) -> None:
        """no rule of a plan is left, and hosts reach each other as if there had never been one"""
        client, server = self._host("h1"), self._host("h5")
        self.assertEqual(set(self.lab.topology.switches), {rule.partition(":")[0] for rule in self._plans_rules()})
        self.rest.delete(BASE)
        self._wait_for("none")
        wait_until(lambda: not self._plans_rules(), "the plan's rules to go", 20, detail=lambda: self._plans_rules()[0])
        stream = self._stream(client, server, 3)
        before = self._carried()
        time.sleep(2)
        used = {hop for hop, count in self._carried().items() if count - before[hop] > 1_000_000}
        self.assertEqual({("s1", "s2"), ("s2", "s5")}, used)
        self._check_end(stream)
        # by plain frames from one VLAN to the other: that they do not reach each other is what the plan did
        self.assertEqual((3, 0), self.ping("h1", self.ip(self._host("h2"))))


@pytest.mark.real_time
class OneTableMptcpTest(Mptcp):
    """The switches of hosts have one table, with groups and without; another switch only forwards labels."""

    core = ("s3",)
    properties = forced_layouts(s1="one-table-with-groups", s2="one-table", s3="labels-only", s4="one-table-with-groups", s5="one-table")

    def test_subflows(self) -> None:
        """each goes over the links of its own path, all rules are in one table, and VLANs are apart"""
        self.check_three_subflows()
        self.check_who_reaches_whom()
        self.assertEqual([], [rule for rule in self._plans_rules() if re.search(r"table=[1-9]|goto_table|group", rule)])


@pytest.mark.real_time
class Ipv6MptcpTest(MptcpTest):
    """The same by the hosts' IPv6 addresses."""

    ipv6 = True

    def test_alias_is_no_source_of_other_connections(self) -> None:
        """the kernel chooses the host's own address, not an alias with a longer prefix, and an alias is usable at once"""
        client, server = self._host("h1"), self._host("h5")
        route = self.on(client.name, "ip", "-6", "-json", "route", "get", self.ip(server))
        self.assertEqual(self.ip(client), json.loads(route)[0]["prefsrc"])
        self.assertEqual("", self.on(client.name, "ip", "-6", "address", "show", "tentative"))
