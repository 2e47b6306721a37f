"""The network of a run: clients at two switches, servers at others, and a proactive VIP."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from lab import balancing, instance, rules
from lab.balancing import BASE
from lab.controller import Controller, settings_file
from malob.network import topology
from malob.system.cleanup import Cleanup
from malob.system.ports import free_port
from malob.system.processes import succeeds
from malob.system.waiting import say, undisturbed, wait_until
from research.bench.proactive.clients import Service
from research.bench.soak.servers import serve

NAME = "mlp"
TOPOLOGY = "mesh5"
VIP, PORT, KEY = "10.0.0.100", 80, "proactive"
SERVICE = Service(VIP, PORT, KEY)
#: The server whose member comes and goes.
SPARE = "w3"
#: On paths from the first client's switch.
LINK = ("s1", "s3")

#: Buckets move faster and more often than by default.
_SETTINGS = {"io.malob.balancer.BalancerModule.bucketMoveSeconds": 3, "io.malob.balancer.BalancerModule.bucketHoldSeconds": 1}


class Site:
    """Made by build(), removed by remove()."""

    def __init__(self, directory: Path) -> None:
        """directory: for the controller's log, data and settings."""
        self._network = topology.load(TOPOLOGY)
        self.clients = self._network.with_role("client")
        self.edges = tuple(dict.fromkeys(client.switch for client in self.clients))
        #: the servers whose members stay
        self.servers = [server for server in self._network.with_role("server") if server.name != SPARE]
        self.controller = Controller(directory, free_port(), free_port(), settings_file(directory, _SETTINGS))
        self.rest = self.controller.rest

    def build(self) -> None:
        """Returns once the VIP is proactive on the switches of all clients."""
        say(f"building the network: {self._network.description}")
        self.lab = instance.up(self._network, NAME, self.controller.endpoint, owned=True)
        self.controller.start()
        for server in self._network.with_role("server"):
            serve(self.lab, server.name, PORT)
        self.controller.wait_for(self._network)
        # the controller must know where clients are
        for client in self.clients:
            ping = self.lab.inside(client.name, ["ping", "-n", "-c", "1", "-W", "1", self.servers[0].ip])
            wait_until(partial(succeeds, ping), f"{client.name} to reach {self.servers[0].name}", 20)
        virtual = balancing.set_up(self.rest, VIP, PORT, self.servers, algorithm="WRR+SPH", key=KEY, named=True, placement=balancing.PROACTIVE)
        wait_until(lambda: balancing.all_located(self.rest, virtual), "the servers to be found", 10)
        balancing.wait_for_proactive(self.rest, KEY)

    def remove(self) -> None:
        with undisturbed():
            cleanup = Cleanup()
            cleanup.step("the controller", self.controller.stop)
            cleanup.step("the network", lambda: instance.remove_own(NAME))
            cleanup.finish()

    def wait_for_network(self) -> None:
        self.controller.wait_for(self._network)

    def restart_controller(self) -> None:
        """After a kill: returns once it has found everything again."""
        self.controller.start()
        self.wait_for_network()
        balancing.wait_for_proactive(self.rest, KEY)

    def assignment(self) -> dict[tuple[str, str], str]:
        """The member of each bucket that is not moving, see rules.assignment()."""
        return rules.assignment(self.lab, self.edges, VIP)

    def moving(self) -> int:
        return balancing.moving_buckets(balancing.placement_state(self.rest), KEY)

    # --- changes -----------------------------------------------------------------------------------

    def weigh(self, weights: tuple[int, ...]) -> None:
        """Sets the weights of the members that stay."""
        for server, weight in zip(self.servers, weights):
            self.rest.put(f"{BASE}/members/{server.name}", {"weight": weight})

    def add_spare(self) -> None:
        address = self._network.hosts[SPARE].ip
        self.rest.post(f"{BASE}/members/", {"id": SPARE, "address": address, "port": str(PORT), "pool_id": KEY})

    def drain_spare(self) -> None:
        self.rest.put(f"{BASE}/members/{SPARE}", {"admin_state": "drain"})

    def remove_spare(self) -> None:
        self.rest.delete(f"{BASE}/members/{SPARE}")
