"""The network of a comparison: switches, controller, and nginx on all servers. It stays up for all balancers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lab import processes, webserver
from lab.controller import Controller
from lab.site import Site
from malob.network.topology import Topology
from malob.system import ovs
from malob.system.waiting import undisturbed, wait_until
from research.bench.compare.load import PAGE_BYTES

NAME = "mlq"

_FIND_S = 40


class ComparisonSite(Site):
    """The network with nginx on all servers."""

    def __init__(self, network: Topology, control_delays_ms: Mapping[str, float], directory: Path) -> None:
        super().__init__(network, NAME, directory, control_delays_ms=control_delays_ms)
        self.directory = directory
        self.clients = network.with_role("client")
        self.servers = network.with_role("server")
        #: the host of balancers that need one: that of the second server
        self.proxy_host = self.servers[min(1, len(self.servers) - 1)]

    def build(self) -> None:
        content = _content(self.lab.directory)
        for server in self.servers:
            self.programs.callback(processes.end, webserver.start(self.lab, server.name, content))
        self._wait_for_measurements()
        self.set_capacities()

    def _wait_for_measurements(self) -> None:
        """Returns once the controller knows the latencies of all links, and hosts reach each other."""
        wait_until(self._all_measured, "the latencies of all links", _FIND_S)
        self.wait_for_hosts(self.clients, self.servers)

    @contextmanager
    def controlled_by(self, other: Controller) -> Iterator[None]:
        """In the context, another controller controls the switches; it listens at the same port as ours."""
        self.controller.stop()
        ours, self.controller = self.controller, other
        try:
            other.start()
            other.wait_for(self.lab.topology)
            self.wait_for_hosts(self.clients, self.servers)
            yield
        finally:
            with undisturbed():
                other.stop()
            self.controller = ours
        ours.start()
        self.wait_for_network()
        self._wait_for_measurements()

    def _all_measured(self) -> bool:
        return all(link["latency_ms"] is not None for link in self.controller.rest.get("/wm/malob/links"))

    def process_ids(self) -> dict[str, int]:
        """The processes that all balancers need, by name."""
        return {"vswitchd": ovs.switch_daemon_pid(), "controller": self.controller.pid}


def _content(directory: Path) -> str:
    """The server block of nginx: a small page, and /page."""
    (directory / "page").write_bytes(b"x" * PAGE_BYTES)
    return f"location = /page {{ root {directory}; }}\n    {webserver.SMALL_PAGE}"
