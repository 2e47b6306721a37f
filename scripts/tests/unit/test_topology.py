from __future__ import annotations

import unittest
from typing import Any

from base.errors import UsageError
from lab import topology


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

    def test_ports_are_hosts_first_then_links(self) -> None:
        network = topology.parse("t", _document())
        self.assertEqual({"h": 1, "b": 2, "c": 3}, network.ports("a"))
        self.assertEqual({"a": 1, "c": 2}, network.ports("b"))

    def test_mac_shows_the_address(self) -> None:
        self.assertEqual("02:00:0a:00:00:01", topology.parse("t", _document()).hosts["h"].mac)

    def test_mistakes_are_named(self) -> None:
        mistakes = [
            ("switches", {}, "'switches'"),
            ("switches", {"a": "1"}, "switches.a"),
            ("switches", {"much-too-long": "00:00:00:00:00:00:00:01"}, "much-too-long"),
            ("switches", {"A": "00:00:00:00:00:00:00:01"}, "'A'"),
            ("switches", {"a.b": "00:00:00:00:00:00:00:01"}, "'a.b'"),
            ("hosts", {"h": {"switch": "z", "ip": "10.0.0.1/24", "role": "client"}}, "hosts.h.switch"),
            ("hosts", {"h": {"switch": "a", "ip": "10.0.0.1", "role": "client"}}, "hosts.h.ip"),
            ("hosts", {"h": {"switch": "a", "ip": "10.0.0.1/24", "role": "cook"}}, "hosts.h.role"),
            ("hosts", {"a": {"switch": "b", "ip": "10.0.0.1/24", "role": "client"}}, "hosts.a"),
            ("links", [["a", "z"]], "links[0]"),
            ("links", [["a", "b"], ["b", "a"]], "links[1]"),
            ("links", [["a", "a"]], "links[0]"),
            ("links", "a-b", "'links'"),
            ("colour", "red", "'colour'"),
        ]
        for field, value, words in mistakes:
            with self.subTest(field=field, value=value):
                with self.assertRaisesRegex(UsageError, words.replace("[", r"\[")):
                    topology.parse("t", {**_document(), field: value})

    def test_host_may_have_the_name_of_its_own_switch(self) -> None:
        document = _document()
        document["hosts"]["a"] = {"switch": "a", "ip": "10.0.0.3/24", "role": "client"}
        network = topology.parse("t", document)
        self.assertEqual({"h": 1, "a": 2, "b": 3, "c": 4}, network.ports("a"))
        self.assertEqual({"a": 1, "c": 2}, network.ports("b"))

    def test_unknown_name_lists_the_known(self) -> None:
        with self.assertRaisesRegex(UsageError, "mesh5"):
            topology.load("nowhere")


if __name__ == "__main__":
    unittest.main()
