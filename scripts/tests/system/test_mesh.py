"""A mesh with loops: plain forwarding, and balancing over servers on different switches."""

from __future__ import annotations

import re
import time
from itertools import permutations

from lab import balancing
from malob.system.waiting import say, wait_until
from tests.system.base import UDP_PORT, SystemTest

#: What the kernel chooses a client's port from; of a host's own network.
_PORT_RANGE = "net.ipv4.ip_local_port_range"


class MeshTest(SystemTest):
    topology_name = "mesh5"

    def test_broadcast_arrives_once(self) -> None:
        """one broadcast arrives exactly once at every other host, and not at its sender"""
        sender = self.lab.topology.hosts["c1"]
        # a port is a host's once it was probed for a while
        others = [host.ip for host in self.hosts if host != sender]
        wait_until(lambda: all(self.ping("c1", each, count=1)[0] for each in others), "all hosts to be reached", 20)
        counters = {host.name: self.frames(host.name, "count", "10.0.0.77", "--seconds", "4") for host in self.hosts}
        for counter in counters.values():
            self.addCleanup(counter.wait)
            assert counter.stdout is not None
            self.addCleanup(counter.stdout.close)
            self.assertEqual("ready", counter.stdout.readline().strip())
        self.assertEqual(0, self.frames("c1", "send", sender.mac, sender.ip, "10.0.0.77").wait())
        counts = {name: int(counter.stdout.readline()) for name, counter in counters.items() if counter.stdout}
        self.assertEqual({host.name: int(host.name != "c1") for host in self.hosts}, counts)

    def test_idle_network_is_quiet(self) -> None:
        """nothing but link discovery is on the wires when nobody sends"""
        self.ping("c1", "10.0.0.13")
        # each link carries a probe per direction, at most a few a second
        limit = 10 * 2 * len(self.lab.topology.links)
        # hosts that have just come up look for neighbours
        wait_until(lambda: self._packets_per_second(1) < limit, "hosts to have come up", 15)
        self.assertLess(self._packets_per_second(5), limit, "packets per second in all switches")

    def _packets_per_second(self, seconds: float) -> float:
        """What all switches receive."""
        before = self.received_packets()
        time.sleep(seconds)
        return (self.received_packets() - before) / seconds

    def test_every_host_reaches_every_other(self) -> None:
        """ping between all pairs of hosts by both families, and no answer comes twice"""
        for source, target in permutations(self.hosts, 2):
            with self.subTest(source=source.name, target=target.name):
                self.assertEqual((3, 0), self.ping(source.name, target.ip))
                self.assertEqual((1, 0), self.ping(source.name, target.ip6, count=1))

    def test_ended_connections_count_no_more(self) -> None:
        """the count of open connections falls with the client's FIN, long before the rules go"""
        virtual = self.virtual("ends", "10.0.0.108", 80)
        self.requests("c1", "10.0.0.108", 80, 20)
        wait_until(lambda: sum(balancing.open_connections(self.controller.rest, virtual).values()) == 0, "the count of open connections to fall", 2)
        self.assertTrue([rule for rule in self.rules_naming("10.0.0.108") if "tp_src=" in rule], "rules are still there")

    def test_broken_link_moves_an_open_connection(self) -> None:
        """the link under a connection goes: its packets go another way, to the same server, by the same two rules"""
        self.virtual("cut", "10.0.0.107", UDP_PORT, protocol="udp")
        server, _ = self.ask_by_udp("c1", "10.0.0.107", UDP_PORT, 30007, "before").split()
        total = self._total("cut")
        path = self._path_to(server)
        say(f"  {server} by {' '.join(path)}")
        self.lab.set_link(path[0], path[1], up=False)
        self.addCleanup(self.lab.set_link, path[0], path[1], up=True)
        began = time.monotonic()
        wait_until(lambda: self._path_to(server)[:2] != path[:2], "the path to move", 5, interval_s=0.02)
        say(f"  then by {' '.join(self._path_to(server))}, seen after {1000 * (time.monotonic() - began):.0f} ms")
        self.assertEqual(f"{server} after", self.ask_by_udp("c1", "10.0.0.107", UDP_PORT, 30007, "after"))
        self.assertEqual(total, self._total("cut"), "not placed again")

    def _total(self, pool: str) -> int:
        return int(self.controller.rest.get(f"{balancing.BASE}/pools/{pool}/stats/")["total_connections"])

    def _path_to(self, server: str) -> list[str]:
        return balancing.paths(self.controller.rest, self.lab.topology)["c1", server]

    def test_ports_used_again_at_once(self) -> None:
        """so many connections that client ports come again while rules of theirs are there: none fails, all count"""
        self.virtual("again", "10.0.0.109", 80)
        before = self._tcp_counters("c1")
        self.ab("c1", "http://10.0.0.109:80/", 4000, 20)
        # ab opens some more than it has requests for, so the client's kernel is asked
        since = {name: count - before[name] for name, count in self._tcp_counters("c1").items()}
        surplus = self._total("again") - since["ActiveOpens"]
        # a SYN that is sent again after the client has reset what it got counts anew
        self.assertIn(surplus, range(since["OutRsts"] + since["RetransSegs"] + 1), since)

    def _tcp_counters(self, host: str) -> dict[str, int]:
        """What a host's kernel has counted of TCP since it is there."""
        names, values = [line.split()[1:] for line in self.on(host, "cat", "/proc/net/snmp").splitlines() if line.startswith("Tcp:")]
        return {name: int(value) for name, value in zip(names, values)}

    def test_parallel_connections(self) -> None:
        """100 connections at once by ab: none fails, every server gets its share"""
        virtual = self.virtual("ab", "10.0.0.101", 80)
        words = self.ab("c1", "http://10.0.0.101:80/", 1500, 100)
        self.assertNotIn("Non-2xx", words)
        say_rate(words)
        stats = self.controller.rest.get("/quantum/v1.0/pools/ab/stats/")
        totals = {virtual.members[member["id"]]: member["total_connections"] for member in stats["members"]}
        self.assertEqual(self.server_names, set(totals))
        # ab may open up to 100 connections more than it has requests for, and resets them in the end
        self.assertIn(sum(totals.values()), range(1500, 1601))
        # a turn is passed over where a port of the client is still in use towards a member by another VIP
        self.assertLess(max(totals.values()) - min(totals.values()), 25, f"round robin gave {totals}")

    def test_both_clients_are_balanced(self) -> None:
        """requests of both clients through one VIP use every server"""
        self.virtual("both", "10.0.0.102", 80)
        for client in ("c1", "c2"):
            answers = self.requests(client, "10.0.0.102", 80, 30)
            self.assertEqual(self.server_names, set(answers), answers)
            self.assertEqual(30, sum(answers.values()))

    def test_two_ports_of_one_address(self) -> None:
        """two VIPs share an address: each port has its own servers"""
        first, second, third = self.servers
        self.virtual("p80", "10.0.0.103", 80, servers=[first])
        self.virtual("p8001", "10.0.0.103", 8001, servers=[second, third])
        self.assertEqual({first.name}, set(self.requests("c1", "10.0.0.103", 80, 6)))
        self.assertEqual({second.name, third.name}, set(self.requests("c1", "10.0.0.103", 8001, 6)))

    def test_member_port_differs(self) -> None:
        """clients ask port 8080 of the VIP, servers listen on 8001"""
        self.virtual("other", "10.0.0.104", 8080, member_port=8001)
        self.assertEqual(self.server_names, set(self.requests("c2", "10.0.0.104", 8080, 9)))

    def test_udp(self) -> None:
        """datagrams through a VIP; one client port stays with one server"""
        self.virtual("udp", "10.0.0.105", UDP_PORT, protocol="udp")
        answers = [self.ask_by_udp("c1", "10.0.0.105", UDP_PORT, 30000 + i, f"n{i}") for i in range(6)]
        self.assertEqual([f"n{i}" for i in range(6)], [answer.partition(" ")[2] for answer in answers], answers)
        self.assertEqual(self.server_names, {answer.partition(" ")[0] for answer in answers})
        again = {self.ask_by_udp("c1", "10.0.0.105", UDP_PORT, 31000, "same") for _ in range(4)}
        self.assertEqual(1, len(again), again)

    def test_icmp(self) -> None:
        """ping of a VIP"""
        self.virtual("icmp", "10.0.0.106", 8, protocol="icmp")
        self.assertEqual((5, 0), self.ping("c1", "10.0.0.106", 5))

    def test_fragments(self) -> None:
        """long pings of a VIP are answered by its rules; a datagram longer than the MTU is counted, and goes nowhere"""
        self.virtual("icmp", "10.0.0.110", 8, protocol="icmp")
        self.assertEqual((5, 0), self.ping("c1", "10.0.0.110", 5, size=4000))
        by_controller = self.packet_ins()["known"]
        self.assertEqual((5, 0), self.ping("c1", "10.0.0.110", 5, size=4000))
        self.assertEqual(by_controller, self.packet_ins()["known"])
        self.virtual("udp", "10.0.0.111", UDP_PORT, protocol="udp")
        before = self._refused("fragment")
        self.assertEqual("", self.ask_by_udp("c1", "10.0.0.111", UDP_PORT, 30100, "x" * 4000))
        self.assertEqual(before + 3, self._refused("fragment"))
        self.assertEqual(0, self._total("udp"))

    def _refused(self, reason: str) -> int:
        return int(self.controller.rest.get("/wm/malob/refusals")[reason])

    def test_direct_traffic_beside_vip(self) -> None:
        """a client that uses the VIP reaches its servers by their own addresses as well"""
        self.virtual("beside", "10.0.0.107", 80)
        self.requests("c1", "10.0.0.107", 80, 6)
        # from a port that a rule still translates, a direct connection would get the VIP's answers
        was = self.on("c1", "sysctl", "-n", _PORT_RANGE).strip()
        self.on("c1", "sysctl", "-q", "-w", f"{_PORT_RANGE}=20000 30000")
        self.addCleanup(self.on, "c1", "sysctl", "-q", "-w", f"{_PORT_RANGE}={was}")
        for server in self.servers:
            self.assertEqual({server.name}, set(self.requests("c1", server.ip, 80, 2)))


def say_rate(words: str) -> None:
    """Shows ab's own figure; for people, nothing depends on it."""
    found = re.search(r"Requests per second:\s+([\d.]+)", words)
    if found:
        say(f"  {found.group(1)} new connections per second")
