"""The network of a run: clients, servers and a reactive VIP, and a cluster of controllers with its etcd servers."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path

from lab import balancing, instance
from lab.cluster import ClusterController, EtcdServers, etcd_servers
from lab.management import Management
from malob.errors import ScriptError
from malob.network import topology
from malob.rest.client import RestError
from malob.system.processes import succeeds
from malob.system.waiting import say, wait_until
from research.bench.proactive.clients import Service
from research.bench.soak.servers import serve

NAME = "mlf"
TOPOLOGY = "mesh5"
VIP, PORT, KEY = "10.0.0.100", 80, "failover"
SERVICE = Service(VIP, PORT, KEY)
_JOIN_S = 30


class Site:
    """Made in a with statement."""

    def __init__(self, directory: Path, controllers: int) -> None:
        """directory: for logs, data and settings."""
        self._network = topology.load(TOPOLOGY)
        self._directory = directory
        self._stack = ExitStack()
        self.clients = self._network.with_role("client")
        self.switches = set(self._network.switches.values())
        self.management = Management(controllers)
        self.etcd: EtcdServers
        self.controllers: list[ClusterController]

    def __enter__(self) -> Site:
        """Returns once one controller is master of all switches, and the others stand by."""
        with ExitStack() as stack:
            self._build(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _build(self, stack: ExitStack) -> None:
        say(f"building the network: {self._network.description}; {len(self.management.numbers)} controllers")
        self.management.build()
        stack.callback(self.management.remove)
        self.etcd = stack.enter_context(etcd_servers(self._directory, self.management))
        self.controllers = [
            ClusterController(self.management, number, self._directory / f"c{number}", self.etcd) for number in self.management.numbers
        ]
        endpoints = ",".join(controller.endpoint for controller in self.controllers)
        self.lab = instance.up(self._network, NAME, endpoints, owned=True)
        stack.callback(instance.remove_own, NAME)
        for controller in self.controllers:
            stack.callback(controller.stop)
            controller.start()
        servers = self._network.with_role("server")
        for server in servers:
            serve(self.lab, server.name, PORT)
        for controller in self.controllers:
            controller.wait_for(self._network)
        for client in self.clients:
            ping = self.lab.inside(client.name, ["ping", "-n", "-c", "1", "-W", "1", servers[0].ip])
            wait_until(partial(succeeds, ping), f"{client.name} to reach {servers[0].name}", 20)
        virtual = balancing.set_up(self.master().rest, VIP, PORT, servers, key=KEY, named=True)
        wait_until(lambda: balancing.all_located(self.master().rest, virtual), "the servers to be found", 10)
        self.wait_for_standby()

    # --- the cluster -------------------------------------------------------------------------------

    def master(self) -> ClusterController:
        """The one that is master of all switches. Raises ScriptError if there is none."""
        for controller in self.controllers:
            if controller.rest.answers() and controller.ruled() == self.switches:
                return controller
        raise ScriptError("no controller is master of all switches")

    def standby(self) -> ClusterController:
        """The first of those that stand by."""
        master = self.master()
        return next(each for each in self.controllers if each is not master)

    def wait_for_standby(self) -> None:
        """Returns once one controller is master of all switches, and all see the network and each other."""
        for controller in self.controllers:
            controller.wait_for(self._network)
        wait_until(self._agree, "the controllers to agree on the master", _JOIN_S, detail=self._state)

    def _agree(self) -> bool:
        try:
            return self._all_agree()
        except RestError:
            # one that has lost its lease starts anew, and does not answer for a moment
            return False

    def _all_agree(self) -> bool:
        connected = {controller.name: len(self.switches) for controller in self.controllers}
        masters = {name for controller in self.controllers for name in controller.masters().values()}
        ruling = [controller.name for controller in self.controllers if controller.ruled()]
        everywhere = all(len(controller.masters()) == len(self.switches) for controller in self.controllers)
        return everywhere and masters == set(ruling) and len(ruling) == 1 and all(each.nodes() == connected for each in self.controllers)

    def _state(self) -> str:
        silent = [controller.name for controller in self.controllers if not controller.rest.answers()]
        if silent:
            return f"no answer from {', '.join(silent)}"
        return "; ".join(
            f"{controller.name}: masters {sorted(set(controller.masters().values()))}, it rules {len(controller.ruled())}, {dict(controller.nodes())}"
            for controller in self.controllers
        )
