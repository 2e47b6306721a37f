from __future__ import annotations

import unittest
from collections import Counter
from typing import Any

from malob.errors import UsageError
from malob.network import topology
from malob.network.hosts import Host


def _document() -> dict[str, Any]:
    """a - b - c in a triangle, h on a, g on c"""
    return {
        "description": "three",
        "switches": {name: f"00:00:00:00:00:00:00:0{i}" for i, name in enumerate("abc", start=1)},
        "hosts": {
            "h": {"switch": "a", "ip": "10.0.0.1/24", "role": "client"},
            "g": {"switch": "c", "ip": "10.0.0.2/24", "role": "server"},
        },
        "links": [["a", "b"], ["b", "c"], ["a", "c"]],
    }


class TopologyTest(unittest.TestCase):
    def test_every_topology_that_comes_with_malob_loads(self) -> None:
        for name in topology.known_names():
            self.assertEqual(name, topology.load(name).name)

    def test_what_is_written_reads_the_same(self) -> None:
        mesh = topology.load("mesh5")
        self.assertEqual(mesh, topology.parse("mesh5", mesh.to_json()))

    def test_ports_are_hosts_first_then_links_then_the_node(self) -> None:
        network = topology.parse("t", _document())
        self.assertEqual({"h": 1, "b": 2, "c": 3, "a.node": 4}, network.ports("a"))
        self.assertEqual({"a": 1, "c": 2, "b.node": 3}, network.ports("b"))

    def test_nodes_have_the_last_addresses_of_the_hosts_network(self) -> None:
        document = _document()
        self.assertEqual(["10.0.0.201/24", "10.0.0.202/24", "10.0.0.203/24"], [node.address for node in topology.parse("t", document).nodes.values()])
        document["hosts"] = {"h": {"switch": "a", "ip": "10.0.0.1/29", "role": "client"}}
        self.assertEqual(["10.0.0.4", "10.0.0.5", "10.0.0.6"], [node.ip for node in topology.parse("t", document).nodes.values()])
        document["hosts"] = {}
        self.assertEqual("10.0.0.201/24", topology.parse("t", document).nodes["a"].address)

    def test_place_is_a_host_or_else_a_node(self) -> None:
        document = _document()
        document["hosts"]["a"] = {"switch": "a", "ip": "10.0.0.3/24", "role": "client"}
        network = topology.parse("t", document)
        self.assertEqual(network.hosts["h"], network.place("h"))
        self.assertEqual(network.hosts["a"], network.place("a"))
        self.assertEqual(network.nodes["a"], network.place("a.node"))
        self.assertEqual(network.nodes["b"], network.place("b"))
        self.assertEqual(network.nodes["b"], network.place("b.node"))
        for name in ("z", "h.node", "z.node"):
            with self.subTest(name=name), self.assertRaisesRegex(UsageError, f"no host or switch '{name}'"):
                network.place(name)

    def test_each_ipv4_network_is_an_ipv6_one(self) -> None:
        document = _document()
        document["hosts"]["g"]["ip"] = "10.0.3.2/24"
        network = topology.parse("t", document)
        self.assertEqual("fd00:a00::a00:1/64", network.hosts["h"].address6)
        self.assertEqual("fd00:a00:300::a00:302", network.hosts["g"].ip6)
        self.assertEqual("fd00:a00::a00:c9/64", network.nodes["a"].address6)

    def test_ipv6_address_may_be_given(self) -> None:
        document = _document()
        document["hosts"]["h"]["ip6"] = "2001:DB8:0::1/48"
        network = topology.parse("t", document)
        host = network.hosts["h"]
        self.assertEqual(("2001:db8::1/48", "2001:db8::1"), (host.address6, host.ip6))
        self.assertEqual(network, topology.parse("t", network.to_json()))
        self.assertEqual(("10.0.0.1", "2001:db8::1"), (host.ip_beside("10.0.0.100"), host.ip_beside("fd00::64")))
        document["hosts"]["g"]["ip6"] = "2001:db8::1/64"
        with self.assertRaisesRegex(UsageError, "two hosts have the same address"):
            topology.parse("t", document)

    def test_mac_shows_the_address(self) -> None:
        self.assertEqual("02:00:0a:00:00:01", topology.parse("t", _document()).hosts["h"].mac)

    def test_host_in_a_vlan_tags_its_frames_unless_its_switch_does(self) -> None:
        document = _document()
        document["hosts"]["h"].update(vlan=100)
        document["hosts"]["g"].update(vlan=105, tagged_by="switch")
        network = topology.parse("t", document)
        self.assertEqual((100, "host", "eth0.100"), _vlan(network.hosts["h"]))
        self.assertEqual((105, "switch", "eth0"), _vlan(network.hosts["g"]))
        self.assertEqual((None, None, "eth0"), _vlan(network.nodes["a"]))
        self.assertEqual(network, topology.parse("t", network.to_json()))
        self.assertEqual(["eth0", "eth0"], [host.device for host in network.tagged_by_switches().hosts.values()])
        self.assertEqual((100, "switch", "eth0"), _vlan(network.tagged_by_switches().hosts["h"]))

    def test_wrong_vlans_are_named(self) -> None:
        for more, words in (
            ({"vlan": 0}, "hosts.h.vlan: .*0$"),
            ({"vlan": 4095}, "hosts.h.vlan"),
            ({"vlan": "100"}, "hosts.h.vlan"),
            ({"vlan": True}, "hosts.h.vlan"),
            ({"vlan": 100, "tagged_by": "me"}, "hosts.h.tagged_by: .*'me'"),
            ({"tagged_by": "switch"}, "hosts.h.tagged_by: .*'vlan' is missing"),
            ({"vlans": 1}, "hosts.h: .*vlan"),
        ):
            document = _document()
            document["hosts"]["h"].update(more)
            with self.subTest(more=more), self.assertRaisesRegex(UsageError, words):
                topology.parse("t", document)

    def test_mistakes_are_named(self) -> None:
        mistakes = [
            ("switches", {}, "'switches'"),
            ("switches", {"a": "1"}, "switches.a"),
            ("switches", {"much-too-long": "00:00:00:00:00:00:00:01"}, "much-too-long"),
            ("switches", {"A": "00:00:00:00:00:00:00:01"}, "'A'"),
            ("switches", {"a.b": "00:00:00:00:00:00:00:01"}, "'a.b'"),
            ("hosts", {"h": {"switch": "z", "ip": "10.0.0.1/24", "role": "client"}}, "hosts.h.switch"),
            ("hosts", {"h": {"switch": "a", "ip": "10.0.0.1", "role": "client"}}, "hosts.h.ip"),
            ("hosts", {"h": {"switch": "a", "ip": "10.0.0.1/24", "ip6": "fd00::1", "role": "client"}}, "hosts.h.ip6: .*IPv6"),
            ("hosts", {"h": {"switch": "a", "ip": "10.0.0.1/24", "ip6": "10.0.0.1/24", "role": "client"}}, "hosts.h.ip6: .*IPv6"),
            ("hosts", {"h": {"switch": "a", "ip": "10.0.0.1/24", "ip6": None, "role": "client"}}, "hosts.h.ip6: .*None"),
            (
                "hosts",
                {"h": {"switch": "a", "ip": "10.0.0.1/24", "ip6": "fd00:a00::a00:ca/64", "role": "client"}},
                "hosts.h.ip6: .*the node of b",
            ),
            ("hosts", {"h": {"switch": "a", "ip": "10.0.0.1/24", "role": "cook"}}, "hosts.h.role"),
            ("hosts", {"h": {"switch": "a", "ip": "10.0.0.202/24", "role": "client"}}, "hosts.h.ip: .*the node of b"),
            ("hosts", {"h": {"switch": "a", "ip": "10.0.0.1/30", "role": "client"}}, "no room for 1 hosts and 3 nodes"),
            ("hosts", {"h": {"switch": "a", "ip": "0.0.0.0/32", "role": "client"}}, "no room"),
            ("hosts", {"a": {"switch": "b", "ip": "10.0.0.1/24", "role": "client"}}, "hosts.a"),
            ("links", [["a", "z"]], "links[0]"),
            ("links", [["a", "b"], ["b", "a"]], "links[1]"),
            ("links", [["a", "a"]], "links[0]"),
            ("links", "a-b", "'links'"),
            ("colour", "red", "'colour'"),
        ]
        for field, value, words in mistakes:
            with self.subTest(field=field, value=value), self.assertRaisesRegex(UsageError, words.replace("[", r"\[")):
                topology.parse("t", {**_document(), field: value})

    def test_host_may_have_the_name_of_its_own_switch(self) -> None:
        document = _document()
        document["hosts"]["a"] = {"switch": "a", "ip": "10.0.0.3/24", "role": "client"}
        network = topology.parse("t", document)
        self.assertEqual({"h": 1, "a": 2, "b": 3, "c": 4, "a.node": 5}, network.ports("a"))
        self.assertEqual({"a": 1, "c": 2, "b.node": 3}, network.ports("b"))

    def test_wide_area_network_has_the_figures_of_the_thesis(self) -> None:
        """Table 4.3: source, destination, throughput, reverse (Mbit/s), latency (ms)"""
        expected = {
            ("client-1", "server-1", 57.8, 58.1, 15),
            ("client-1", "kansas", 30.7, 26.8, 21),
            ("client-1", "server-3", 12.1, 23.9, 36),
            ("client-2", "server-1", 39.9, 51.2, 19),
            ("client-2", "kentucky", 52.2, 53.0, 11),
            ("client-2", "server-2", 89.7, 83.0, 10),
            ("client-3", "server-2", 90.3, 90.4, 7),
            ("client-3", "kentucky", 56.7, 53.6, 9),
            ("client-3", "client-4", 62.6, 57.0, 14),
            ("client-4", "kentucky", 76.9, 71.8, 8),
            ("client-4", "server-3", 91.2, 91.1, 2),
            ("server-1", "kansas", 20.3, 17.4, 28),
            ("server-3", "kansas", 11.7, 15.3, 16),
            ("kansas", "kentucky", 36.7, 39.1, 10),
        }
        network = topology.load("geni-wan")
        self.assertEqual(expected, _figures(network))
        self.assertEqual(9, len(network.switches))
        self.assertEqual({name: name for name in network.hosts}, {h.name: h.switch for h in network.hosts.values()})
        self.assertEqual(["client-1", "client-2", "client-3", "client-4"], [h.name for h in network.with_role("client")])
        self.assertEqual(["server-1", "server-2", "server-3"], [h.name for h in network.with_role("server")])

    def test_small_network_has_the_figures_of_the_thesis(self) -> None:
        """Table 4.4"""
        network = topology.load("thesis-two-servers")
        expected = {("client", "server-1", 10.7, 9.8, 7), ("client", "server-2", 62.6, 57.0, 14)}
        self.assertEqual(expected, _figures(network))

    def test_first_network_of_the_mptcp_paper_has_its_links_hosts_and_ports(self) -> None:
        """Table I, and of Table II the ports of switch 1"""
        network = topology.load("mptcp-1")
        self.assertEqual({"s1 s2", "s1 s3", "s1 s4", "s2 s3", "s2 s5", "s3 s5", "s4 s5"}, {" ".join(sorted(link.ends)) for link in network.links})
        self.assertEqual(
            {
                "h1": ("s1", "10.0.0.1", 100),
                "h2": ("s1", "10.0.2.1", 105),
                "h3": ("s2", "10.0.0.2", 100),
                "h4": ("s2", "10.0.2.2", 105),
                "h5": ("s5", "10.0.0.3", 100),
                "h6": ("s4", "10.0.0.4", 100),
                "h7": ("s3", "10.0.2.3", 105),
                "h8": ("s4", "10.0.2.4", 105),
            },
            {host.name: (host.switch, host.ip, host.vlan) for host in network.hosts.values()},
        )
        self.assertEqual({"h1": 1, "h2": 2, "s4": 3, "s3": 4, "s2": 5}, {k: v for k, v in network.ports("s1").items() if v < 6})

    def test_networks_of_the_topology_zoo_are_complete(self) -> None:
        """switches, links, the most links of a switch, and the size of each VLAN"""
        for name, expected in (("gridnet", (9, 20, 5, {100: 9, 105: 9})), ("att-mpls", (25, 56, 10, {100: 13, 105: 12}))):
            network = topology.load(name)
            most = max(len(network.neighbours(switch)) for switch in network.switches)
            vlans = Counter(host.vlan for host in network.hosts.values())
            self.assertEqual(expected, (len(network.switches), len(network.links), most, vlans), name)

    def test_each_vlan_has_clients_and_servers(self) -> None:
        for name in ("mptcp-1", "gridnet", "att-mpls"):
            hosts = topology.load(name).hosts.values()
            pairs = {(host.vlan, host.role) for host in hosts}
            self.assertEqual({(vlan, role) for vlan in (100, 105) for role in ("client", "server")}, pairs, name)

    def test_unknown_name_lists_the_known(self) -> None:
        with self.assertRaisesRegex(UsageError, "mesh5"):
            topology.load("nowhere")


def _vlan(host: Host) -> tuple[object, ...]:
    return host.vlan, host.tagged_by, host.device


def _figures(network: topology.Topology) -> set[tuple[object, ...]]:
    for link in network.links:
        assert link.forward.delay_ms == link.reverse.delay_ms, link
    return {(*link.ends, link.forward.rate_mbps, link.reverse.rate_mbps, link.forward.delay_ms) for link in network.links}


if __name__ == "__main__":
    unittest.main()
