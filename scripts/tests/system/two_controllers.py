"""What the tests share of two controllers of a cluster, each connected to all switches of a real network."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lab import instance, processes
from lab.controller import Controller
from malob.network import topology
from malob.system.ports import free_port
from malob.system.waiting import undisturbed, wait_until
from tests.system.base import NAME, SystemTest
from tests.system.test_cluster import Cluster


@pytest.mark.needs("cluster")
@pytest.mark.real_time
class TwoControllersTest(SystemTest):
    """The controllers are east, which joins first, and west.

    With the policy "spread", their names give west the switches of MESH5_WEST.
    """

    #: Rendezvous.java decides
    MESH5_WEST = ("s1", "s3")

    east: Controller
    west: Controller
    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        cls.addClassCleanup(directory.cleanup)
        cls.addClassCleanup(cls._clean_up)
        cls.cluster = Cluster(Path(directory.name))
        ports = [free_port(), free_port()]
        cls.lab = instance.up(topology.load("mesh5"), NAME, ",".join(f"127.0.0.1:{port}" for port in ports), owned=True)
        folders = [Path(directory.name, name) for name in ("east", "west")]
        for folder in folders:
            folder.mkdir()
        cls.east, cls.west = (
            Controller(folder, port, free_port(), options=("--etcd", cls.cluster.endpoints, "--node", folder.name))
            for folder, port in zip(folders, ports)
        )
        cls.controller = cls.east
        cls.east.start()
        cls.west.start()
        for server in cls.lab.topology.with_role("server"):
            processes.start_responder(cls.lab, server.name, http=(80,))
        cls.wait_for_network()

    @classmethod
    def _clean_up(cls) -> None:
        with undisturbed():
            for name in ("east", "west"):
                if name in cls.__dict__:
                    cls.__dict__[name].stop()
            instance.remove_own(NAME)
            if "cluster" in cls.__dict__:
                cls.cluster.stop()

    def logs(self) -> list[Path]:
        """What is shown of a test that has failed (conftest.py)."""
        return [type(self).__dict__[name].log for name in ("east", "west") if name in type(self).__dict__]

    def setUp(self) -> None:
        """Each test begins with both, connected to all switches."""
        super().setUp()
        for controller in (self.east, self.west):
            if not controller.rest.answers():
                controller.start()
        count = len(self.lab.topology.switches)
        wait_until(
            lambda: [node["switches"] for node in self.cluster_of(self.east)["nodes"]] == [count, count],
            "both controllers to be connected to all switches",
            30,
            detail=lambda: str(self.cluster_of(self.east)["nodes"]),
        )

    def cluster_of(self, controller: Controller) -> dict[str, Any]:
        """The cluster as a controller sees it."""
        return dict(controller.rest.get("/wm/malob/cluster")["cluster"])

    def masters(self, controller: Controller) -> Counter[str]:
        """How many switches each controller is master of."""
        return Counter(str(line["master"]) for line in self.cluster_of(controller)["switches"])

    def roles(self, controller: Controller) -> set[str]:
        """A controller's own roles."""
        return {str(line["role"]) for line in self.cluster_of(controller)["switches"]}

    def all_switches(self, name: str) -> Counter[str]:
        """As masters(), if one is master of all."""
        return Counter({name: len(self.lab.topology.switches)})
