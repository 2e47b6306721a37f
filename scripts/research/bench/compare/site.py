"""The network of a comparison: switches, controller, and nginx on all servers. It stays up for all balancers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from lab import instance, processes, webserver
from lab.controller import Controller
from malob.network.topology import Topology
from malob.system import ovs
from malob.system.cleanup import Cleanup
from malob.system.ports import free_port
from malob.system.processes import succeeds
from malob.system.waiting import say, undisturbed, wait_until
from research.bench.compare.load import PAGE_BYTES

NAME = "mlq"

_FIND_S = 40


class Site:
    """A network that is up. Made by open_site()."""

    def __init__(self, network: Topology, control_delays_ms: Mapping[str, float], directory: Path) -> None:
        openflow_port = free_port()
        self.directory = directory
        self.controller = Controller(directory, openflow_port, free_port())
        self.lab = instance.up(network, NAME, f"127.0.0.1:{openflow_port}", owned=True, control_delays_ms=control_delays_ms)
        self.clients = network.with_role("client")
        self.servers = network.with_role("server")
        #: the host of balancers that need one: that of the second server
        self.proxy_host = self.servers[min(1, len(self.servers) - 1)]

    def build(self, stack: ExitStack) -> None:
        """Starts everything, with clean-up on the stack, and returns once hosts reach each other."""
        self.controller.start()
        content = _content(self.lab.directory)
        for server in self.servers:
            stack.callback(processes.end, webserver.start(self.lab, server.name, content))
        self.wait_for_network()
        self._tell_capacities()

    def wait_for_network(self) -> None:
        """Returns once the controller knows all links and their latencies, and hosts reach each other."""
        network = self.lab.topology
        self.controller.wait_for(network)
        wait_until(self._all_measured, "the latencies of all links", _FIND_S)
        self.wait_for_hosts()

    def wait_for_hosts(self) -> None:
        """Returns once all hosts reach each other; the controller learns where they are."""
        for client in self.clients:
            for server in self.servers:
                ping = self.lab.inside(client.name, ["ping", "-n", "-c", "1", "-W", "1", server.ip])
                wait_until(partial(succeeds, ping), f"{client.name} to reach {server.name}", _FIND_S)

    @contextmanager
    def controlled_by(self, other: Controller) -> Iterator[None]:
        """In the context, another controller controls the switches; it listens at the same port as ours."""
        self.controller.stop()
        ours, self.controller = self.controller, other
        try:
            other.start()
            other.wait_for(self.lab.topology)
            self.wait_for_hosts()
            yield
        finally:
            with undisturbed():
                other.stop()
            self.controller = ours
        ours.start()
        self.wait_for_network()

    def _all_measured(self) -> bool:
        return all(link["latency_ms"] is not None for link in self.controller.rest.get("/wm/malob/links"))

    def _tell_capacities(self) -> None:
        network = self.lab.topology
        for link in network.links:
            for here in link.ends:
                rate = link.direction(here).rate_mbps
                if rate is not None:
                    port = network.ports(here)[link.other(here)]
                    self.controller.rest.put(f"/wm/malob/capacities/{network.switches[here]}/{port}", {"mbps": round(rate, 3)})

    def programs(self) -> dict[str, int]:
        """The processes that all balancers need, by name."""
        return {"vswitchd": ovs.switch_daemon_pid(), "controller": self.controller.pid}


def _content(directory: Path) -> str:
    """The server block of nginx: a small page, and /page."""
    (directory / "page").write_bytes(b"x" * PAGE_BYTES)
    return f"location = /page {{ root {directory}; }}\n    {webserver.SMALL_PAGE}"


@contextmanager
def open_site(network: Topology, control_delays_ms: Mapping[str, float]) -> Iterator[Site]:
    """In the context, the network is up; afterwards everything is removed, also after a failure and Ctrl-C."""
    instance.clear_leftover(NAME)
    with tempfile.TemporaryDirectory(prefix="malob-bench-") as directory, ExitStack() as stack:
        site: Site | None = None
        try:
            say(f"building the network: {network.description}")
            site = Site(network, control_delays_ms, Path(directory))
            site.build(stack)
            yield site
        finally:
            with undisturbed():
                cleanup = Cleanup()
                cleanup.step("the web servers", stack.close)
                if site is not None:
                    cleanup.step("the controller", site.controller.stop)
                cleanup.step("the network", lambda: instance.remove_own(NAME))
                cleanup.finish()
