"""An emulated network with a controller of its own, for experiments and benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from lab import instance
from lab.controller import Controller, settings_file
from lab.instance import Instance
from malob.network.hosts import Host
from malob.network.topology import Topology
from malob.rest.client import RestClient
from malob.system.cleanup import Cleanup
from malob.system.ports import free_port
from malob.system.processes import succeeds
from malob.system.waiting import say, undisturbed, wait_until

#: The time until hosts reach each other.
_REACH_S = 40


_Site = TypeVar("_Site", bound="Site")


class Site:
    """A context manager: the network and its controller are up in the context; afterwards everything is removed, also after a
    failure and Ctrl-C. Subclasses add servers and services in build()."""

    def __init__(
        self,
        network: Topology,
        name: str,
        directory: Path | None = None,
        settings: Mapping[str, object] = MappingProxyType({}),
        control_delays_ms: Mapping[str, float] = MappingProxyType({}),
        scale: float = 1,
        ports: tuple[int, int] | None = None,
        outlives: bool = False,
    ) -> None:
        """name: of the lab. directory: for the controller's log, data and settings; None for the lab's own.

        settings: of the controller, as MODULE.KEY. control_delays_ms: one way, by switch. scale: multiplies every rate.
        ports: of the controller, for OpenFlow and REST; None for free ones. outlives: all of it may outlive this process; see leave().
        """
        self._network, self._name, self._directory = network, name, directory
        self._settings, self._control_delays_ms, self._scale = settings, control_delays_ms, scale
        self._ports = ports or (free_port(), free_port())
        self._outlives, self._left = outlives, False
        #: what build() has started; closed before the controller ends
        self.programs = ExitStack()
        self.lab: Instance
        self.controller: Controller

    @property
    def rest(self) -> RestClient:
        return self.controller.rest

    def __enter__(self: _Site) -> _Site:
        try:
            say(f"building the network: {self._network.description}")
            endpoint = f"127.0.0.1:{self._ports[0]}"
            self.lab = instance.up(self._network, self._name, endpoint, owned=True, control_delays_ms=self._control_delays_ms, scale=self._scale)
            self.prepare_lab()
            self.start_controller(self._settings)
            self.build()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if not self._left:
            self.remove()

    def leave(self) -> None:
        """Everything goes on after the context, and after this process."""
        self.lab.disown()
        self._left = True

    def prepare_lab(self) -> None:
        """What a subclass does with the network before the controller starts."""

    def build(self) -> None:
        """What a subclass adds to the network once the controller sees it."""

    def keep(self) -> None:
        """What a subclass keeps of the controller before its files are removed."""

    def start_controller(self, settings: Mapping[str, object]) -> None:
        """Starts a controller with these settings in addition to its defaults; returns once it sees the network."""
        directory = self._directory or self.lab.directory
        self.controller = Controller(directory, *self._ports, properties=settings_file(directory, settings) if settings else None)
        self.controller.start(self._outlives)
        self.lab.add_process(self.controller.pid)
        self.wait_for_network()

    def wait_for_network(self) -> None:
        """Returns once the controller sees all switches and links."""
        self.controller.wait_for(self.lab.topology, 60)

    def wait_for_hosts(self, clients: Iterable[Host], servers: Iterable[Host]) -> None:
        """Returns once these hosts reach each other; the controller learns where they are."""
        servers = list(servers)
        for client in clients:
            for server in servers:
                ping = self.lab.inside(client.name, ["ping", "-n", "-c", "1", "-W", "1", server.ip])
                wait_until(partial(succeeds, ping), f"{client.name} to reach {server.name}", _REACH_S)

    def set_capacities(self) -> None:
        """Configures the rates of all limited links as their capacities."""
        network = self.lab.topology
        for link in network.links:
            for here in link.ends:
                rate = link.direction(here).rate_mbps
                if rate is not None:
                    port = network.ports(here)[link.other(here)]
                    self.rest.put(f"/wm/malob/capacities/{network.switches[here]}/{port}", {"mbps": round(rate, 3)})

    def remove(self) -> None:
        with undisturbed():
            cleanup = Cleanup()
            cleanup.step("the programs", self.programs.close)
            if "controller" in self.__dict__:
                cleanup.step("the controller", self.controller.stop)
                cleanup.step("the controller's log", self.keep)
            cleanup.step("the network", lambda: instance.remove_own(self._name))
            cleanup.finish()
