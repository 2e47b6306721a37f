"""Slices of testbeds: requests made from topologies, and the machines' commands."""

from __future__ import annotations

import io
import json
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

from malob.errors import UsageError
from malob.network import topology
from malob.network.links import Direction
from malob.system.place import ROOT
from research.testbed import __main__ as command_line
from research.testbed import profile, roles, sites, slices
from research.testbed import rspec as documents
from research.testbed.rspec import emulab, rspec

KEPT = ROOT / "geni" / "rspec"
RACK = "urn:publicid:IDN+rack-{}.example.net+authority+cm"

NETWORK: dict[str, Any] = {
    "switches": {"a": "00:00:00:00:00:00:00:0a", "b": "00:00:00:00:00:00:00:0b"},
    "hosts": {
        "c": {"switch": "a", "ip": "10.0.0.1/24", "role": "client"},
        "s": {"switch": "b", "ip": "10.0.0.2/24", "role": "server"},
    },
    "links": [{"ends": ["a", "b"], "rate_mbps": [57.8, 12], "delay_ms": 15, "loss": [0, 0.5]}],
}
MACHINES = {role: {"cores": 1, "ram_mb": 512} for role in ("controller", "switch", "client", "server")}


def two_sites() -> sites.Sites:
    document = {
        "topologies": {"two": {"controller": "b", "racks": {"a": RACK.format(1), "b": RACK.format(2)}}},
        "machines": {**MACHINES, "server s": {"cores": 4, "ram_mb": 1024}},
    }
    return sites.parse("two", document, "sites")


def two() -> slices.Slice:
    return slices.build(topology.parse("two", NETWORK), two_sites())


class SliceTest(unittest.TestCase):
    def test_kept_requests_are_what_the_labs_topologies_give(self) -> None:
        self.assertEqual({"geni-wan.xml", "thesis-two-servers.xml"}, {path.name for path in KEPT.iterdir()})
        for path in KEPT.iterdir():
            wanted = slices.build(topology.load(path.stem), sites.load(path.stem))
            self.assertEqual(documents.write(wanted), path.read_text(), f"not current: ./malob testbed request {path.stem} >geni/rspec/{path.name}")

    def test_each_site_has_its_switch_and_its_hosts(self) -> None:
        wanted = two()
        self.assertEqual(
            [
                ("controller", "controller", RACK.format(2)),
                ("a-switch", "switch", RACK.format(1)),
                ("b-switch", "switch", RACK.format(2)),
                ("c", "client", RACK.format(1)),
                ("s", "server", RACK.format(2)),
            ],
            [(node.name, node.role, node.site) for node in wanted.nodes],
        )
        self.assertEqual("00:00:00:00:00:00:00:0b", wanted.node("b-switch").datapath_id)
        self.assertEqual(sites.Machine(4, 1024), wanted.node("s").machine)

    def test_interfaces_of_a_switch_are_numbered_as_the_topologys_ports(self) -> None:
        network = topology.load("geni-wan")
        wanted = slices.build(network, sites.load("geni-wan"))
        ends = {end: other for one in wanted.connections for end, other in ((one.first, one.second), (one.second, one.first))}
        for switch in network.switches:
            interfaces = wanted.node(f"{switch}-switch").interfaces
            for neighbour, number in network.ports(switch).items():
                if neighbour.endswith(".node"):
                    self.assertEqual(len(interfaces) + 1, number)
                else:
                    other = ends[interfaces[number - 1].name]
                    self.assertEqual(neighbour, wanted.node(other.partition(":")[0]).part_of)

    def test_no_two_interfaces_have_the_same_address(self) -> None:
        wanted = slices.build(topology.load("geni-wan"), sites.load("geni-wan"))
        addresses = [interface.address for node in wanted.nodes for interface in node.interfaces]
        self.assertEqual(2 * (14 + 7), len(set(addresses)))
        self.assertEqual(len(addresses), len(set(addresses)))

    def test_link_within_a_site_is_no_tunnel(self) -> None:
        wanted = slices.build(topology.parse("two", NETWORK), two_sites().at_one(RACK.format(7)))
        self.assertEqual({"lan"}, {one.kind for one in wanted.connections})

    def test_host_with_a_vlan_is_refused(self) -> None:
        hosts = {**NETWORK["hosts"], "c": {**NETWORK["hosts"]["c"], "vlan": 5}}
        with self.assertRaisesRegex(UsageError, r"hosts\.c\.vlan"):
            slices.build(topology.parse("two", {**NETWORK, "hosts": hosts}), two_sites())

    def test_switch_without_a_rack_is_refused(self) -> None:
        with self.assertRaisesRegex(UsageError, "no rack for switch 's1'"):
            slices.build(topology.load("single"), two_sites())


class SitesTest(unittest.TestCase):
    def refused(self, field: str, **changed: object) -> None:
        document = {"topologies": {"two": {"controller": "a", "racks": {"a": RACK.format(1)}}}, "machines": MACHINES, **changed}
        with self.assertRaisesRegex(UsageError, field):
            sites.parse("two", document, "sites.json")

    def test_wrong_sites_name_the_field(self) -> None:
        self.refused(r"topologies\.two:", topologies={})
        self.refused(r"topologies\.two\.racks", topologies={"two": {"controller": "a", "racks": {"a": "utah"}}})
        self.refused(r"topologies\.two\.controller", topologies={"two": {"controller": "z", "racks": {"a": RACK.format(1)}}})
        self.refused("machines: 'switch' is missing", machines={name: MACHINES[name] for name in ("controller", "client", "server")})
        self.refused(r"machines\.switch", machines={**MACHINES, "switch": {"cores": 0, "ram_mb": 1}})


class RequestTest(unittest.TestCase):
    def test_tunnel_is_asked_of_both_sites_with_the_links_rates_and_delays(self) -> None:
        link = ElementTree.fromstring(documents.write(two())).findall(rspec("link"))[-1]
        self.assertEqual([RACK.format(1), RACK.format(2)], [one.get("name") for one in link.findall(rspec("component_manager"))])
        self.assertEqual("egre-tunnel", link.findall(rspec("link_type"))[0].get("name"))
        self.assertEqual(
            [
                {"source_id": "a-switch:port2", "dest_id": "b-switch:port2", "capacity": "57800", "latency": "15", "packet_loss": "0"},
                {"source_id": "b-switch:port2", "dest_id": "a-switch:port2", "capacity": "12000", "latency": "15", "packet_loss": "0.5"},
            ],
            [one.attrib for one in link.findall(rspec("property"))],
        )

    def test_no_link_learns_addresses(self) -> None:
        links = ElementTree.fromstring(documents.write(two())).findall(rspec("link"))
        self.assertEqual(3, len(links))
        for link in links:
            self.assertEqual({"key": "nomac_learning", "value": "yep"}, link.findall(emulab("link_attribute"))[0].attrib)

    def test_unshaped_request_has_no_properties(self) -> None:
        self.assertEqual([], list(ElementTree.fromstring(documents.write(two().unshaped())).iter(rspec("property"))))

    def test_source_is_installed_on_each_machine(self) -> None:
        root = ElementTree.fromstring(documents.write(two(), "http://example.net/malob.tar.gz"))
        installed = [one.attrib for one in root.iter(rspec("install"))]
        self.assertEqual([{"url": "http://example.net/malob.tar.gz", "install_path": "/local"}] * 5, installed)

    def test_request_reads_back_as_the_slice(self) -> None:
        wanted = two()
        self.assertEqual(wanted, documents.read("two", documents.write(wanted)).slice)

    def test_direction_without_limits_reads_back_so(self) -> None:
        self.assertEqual(Direction(), documents.read("two", documents.write(two().unshaped())).slice.connections[-1].forward)


class ProfileTest(unittest.TestCase):
    def test_cloudlabs_profile_has_the_labs_topologies(self) -> None:
        kept = command_line.PROFILE.read_text()
        self.assertEqual(
            profile.updated(kept, [command_line.at_cloudlab(name) for name in command_line.PROFILED]), kept, "not current: ./malob testbed profile"
        )

    def test_profile_without_room_for_networks_is_refused(self) -> None:
        with self.assertRaisesRegex(UsageError, "# networks: begin"):
            profile.updated("import geni.portal\n", [])


class CommandsTest(unittest.TestCase):
    maxDiff = None

    def test_each_machine_is_told_its_own_part(self) -> None:
        told = roles.commands(two(), "192.0.2.1", "/opt/malob", ("10.0.0.100", 8000))
        self.assertEqual(
            {
                "controller": "controller.sh --openflow-port 6653 --vip 10.0.0.100:8000 --member 10.0.0.2",
                "a-switch": "switch.sh --datapath-id 00:00:00:00:00:00:00:0a --controller 192.0.2.1:6653"
                " --port 1=10.0.0.254/24 --port 2=192.168.1.1/24 --node 3=10.0.0.201/24 --mtu 1400",
                "b-switch": "switch.sh --datapath-id 00:00:00:00:00:00:00:0b --controller 192.0.2.1:6653"
                " --port 1=10.0.0.253/24 --port 2=192.168.1.2/24 --node 3=10.0.0.202/24 --mtu 1400",
                "s": "server.sh --address 10.0.0.2/24 --mtu 1400 --name s --port 8000",
                "c": "client.sh --address 10.0.0.1/24 --mtu 1400 --try http://10.0.0.100:8000/",
            },
            {name: " ".join(words).removeprefix("/opt/malob/geni/setup/") for name, words in told.items()},
        )
        self.assertEqual(["controller", "a-switch", "b-switch", "s", "c"], list(told))

    def test_frames_are_not_shortened_where_nothing_is_tunnelled(self) -> None:
        wanted = slices.build(topology.parse("two", NETWORK), two_sites().at_one(RACK.format(1)))
        self.assertNotIn("--mtu", roles.commands(wanted, "192.0.2.1", "/opt/malob")["c"])

    def test_agents_run_on_switches_and_servers_with_the_configurations_of_their_own(self) -> None:
        told = roles.commands(two(), "192.0.2.1", "/opt/malob", agents="/etc/malob")
        with_agents = {name: words[-1] for name, words in told.items() if "--agent" in words}
        self.assertEqual({name: f"/etc/malob/{name}.json" for name in ("a-switch", "b-switch", "s")}, with_agents)

    def test_agents_are_entered_once_and_know_their_neighbours(self) -> None:
        wanted = slices.build(topology.load("thesis-two-servers"), sites.load("thesis-two-servers"))
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "rspec.xml").write_text(documents.write(wanted))
            for _ in range(2):
                files = self.printed("agents", f"{directory}/rspec.xml", "--data", directory, "--out", f"{directory}/out")
            entered = json.loads(Path(directory, "agents.json").read_text())["agents"]
            written = {Path(file).stem: json.loads(Path(file).read_text()) for file in files}
            modes = {Path(file).stat().st_mode & 0o777 for file in files}
        self.assertEqual({0o600}, modes)
        self.assertEqual({one["id"]: one["key"] for one in entered}, {name: one["key"] for name, one in written.items()})
        self.assertEqual(
            {
                "client-switch": ("link", "10.0.0.201"),
                "server-1-switch": ("link", "10.0.0.202"),
                "server-2-switch": ("link", "10.0.0.203"),
                "server-1": ("server", "10.0.0.11"),
                "server-2": ("server", "10.0.0.12"),
            },
            {one["id"]: (one["kind"], one["address"]) for one in entered},
        )
        self.assertEqual(["10.0.0.202", "10.0.0.203"], written["client-switch"]["neighbours"])
        self.assertEqual(["10.0.0.201"], written["server-2-switch"]["neighbours"])
        self.assertEqual([80], written["server-1"]["ports"])

    def test_manifest_tells_where_machines_and_controller_are(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, "manifest.xml")
            file.write_text(manifest())
            printed = self.printed("commands", str(file), "--ssh", "--directory", "/local/malob")
        self.assertEqual("ssh -n -p 30001 ana@pc1.example.net 'sudo /local/malob/geni/setup/controller.sh --openflow-port 6653'", printed[0])
        self.assertIn("--controller 192.0.2.7:6653", printed[1])

    def test_request_cannot_be_run_by_ssh(self) -> None:
        with self.assertRaisesRegex(UsageError, r"node\[controller\] has no login"):
            self.printed("commands", str(KEPT / "geni-wan.xml"), "--controller", "192.0.2.1", "--ssh")

    def test_request_does_not_say_where_the_controller_is(self) -> None:
        with self.assertRaisesRegex(UsageError, "--controller"):
            self.printed("commands", str(KEPT / "geni-wan.xml"))

    def test_request_of_others_says_what_is_missing(self) -> None:
        with self.assertRaisesRegex(UsageError, r"node\[a\].*its role in MALOB is missing"):
            documents.read("other", '<rspec xmlns="http://www.geni.net/resources/rspec/3" type="request"><node client_id="a"/></rspec>')

    def test_names_that_would_lead_elsewhere_are_refused(self) -> None:
        for old, new, field in (
            ('client_id="controller"', 'client_id="../x"', "client_id of a node"),
            ('role="client"', 'role="../x"', "role"),
            ("c:lan", "c:la/n", "client_id of an interface"),
            ("pc1.example.net", "-oProxyCommand=x", "hostname"),
            ('username="ana"', 'username="-x"', "username"),
        ):
            self.assertIn(old, manifest())
            with self.assertRaisesRegex(UsageError, field):
                documents.read("manifest", manifest().replace(old, new))

    def test_command_line_writes_what_is_kept(self) -> None:
        self.assertEqual((KEPT / "thesis-two-servers.xml").read_text().splitlines(), self.printed("request", "thesis-two-servers"))

    def test_sites_of_ones_own_are_read(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, "sites.json")
            racks = {switch: RACK.format(1) for switch in topology.load("mesh5").switches}
            file.write_text(json.dumps({"topologies": {"mesh5": {"controller": "s1", "racks": racks}}, "machines": MACHINES}))
            printed = "\n".join(self.printed("request", "mesh5", "--sites", str(file)))
        self.assertEqual(5 + 5 + 1, printed.count("<node "))

    def printed(self, *arguments: str) -> list[str]:
        with mock.patch("sys.argv", ["malob testbed", *arguments]), redirect_stdout(io.StringIO()) as out:
            self.assertEqual(0, command_line.main())
        return out.getvalue().splitlines()


def manifest() -> str:
    """What an aggregate would answer: logins, and addresses on the control network."""
    root = ElementTree.fromstring(documents.write(two()))
    root.set("type", "manifest")
    for number, node in enumerate(root.findall(rspec("node")), 1):
        services = ElementTree.SubElement(node, rspec("services"))
        ElementTree.SubElement(
            services, rspec("login"), authentication="ssh-keys", hostname=f"pc{number}.example.net", port=f"{30000 + number}", username="ana"
        )
        ElementTree.SubElement(node, rspec("host"), name=f"{node.get('client_id')}.example.net", ipv4=f"192.0.2.{6 + number}")
    return ElementTree.tostring(root, encoding="unicode")


if __name__ == "__main__":
    unittest.main()
