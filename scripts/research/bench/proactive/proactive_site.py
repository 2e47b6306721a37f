"""The network of a run: clients at two switches, servers at others, and a proactive VIP."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab import balancing, rules
from lab.balancing import BASE
from lab.site import Site
from malob.network import topology
from malob.system.waiting import wait_until
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


@contextmanager
def proactive_site(placement: str) -> Iterator[ProactiveSite]:
    """The network of one run."""
    with tempfile.TemporaryDirectory(prefix="malob-bench-") as directory, ProactiveSite(Path(directory), placement) as site:
        yield site


class ProactiveSite(Site):
    """The network with programs on all servers, and the VIP."""

    def __init__(self, directory: Path, placement: str = balancing.PROACTIVE) -> None:
        """directory: for the controller's log, data and settings. placement: of the VIP."""
        network = topology.load(TOPOLOGY)
        super().__init__(network, NAME, directory, _SETTINGS)
        self._placement = placement
        self.clients = network.with_role("client")
        self.edges = tuple(dict.fromkeys(client.switch for client in self.clients))
        #: the servers whose members stay
        self.servers = [server for server in network.with_role("server") if server.name != SPARE]

    def build(self) -> None:
        """Returns once the VIP is proactive on the switches of all clients."""
        for server in self._network.with_role("server"):
            serve(self.lab, server.name, PORT)
        # the controller must know where clients are
        self.wait_for_hosts(self.clients, self.servers[:1])
        virtual = balancing.set_up(self.rest, VIP, PORT, self.servers, algorithm="WRR+SPH", key=KEY, named=True, placement=self._placement)
        wait_until(lambda: balancing.all_located(self.rest, virtual), "the servers to be found", 10)
        balancing.wait_for_proactive(self.rest, KEY)

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

    def undrain_spare(self) -> None:
        self.rest.put(f"{BASE}/members/{SPARE}", {"admin_state": "up"})

    def place_by(self, algorithm: str) -> None:
        self.rest.put(f"{BASE}/pools/{KEY}", {"lb_method": algorithm})

    def remove_spare(self) -> None:
        self.rest.delete(f"{BASE}/members/{SPARE}")
