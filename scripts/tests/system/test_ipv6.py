"""VIPs over IPv6, on real switches."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from lab import balancing, processes
from lab.balancing import VirtualServer
from malob.system.processes import run
from malob.system.waiting import say, wait_until
from tests.system.base import UDP_PORT, SystemTest
from tests.system.test_adoption import PORT, Transfer

TOO_BIG = Path(__file__).parent / "too_big.py"

#: Asks a UDP server from a port, prints its answer, and keeps the port until its input ends.
DIALOGUE = """
import socket, sys
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.settimeout(5)
s.bind(("", int(sys.argv[3])))
s.connect((sys.argv[1], int(sys.argv[2])))
s.send(b"hello")
print(s.recv(2000).decode(), flush=True)
sys.stdin.read()
"""

#: The type of an echo request, which is the port of its VIP.
ECHO = 128


class Ipv6Test(SystemTest):
    """The hosts are in fd00:a00::/64, as the VIPs."""

    def test_both_clients_reach_all_members(self) -> None:
        """curl by IPv6: all members answer each client in turn, and no request fails"""
        self.virtual("web", "fd00:a00::64", 80)
        for client in ("c1", "c2"):
            with self.subTest(client=client):
                self.assertEqual(self.server_names, {self._curl(client, "fd00:a00::64") for _ in range(6)})

    def test_member_port_differs(self) -> None:
        """clients ask port 8080 of the VIP, servers listen on 8001"""
        self.virtual("other", "fd00:a00::65", 8080, member_port=8001)
        answers = self.requests("c2", "fd00:a00::65", 8080, 9)
        self.assertEqual(self.server_names, set(answers), answers)

    def test_parallel_connections(self) -> None:
        """50 connections at once by ab: none fails"""
        self.virtual("ab", "fd00:a00::66", 80)
        self.ab("c1", "http://[fd00:a00::66]:80/", 500, 50)

    def test_ping(self) -> None:
        """ping of a VIP, also by packets of full size"""
        self.virtual("ping", "fd00:a00::67", ECHO, protocol="icmp")
        self.assertEqual((5, 0), self.ping("c1", "fd00:a00::67", 5))
        self.assertEqual((3, 0), self.ping("c2", "fd00:a00::67", 3, size=1452))

    def test_clients_ask_again_for_the_vip(self) -> None:
        """a client whose neighbour cache has expired learns the same MAC again, and so does a member that of its client"""
        virtual = self.virtual("cache", "fd00:a00::68", 80)
        self._curl("c1", virtual.address)
        # its last packet would ask at once
        wait_until(lambda: self._active(virtual) == 0, "the connection to end", 10)
        mac = self._neighbour("c1", "fd00:a00::68")["lladdr"]
        for host in ("c1", *self.server_names):
            self.on(host, "ip", "-6", "neigh", "flush", "all")
        self.assertNotIn("lladdr", self._neighbour("c1", "fd00:a00::68"))
        self.assertEqual(self.server_names, {self._curl("c1", "fd00:a00::68") for _ in range(6)})
        self.assertEqual(mac, self._neighbour("c1", "fd00:a00::68")["lladdr"])

    def test_neighbour_entry_is_confirmed_by_the_vip(self) -> None:
        """a client's kernel asks the VIP's own MAC whether the address is still there, and is answered"""
        self.virtual("probe", "fd00:a00::6d", ECHO, protocol="icmp")
        for setting, value in (("base_reachable_time_ms", 2000), ("delay_first_probe_time", 1)):
            name = f"net.ipv6.neigh.{self.lab.topology.hosts['c1'].device}.{setting}"
            was = self.on("c1", "sysctl", "-n", name).strip()
            self.on("c1", "sysctl", "-q", "-w", f"{name}={value}")
            self.addCleanup(self.on, "c1", "sysctl", "-q", "-w", f"{name}={was}")
        self.assertEqual((3, 0), self.ping("c1", "fd00:a00::6d"))
        wait_until(lambda: self._neighbour("c1", "fd00:a00::6d")["state"] == ["STALE"], "the entry to be stale", 10)
        # echo replies confirm nothing, unlike TCP's segments
        self.assertEqual((3, 0), self.ping("c1", "fd00:a00::6d"))
        wait_until(lambda: self._neighbour("c1", "fd00:a00::6d")["state"] == ["REACHABLE"], "the VIP to answer", 5, interval_s=0.05)

    def test_host_with_a_stale_entry_learns_the_vips_mac_at_once(self) -> None:
        """a client that knows the address from a host that had it before: its switch's MAC takes its place, unasked"""
        device, old = self.lab.topology.hosts["c1"].device, "02:00:00:00:00:99"
        for number, address in enumerate(("fd00:a00::6e", "10.0.0.110")):
            with self.subTest(address=address):
                self.on("c1", "ip", "neigh", "replace", address, "lladdr", old, "nud", "stale", "dev", device)
                self.virtual(f"moved{number}", address, 80)
                wait_until(lambda: self._neighbour("c1", address)["lladdr"] != old, "the MAC of the VIP", 3, interval_s=0.05)
                self.assertRegex(self._neighbour("c1", address)["lladdr"], "^0e:")

    def test_host_that_takes_the_vips_address_notices(self) -> None:
        """its detection of duplicate addresses fails, on each switch; an address that is free passes"""
        self.virtual("conflict", "fd00:a00::69", 80)
        for host, free in (("c2", "fd00:a00::1:1"), ("w1", "fd00:a00::1:2")):
            device = self.lab.topology.hosts[host].device
            self.on(host, "sysctl", "-q", "-w", f"net.ipv6.conf.{device}.accept_dad=1")
            self.addCleanup(self.on, host, "sysctl", "-q", "-w", f"net.ipv6.conf.{device}.accept_dad=0")
            for address, fate in (("fd00:a00::69", "dadfailed"), (free, "valid")):
                with self.subTest(host=host, address=address):
                    self.on(host, "ip", "address", "add", f"{address}/64", "dev", device)
                    self.addCleanup(self.on, host, "ip", "address", "del", f"{address}/64", "dev", device)
                    wait_until(lambda: self._fate(host, address) != "tentative", "the detection to end", 5)
                    self.assertEqual(fate, self._fate(host, address))
        answers = self.requests("c1", "fd00:a00::69", 80, 9)
        self.assertEqual(self.server_names, set(answers), answers)

    def test_connection_outlives_the_controller_and_a_link(self) -> None:
        """a download goes on without the controller, with its successor, and when a link of its path breaks"""
        server = self.servers[1]
        virtual = self.virtual("kept", "fd00:a00::6b", PORT, servers=[server])
        transfer = Transfer(self, "c1", server.name, virtual.address)
        rules = self._connection_rules(virtual.address, server.ip6)
        self.assertEqual(2, len(rules), rules)

        self.controller.kill()
        transfer.wait_for_more(5_000_000)
        self.controller.start()
        self.wait_for_network()
        wait_until(lambda: self._active(virtual) == 1, "the connection to be adopted", 40)
        self.assertEqual(rules, self._connection_rules(virtual.address, server.ip6), "no rule was touched")
        transfer.wait_for_more(5_000_000)

        path = self._path("c1", server.name)
        self.lab.set_link(path[0], path[1], up=False)
        self.addCleanup(self.lab.set_link, path[0], path[1], up=True)
        began = time.monotonic()
        transfer.wait_for_more(5_000_000)
        wait_until(lambda: self._path("c1", server.name)[:2] != path[:2], "the path to move", 5, interval_s=0.02)
        say(f"  from {' '.join(path)} to {' '.join(self._path('c1', server.name))} within {time.monotonic() - began:.1f} s")
        self.assertEqual(rules, self._connection_rules(virtual.address, server.ip6), "the path was repaired by its labels")

        sent, got = transfer.finish()
        self.assertEqual((None, None), (sent["error"], got["error"]))
        self.assertEqual(sent, got)
        wait_until(lambda: self._active(virtual) == 0, "the connection to end", 10)

    def test_service_with_a_vip_of_each_family(self) -> None:
        """the same servers by IPv4 and by IPv6, each VIP with its own pool"""
        self.virtual("four", "10.0.0.160", 80)
        self.virtual("six", "fd00:a00::6c", 80)
        for address in ("10.0.0.160", "fd00:a00::6c"):
            with self.subTest(address=address):
                answers = self.requests("c1", address, 80, 9)
                self.assertEqual(self.server_names, set(answers), answers)

    def test_path_mtu_of_both_ends(self) -> None:
        """who is told that its packets are too big learns it, also beside a ping: the client for the VIP, the member for the client"""
        server = self.servers[0]
        virtual = self.virtual("mtu", "fd00:a00::6e", UDP_PORT, servers=[server], protocol="udp")
        client = self.lab.topology.hosts["c1"]
        command = self.lab.inside("c1", [sys.executable, "-I", "-c", DIALOGUE, virtual.address, str(UDP_PORT), "30200"])
        dialogue = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(dialogue.communicate)
        assert dialogue.stdout is not None
        self.assertIn(server.name, dialogue.stdout.readline())
        self.virtual("mtu-ping", virtual.address, ECHO, servers=[server], protocol="icmp")
        self.assertEqual((1, 0), self.ping("c1", virtual.address, 1))
        # each packet is quoted as a router beside its receiver would see it
        self._tell_too_big(server.name, (client.ip6, 30200), (server.ip6, UDP_PORT), to=client.ip6, mtu=1300)
        self._tell_too_big("c1", (virtual.address, UDP_PORT), (client.ip6, 30200), to=virtual.address, mtu=1320)
        wait_until(lambda: self._path_mtu("c1", virtual.address) == 1300, "the client to know", 5)
        wait_until(lambda: self._path_mtu(server.name, client.ip6) == 1320, "the member to know", 5)
        self.assertEqual((None, None), (self._path_mtu("c1", server.ip6), self._path_mtu(server.name, virtual.address)))

    def test_proactive_placement(self) -> None:
        """buckets lead new connections to all members without the controller"""
        virtual = self.virtual("buckets", "fd00:a00::6f", 80, placement=balancing.PROACTIVE)
        for client in ("c1", "c2"):
            self._curl(client, virtual.address)
        balancing.wait_for_proactive(self.controller.rest, virtual.pool_id)
        for client in ("c1", "c2"):
            self._curl(client, virtual.address)
        packet_ins = self.packet_ins()
        for client in ("c1", "c2"):
            with self.subTest(client=client):
                answers = self.requests(client, virtual.address, 80, 60)
                self.assertEqual(self.server_names, set(answers), answers)
        self.assertEqual(packet_ins, self.packet_ins())

    # --- the network -----------------------------------------------------------------------------

    def _curl(self, host: str, address: str) -> str:
        """Who answers."""
        return self.on(host, "curl", "-6", "-sSf", "--max-time", "5", f"http://[{address}]/").strip()

    def _neighbour(self, host: str, address: str) -> dict[str, Any]:
        """A host's entry for a neighbour; empty without one."""
        entries = json.loads(self.on(host, "ip", "-j", "neigh", "show", address) or "[]")
        return next(iter(entries), {})

    def _tell_too_big(self, teller: str, source: tuple[str, int], destination: tuple[str, int], to: str, mtu: int) -> None:
        """Tells the sender of a datagram that it exceeds the MTU."""
        ends = [str(part) for end in (source, destination) for part in end]
        run(processes.script(self.lab, teller, TOO_BIG, to, str(mtu), *ends), timeout_s=10)

    def _path_mtu(self, host: str, address: str) -> int | None:
        """What a host has learned; None if nothing."""
        route = json.loads(self.on(host, "ip", "-j", "-6", "route", "get", address))[0]
        return next((metric["mtu"] for metric in route.get("metrics", []) if "mtu" in metric), None)

    def _fate(self, host: str, address: str) -> str:
        """What duplicate address detection has said of a host's address."""
        device = self.lab.topology.hosts[host].device
        interfaces = json.loads(self.on(host, "ip", "-j", "-6", "address", "show", "dev", device))
        entry = next(each for each in interfaces[0]["addr_info"] if each["local"] == address)
        return next((fate for fate in ("dadfailed", "tentative") if fate in entry), "valid")

    # --- the balancer ----------------------------------------------------------------------------

    def _connection_rules(self, vip: str, member: str) -> list[str]:
        """The rules that name both, as they are without counters."""
        return sorted(rule for rule in self.rules_naming(vip) if member in rule)

    def _active(self, virtual: VirtualServer) -> int:
        return sum(balancing.open_connections(self.controller.rest, virtual).values())

    def _path(self, client: str, server: str) -> list[str]:
        return balancing.paths(self.controller.rest, self.lab.topology)[client, server]
