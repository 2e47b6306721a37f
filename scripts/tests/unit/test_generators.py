from __future__ import annotations

import re
import unittest
from collections import Counter

from malob.errors import UsageError
from malob.network import generators, topology
from malob.network.topology import Topology


class GeneratorsTest(unittest.TestCase):
    def test_counts(self) -> None:
        expected = {
            # switches, hosts, links
            "line:2": (2, 2, 1),
            "line:5": (5, 5, 4),
            "ring:3": (3, 3, 3),
            "ring:6": (6, 6, 6),
            "tree:1,4": (1, 4, 0),
            "tree:3,2": (7, 8, 6),
            "tree:2,3": (4, 9, 3),
            "fat-tree:2": (5, 2, 4),
            "fat-tree:4": (20, 16, 32),
            "fat-tree:6": (45, 54, 108),
        }
        for text, counts in expected.items():
            with self.subTest(text=text):
                network = topology.load(text)
                self.assertEqual(counts, (len(network.switches), len(network.hosts), len(network.links)))
                self.assertEqual(set(network.switches), _reached(network))

    def test_hosts_are_clients_and_servers_by_turns(self) -> None:
        network = topology.load("line:5")
        self.assertEqual(["c1", "w1", "c2", "w2", "c3"], list(network.hosts))
        self.assertEqual(["10.1.0.1/8", "10.1.0.2/8", "10.1.0.3/8"], [host.address for host in network.with_role("client")])
        self.assertEqual(["10.2.0.1/8", "10.2.0.2/8"], [host.address for host in network.with_role("server")])

    def test_switch_of_a_fat_tree_has_as_many_links_as_ports(self) -> None:
        network = topology.load("fat-tree:6")
        ports = Counter(end for link in network.links for end in link.ends)
        for host in network.hosts.values():
            ports[host.switch] += 1
        self.assertEqual({6}, set(ports.values()))
        self.assertEqual({"core": 9, "agg": 18, "edge": 18}, Counter(name.split("-")[0] for name in network.switches))

    def test_core_of_a_fat_tree_reaches_each_pod_once(self) -> None:
        network = topology.load("fat-tree:4")
        for core in (f"core-{n}" for n in range(1, 5)):
            pods = [name.split("-")[1] for name in network.neighbours(core)]
            self.assertEqual(["1", "2", "3", "4"], sorted(pods), core)

    def test_hosts_of_a_tree_are_at_its_last_switches(self) -> None:
        network = topology.load("tree:3,2")
        self.assertEqual(Counter({f"s{n}": 2 for n in (4, 5, 6, 7)}), Counter(h.switch for h in network.hosts.values()))
        self.assertEqual({"s1", "s4", "s5"}, set(network.neighbours("s2")))

    def test_random_network_is_connected_whatever_the_seed(self) -> None:
        for seed in range(50):
            with self.subTest(seed=seed):
                network = topology.load(f"waxman:{2 + seed},{seed}")
                self.assertEqual(set(network.switches), _reached(network))
                self.assertEqual(2 + seed, len(network.hosts))

    def test_random_network_depends_on_its_seed_alone(self) -> None:
        self.assertEqual(topology.load("waxman:30,4"), topology.load("waxman:30,4"))
        self.assertNotEqual(topology.load("waxman:30,4").links, topology.load("waxman:30,5").links)
        self.assertEqual(topology.load("waxman:30").links, topology.load("waxman:30,1").links)

    def test_random_network_has_about_two_links_per_switch(self) -> None:
        links = sum(len(topology.load(f"waxman:100,{seed}").links) for seed in range(20))
        self.assertTrue(1.7 * 2000 < links < 2.5 * 2000, links)

    def test_datapath_id_shows_the_number(self) -> None:
        self.assertEqual("00:00:00:00:00:00:01:20", topology.load("line:120").switches["s120"])
        self.assertEqual("00:00:00:01:00:04:00:02", topology.load("fat-tree:4").switches["edge-4-2"])

    def test_rate_and_delay_are_for_all_links(self) -> None:
        for link in topology.load("ring:3,rate=50,delay=2.5").links:
            for way in (link.forward, link.reverse):
                self.assertEqual((50, 2.5, None, None), (way.rate_mbps, way.delay_ms, way.queue_packets, way.loss))
        self.assertFalse(any(link.limited for link in topology.load("ring:3").links))

    def test_what_is_written_reads_the_same(self) -> None:
        for text in ("ring:5,rate=50", "fat-tree:4", "waxman:20,3"):
            network = topology.load(text)
            self.assertEqual(network, topology.parse(text, network.to_json()))

    def test_mistakes_are_named(self) -> None:
        mistakes = {
            "line:1": "N: expected 2 to 1000, not 1",
            "ring:2": "N: expected 3 to 1000",
            "ring:x": "expected whole numbers",
            "ring:": "expected whole numbers",
            "ring:-3": "expected whole numbers",
            "tree:3": "expected tree:DEPTH,FANOUT",
            "tree:0,2": "DEPTH: expected",
            "tree:2,0": "FANOUT: expected",
            "tree:5,10": "switches: expected 1 to 1000, not 11111",
            "tree:2,100": "hosts: expected 0 to 5000, not 10000",
            "fat-tree:3": "K: expected an even number",
            "fat-tree:18": "K: expected 2 to 16",
            "waxman:9,1,2": "expected waxman:N[,SEED]",
            "ring:4,rate=0": "rate: expected Mbit/s, more than 0",
            "ring:4,rate=x": "rate: 'x' is not a number",
            "ring:4,delay=-1": "delay: expected milliseconds",
            "ring:4,rate=1,rate=2": "each once",
            "ring:4,colour=red": "expected rate=MBPS or delay=MS",
            "ring:rate=1": "expected ring:N",
            "ring:rate=1,4": "expected whole numbers",
            "star:4": "no topology 'star:4'.*ring:N",
        }
        for text, words in mistakes.items():
            pattern = words if ".*" in words else re.escape(words)
            with self.subTest(text=text), self.assertRaisesRegex(UsageError, pattern):
                topology.load(text)

    def test_every_form_has_a_rule(self) -> None:
        for form in generators.FORMS:
            self.assertTrue(generators.is_generated(form), form)


def _reached(network: Topology) -> set[str]:
    """The switches that can be reached from the first."""
    waiting = [next(iter(network.switches))]
    reached = set(waiting)
    while waiting:
        new = set(network.neighbours(waiting.pop())) - reached
        reached |= new
        waiting.extend(new)
    return reached


if __name__ == "__main__":
    unittest.main()
