"""The network of an experiment with everything on it: switches, controller, servers with their agents, and one VIP."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lab import balancing, control, processes
from lab.site import Site
from malob.cli.agents import AgentsFile
from malob.network import topology
from malob.system.place import ROOT
from malob.system.processes import run, succeeds
from malob.system.waiting import wait_until
from research import background
from research.experiments.frame.folder import Folder
from research.experiments.site import cpulimits, rest_state
from research.experiments.site.cpulimits import EmulatedCpuLimits, KernelCpuLimits
from research.experiments.workloads import ServerHost, Workload

NAME = "mle"
VIP = "10.0.0.100"
POOL = "servers"

_AGENT = ROOT / "scripts" / "agents" / "server_agent.py"
_REPORT_INTERVAL_S = 1

#: Cached metrics of destinations would let one case affect the next, so each starts without them. A host's sending rate is
#: limited to that of its interface: a whole window at once would overflow the socket of a switch in user space.
_TUNING = """
sysctl -qw net.ipv4.tcp_no_metrics_save=1
ip route replace "$1" dev eth0 scope link src "$2" congctl "$3"
"""
_INTERFACE = "tc qdisc replace dev eth0 root tbf rate {}mbit burst 6kb limit 1mb"
_INTERFACE_MBPS = 200


@dataclass(frozen=True)
class Setup:
    """The network to build. scale: multiplies all rates. processors: of each server; each is `processor` of a core.

    congestion: the senders' congestion control, by the kernel's name. properties: settings of the controller.
    second_addresses: clients whose hosts have a second client with a separate address. placement: the VIP's mode; if it is not
    reactive, the VIP has the port of the first workload only. controller_at: the switch whose site has the controller; None
    for control channels without delay.
    """

    topology: str
    scale: float
    processors: Mapping[str, int]
    processor: float
    congestion: str
    workloads: Sequence[Workload]
    properties: Mapping[str, str] = field(default_factory=dict)
    second_addresses: bool = False
    placement: str = balancing.REACTIVE
    controller_at: str | None = None

    def control_delays_ms(self) -> dict[str, float]:
        """One way, by switch. Raises UsageError if the topology does not have the controller's switch."""
        return {} if self.controller_at is None else control.delays_from(self.controller_at, topology.load(self.topology))


class ExperimentSite(Site):
    """The network with agents and programs on all servers, and the VIP."""

    def __init__(self, setup: Setup, folder: Folder) -> None:
        network = topology.load(setup.topology)
        super().__init__(network, NAME, settings=setup.properties, control_delays_ms=setup.control_delays_ms(), scale=setup.scale)
        self.setup = setup
        self._folder = folder
        self._configurations: dict[str, str] = {}
        self.limits: KernelCpuLimits | EmulatedCpuLimits
        self.hosts: list[ServerHost] = []
        #: max sending rate of hosts; None if the kernel has no token bucket filter
        self.interface_mbps: int | None = _INTERFACE_MBPS

    def prepare_lab(self) -> None:
        self.limits = cpulimits.create(f"malob-{NAME}", self.lab.directory / "cgroup", self.setup.processors, self.setup.processor)
        self.programs.callback(self.limits.remove)
        self.hosts = [ServerHost(self.lab, name, self.limits) for name in self.setup.processors]
        self._tune()
        (self.lab.directory / "data").mkdir()
        self._configurations = self._agent_configurations()

    def build(self) -> None:
        self._start_servers()
        self._configure()
        for host, file in self._configurations.items():
            command = self._host(host).networked([sys.executable, "-I", str(_AGENT), "--config", file])
            self.programs.callback(processes.end, background.start(command, self.lab.directory / "agents.log"))
        self.wait_for_state()

    def keep(self) -> None:
        self._folder.keep(self.controller.log)

    def use_properties(self, properties: Mapping[str, str]) -> None:
        """Restarts the controller with these settings in addition to its defaults; does nothing if it runs with them."""
        if properties != self._settings:
            self.controller.stop()
            self.start_controller(properties)
            self.wait_for_state()
            self._settings = dict(properties)

    def wait_for_state(self) -> None:
        """Returns once servers are known and all measurements have values."""
        rest = self.controller.rest
        wait_until(lambda: not rest_state.unknown(rest, POOL), "all measurements", 60, detail=lambda: rest_state.unknown(rest, POOL))

    def settle(self, patience_s: float = 45) -> list[str]:
        """Returns once no connection is open and newer measurements show an idle network.

        Prints which connections are still open after patience_s. Raises ScriptError if they stay open.
        """
        rest, began = self.controller.rest, time.monotonic()
        # of a proactive VIP, the controller has estimates only, which need not reach zero
        if self.setup.placement == balancing.REACTIVE:
            wait_until(
                lambda: rest_state.open_connections(rest, POOL) == 0,
                "the last connections to end",
                patience_s,
                detail=lambda: f"{rest_state.open_connections(rest, POOL)} are open",
            )
        while True:
            trouble = rest_state.unsettled(rest, self.lab, POOL, time.monotonic() - began)
            if not trouble:
                return []
            if time.monotonic() - began > patience_s:
                return [f"began before the network was at rest: {trouble}"]
            time.sleep(0.25)

    def set_algorithm(self, service: str, algorithm: str) -> None:
        """Sets the algorithm for new connections. Raises RestError if the controller does not have it."""
        self.controller.rest.put(f"{balancing.BASE}/services/{service}", {"algorithm": algorithm})

    def restart_placement(self) -> None:
        """Sets the VIP's placement anew, so that its buckets do not depend on earlier algorithms and loads. Does nothing if it is reactive."""
        rest, placement = self.controller.rest, self.setup.placement
        if placement == balancing.REACTIVE:
            return
        for mode in (balancing.REACTIVE, placement):
            rest.put(f"{balancing.BASE}/vips/{POOL}", {"placement": mode})
        if placement == balancing.PROACTIVE:
            balancing.wait_for_proactive(rest, POOL)

    def _tune(self) -> None:
        subnet = str(self.lab.topology.subnet)
        for host in self.lab.topology.hosts.values():
            words = ["sh", "-ec", _TUNING, "sh", subnet, host.ip, self.setup.congestion]
            run(self.lab.inside(host.name, words))
            if not succeeds(self.lab.inside(host.name, _INTERFACE.format(_INTERFACE_MBPS).split())):
                self.interface_mbps = None
            if self.setup.second_addresses and host.role == "client":
                run(self.lab.inside(host.name, ["ip", "address", "add", second_address(host.address), "dev", "eth0"]))

    def _agent_configurations(self) -> dict[str, str]:
        """By server, the configuration of its agent, which is registered with the controller."""
        known = AgentsFile(self.lab.directory / "data" / "agents.json")
        files = {}
        for host in self.hosts:
            address = self.lab.topology.hosts[host.name].ip
            content = {
                "id": host.name,
                "key": known.add(host.name, "server", address),
                "address": address,
                "interface": "eth0",
                "interval_s": _REPORT_INTERVAL_S,
                **self.limits.agent_fields(host.name),
            }
            file = self.lab.directory / f"agent-{host.name}.json"
            file.write_text(json.dumps(content))
            files[host.name] = str(file)
        return files

    def _start_servers(self) -> None:
        serving: set[str] = set()
        for workload in self.setup.workloads:
            workload.prepare(self.hosts[0])
            if workload.name not in serving:
                serving.add(workload.name)
                for host in self.hosts:
                    self.programs.callback(processes.end, workload.serve(host))

    def _configure(self) -> None:
        """Capacities, one VIP for all ports or one port, and a service for each kind of request.

        The VIP is reactive until restart_placement(): measurements before the first slice use members directly, and a proactive
        VIP translates all replies of their ports.
        """
        rest, network = self.controller.rest, self.lab.topology
        self.set_capacities()
        base = balancing.BASE
        one_port = {} if self.setup.placement == balancing.REACTIVE else {"port": str(self.setup.workloads[0].port)}
        rest.post(f"{base}/vips/", {"id": POOL, "protocol": "tcp", "address": VIP, **one_port})
        rest.post(f"{base}/pools/", {"id": POOL, "vip_id": POOL})
        for host in self.hosts:
            rest.post(f"{base}/members/", {"id": host.name, "address": network.hosts[host.name].ip, "pool_id": POOL})
        for shipped in rest.get(f"{base}/services/"):
            if shipped["id"] != "default":
                rest.delete(f"{base}/services/{shipped['id']}")
        for name, port in {workload.name: workload.port for workload in self.setup.workloads}.items():
            rest.post(f"{base}/services/", {"id": name, "protocol": "tcp", "port": port, "algorithm": "RR+SPH"})

    def _host(self, name: str) -> ServerHost:
        return next(host for host in self.hosts if host.name == name)


def second_address(address: str) -> str:
    """The second address of a client: the last byte is 20 higher."""
    ip, _, length = address.partition("/")
    first, _, last = ip.rpartition(".")
    return f"{first}.{int(last) + 20}" + (f"/{length}" if length else "")
