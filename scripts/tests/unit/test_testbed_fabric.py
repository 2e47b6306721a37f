"""FABRIC's notebook and the code that it calls, on a fake fablib that records calls; parameters are those of fablib 2.0.9."""

from __future__ import annotations

import ast
import io
import ipaddress
import json
import sys
import types
import unittest
from contextlib import redirect_stdout
from unittest import mock

from malob.errors import ScriptError, UsageError
from malob.network import topology
from malob.system.place import ROOT
from research.testbed import fabric, roles, sites, slices

NOTEBOOK = ROOT / "geni" / "fabric.ipynb"


class Interface:
    def __init__(self, node: Node) -> None:
        self.node = node
        self.network = ""
        self.address = ""

    def get_ip_addr(self) -> object:
        return ipaddress.ip_address(self.address)


class Component:
    def __init__(self, node: Node, model: str) -> None:
        self.model = model
        self.interface = Interface(node)

    def get_interfaces(self) -> list[Interface]:
        return [self.interface]


class Node:
    def __init__(self, **asked: object) -> None:
        self.asked = asked
        self.components: dict[str, Component] = {}
        self.commands: list[str] = []
        self.answer = "server-1\nended with 0\n", "said on the way\n"

    def add_component(self, model: str, name: str) -> Component:
        assert name not in self.components
        self.components[name] = Component(self, model)
        return self.components[name]

    def add_fabnet(self, name: str = "FABNET", net_type: str = "IPv4") -> None:
        interface = self.add_component(model="NIC_Basic", name=f"{name}_nic").interface
        interface.network, interface.address = f"{name}_{net_type}_{self.asked['site']}", "10.128.1.2"

    def get_interface(self, network_name: str) -> Interface:
        return next(one.interface for one in self.components.values() if one.interface.network == network_name)

    def ip_addr_add(self, addr: object, subnet: ipaddress.IPv4Network, interface: Interface, persistent: bool) -> None:
        assert interface.node is self and not persistent
        interface.address = f"{addr}/{subnet.prefixlen}"

    def upload_file(self, local_file_path: str, remote_file_path: str) -> None:
        self.commands.append(f"upload {local_file_path} {remote_file_path}")

    def execute(self, command: str, quiet: bool = False) -> tuple[str, str]:
        self.commands.append(command)
        return self.answer


class FabricSlice:
    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.networks: dict[str, list[Interface]] = {}
        self.submitted = self.deleted = False

    def add_node(self, name: str, site: str, cores: int, ram: int, disk: int, image: str) -> Node:
        self.nodes[name] = Node(site=site, cores=cores, ram=ram, disk=disk, image=image)
        return self.nodes[name]

    def add_l2network(self, name: str, interfaces: list[Interface]) -> None:
        self.networks[name] = interfaces
        for interface in interfaces:
            interface.network = name

    def get_node(self, name: str) -> Node:
        return self.nodes[name]

    def submit(self) -> None:
        self.submitted = True

    def delete(self) -> None:
        self.deleted = True


class FablibManager:
    last: FabricSlice

    def get_random_sites(self, count: int) -> list[str]:
        return [f"SITE{number}" for number in range(count)]

    def new_slice(self, name: str) -> FabricSlice:
        FablibManager.last = FabricSlice()
        return FablibManager.last

    def get_slice(self, name: str) -> FabricSlice:
        return FablibManager.last


def thesis() -> slices.Slice:
    return slices.build(topology.load("geni-wan"), sites.load("geni-wan"))


class FabricTest(unittest.TestCase):
    def added(self) -> tuple[slices.Slice, FabricSlice, dict[str, str]]:
        wanted, fabric_slice = thesis(), FabricSlice()
        at = fabric.places(wanted, [f"SITE{number}" for number in range(9)])
        fabric.add(fabric_slice, wanted, at)
        return wanted, fabric_slice, at

    def test_each_link_joins_the_cards_of_its_two_machines(self) -> None:
        wanted, made, _ = self.added()
        self.assertEqual({one.name for one in wanted.connections}, set(made.networks))
        for one in wanted.connections:
            first, second = made.networks[one.name]
            for end, interface in ((one.first, first), (one.second, second)):
                node, _, card = end.partition(":")
                self.assertIs(interface, made.nodes[node].components[card].interface)

    def test_machines_stand_where_their_switch_stands(self) -> None:
        _, made, _ = self.added()
        self.assertEqual(9, len({node.asked["site"] for node in made.nodes.values()}))
        self.assertEqual(made.nodes["client-1"].asked["site"], made.nodes["client-1-switch"].asked["site"])
        self.assertEqual(made.nodes["kentucky-switch"].asked["site"], made.nodes["controller"].asked["site"])

    def test_controller_has_the_memory_to_build_and_others_at_least_two_gigabytes(self) -> None:
        _, made, _ = self.added()
        self.assertEqual((8, 2, 2), tuple(made.nodes[name].asked["ram"] for name in ("controller", "server-1", "client-1")))
        self.assertEqual(4, made.nodes["server-1"].asked["cores"])

    def test_interfaces_get_the_slices_addresses(self) -> None:
        wanted, made, _ = self.added()
        fabric.address(made, wanted)
        for node in wanted.nodes:
            for interface in node.interfaces:
                card = interface.name.partition(":")[2]
                self.assertEqual(interface.address, made.nodes[node.name].components[card].interface.address)

    def test_too_few_sites_are_refused(self) -> None:
        with self.assertRaisesRegex(UsageError, "needs 9 sites, but only 2 are given"):
            fabric.places(thesis(), ["STAR", "UTAH", "STAR"])

    def test_set_up_runs_each_machines_command(self) -> None:
        wanted, made, at = self.added()
        controller = fabric.controller_address(made, wanted, at)
        self.assertEqual("10.128.1.2", controller)
        printed = fabric.set_up(made, roles.commands(wanted, controller, "/local/malob", ("10.0.0.100", 80)), "/tmp/a.tar.gz", "/local/malob")
        self.assertEqual({"server-1"}, set(printed.values()))
        self.assertEqual(
            [
                "upload /tmp/a.tar.gz malob.tar.gz",
                "sudo mkdir -p /local/malob && sudo tar -xzf malob.tar.gz -C /local/malob"
                ' && sudo /local/malob/geni/setup/client.sh --address 10.0.0.1/24 --mtu 1400 --try http://10.0.0.100:80/; echo "ended with $?"',
            ],
            made.nodes["client-1"].commands,
        )

    def test_set_up_that_fails_says_where_and_why(self) -> None:
        _, made, _ = self.added()
        made.nodes["client-1"].answer = "ended with 1\n", "first\nclient.sh: no answer\n"
        with self.assertRaisesRegex(ScriptError, "the set-up of client-1 failed: client.sh: no answer"):
            fabric.set_up(made, {"client-1": ["true"]}, "/tmp/a.tar.gz", "/local/malob")


class NotebookTest(unittest.TestCase):
    document = json.loads(NOTEBOOK.read_text())

    def test_notebook_has_the_form_of_nbformat_4_5(self) -> None:
        self.assertEqual((4, 5), (self.document["nbformat"], self.document["nbformat_minor"]))
        self.assertEqual({"cells", "metadata", "nbformat", "nbformat_minor"}, set(self.document))
        cells = self.document["cells"]
        self.assertEqual(len(cells), len({cell["id"] for cell in cells}))
        for cell in cells:
            more = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
            self.assertEqual({"cell_type", "id", "metadata", "source"} | more, set(cell))
            self.assertTrue(all(isinstance(line, str) for line in cell["source"]))
            if more:
                self.assertEqual((None, []), (cell["execution_count"], cell["outputs"]))

    def test_notebook_runs_from_the_topology_to_the_clients_answers(self) -> None:
        library = types.ModuleType("fabrictestbed_extensions.fablib.fablib")
        library.FablibManager = FablibManager  # type: ignore[attr-defined]
        parents = {name: types.ModuleType(name) for name in ("fabrictestbed_extensions", "fabrictestbed_extensions.fablib")}
        out = io.StringIO()
        with (
            mock.patch.dict(sys.modules, {**parents, library.__name__: library}),
            mock.patch("pathlib.Path.cwd", return_value=NOTEBOOK.parent),
            mock.patch("subprocess.run") as run,
            mock.patch("sys.path", list(sys.path)),
            redirect_stdout(out),
        ):
            names: dict[str, object] = {}
            for source in self.code():
                exec(compile(ast.parse(source), str(NOTEBOOK), "exec"), names)
        self.assertEqual("7 machines, 5 links\nclient: server-1\n", out.getvalue())
        self.assertIn("archive", run.call_args.args[0])
        made = FablibManager.last
        self.assertTrue(made.submitted and made.deleted)
        self.assertEqual(7, len(made.nodes))
        self.assertEqual("/local/malob/malob status", made.nodes["controller"].commands[-1])

    def code(self) -> list[str]:
        return ["".join(cell["source"]) for cell in self.document["cells"] if cell["cell_type"] == "code"]


if __name__ == "__main__":
    unittest.main()
