"""OVN's load balancer on a bridge of its own, which hosts of a lab are joined to by a second interface each.

OVN's databases and daemons are started from its programs, below the lab's directory, and end with this process at the latest. Its
bridge is in the same Open vSwitch as the lab's switches. What it has set in Open vSwitch's database is removed at the end.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from lab import processes
from lab.attached.places import Attachments
from lab.instance import Instance
from malob.errors import MissingError, ScriptError
from malob.network.hosts import Host
from malob.system import ovs
from malob.system.processes import run, succeeds
from malob.system.waiting import say, undisturbed, wait_until
from research import background

#: What the launcher prepares for it.
NEEDS = "ovn"

VIP, _PORT = "10.78.0.100", 80
_NETWORK, _GATEWAY, _GATEWAY_MAC = "10.77.0.", "10.77.0.254", "0e:4f:56:4e:00:fe"
_DEVICE = "eth1"
_SCHEMAS = Path("/usr/share/ovn")
_SWITCH, _ROUTER, _TO_ROUTER, _TO_SWITCH, _BALANCER = "hosts", "gateway", "hosts-gateway", "gateway-hosts", "balancer"
_START_S = 30


class Ovn:
    """A context manager: inside, clients reach the servers through VIP."""

    def __init__(self, lab: Instance, clients: Sequence[Host], servers: Sequence[Host], port: int = _PORT) -> None:
        """port: of the VIP and of all servers."""
        self._lab, self._clients, self._servers, self._port = lab, clients, servers, port
        self._directory = lab.directory / "ovn"
        #: of the daemon, and the suffix of its settings in Open vSwitch's database: another chassis of the machine has others
        self._chassis = self._bridge = f"{lab.name}-ovn"
        self._started = ExitStack()
        self._daemons: list[subprocess.Popen[bytes]] = []

    @property
    def pids(self) -> list[int]:
        """Of its daemons."""
        return [process.pid for process in self._daemons]

    def __enter__(self) -> Ovn:
        say("starting OVN")
        try:
            self._directory.mkdir(exist_ok=True)
            for name, schema in (("nb", "ovn-nb"), ("sb", "ovn-sb")):
                self._database(name, _SCHEMAS / f"{schema}.ovsschema")
            self._start("ovn-northd", f"--ovnnb-db={self._socket('nb')}", f"--ovnsb-db={self._socket('sb')}")
            self._configure()
            self._join_hosts()
            self._started.callback(self._forget_settings)
            ovs.vsctl("set", "Open_vSwitch", ".", *(f"external_ids:{name}={value}" for name, value in self._settings().items()))
            self._start("ovn-controller", "-n", self._chassis)
            self._nbctl("--wait=hv", "--timeout=30", "sync")
            for client in self._clients:
                wait_until(lambda: self._serves(client), f"OVN to lead {client.name} to the servers", _START_S)  # noqa: B023
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        with undisturbed():
            self._started.close()

    # --- daemons -----------------------------------------------------------------------------------

    def _database(self, name: str, schema: Path) -> None:
        if not schema.exists():
            raise MissingError(f"OVN's {schema} is missing (package ovn-common)")
        file = self._directory / f"{name}.db"
        file.unlink(missing_ok=True)
        run(["ovsdb-tool", "create", str(file), str(schema)])
        self._start("ovsdb-server", str(file), f"--remote=p{self._socket(name)}", f"--unixctl={self._directory / name}.ctl", name=name)
        wait_until(lambda: (self._directory / f"{name}.sock").exists(), f"OVN's database {name}", _START_S)

    def _socket(self, name: str) -> str:
        return f"unix:{self._directory / name}.sock"

    def _start(self, program: str, *arguments: str, name: str = "") -> None:
        place = self._directory / (name or program)
        process = background.start(["env", f"OVN_RUNDIR={self._directory}", program, *arguments, "-vconsole:info"], Path(f"{place}.log"))
        self._started.callback(processes.end, process)
        self._daemons.append(process)

    def _settings(self) -> Mapping[str, str]:
        """OVN's, in Open vSwitch's database."""
        values = {
            "ovn-remote": f'"{self._socket("sb")}"',
            "ovn-encap-type": "geneve",
            "ovn-encap-ip": "127.0.0.1",
            "ovn-bridge": self._bridge,
            "ovn-bridge-datapath-type": self._lab.datapath,
        }
        return {f"{name}-{self._chassis}": value for name, value in values.items()}

    def _forget_settings(self) -> None:
        ovs.vsctl("remove", "Open_vSwitch", ".", "external_ids", *self._settings())

    def _nbctl(self, *arguments: str) -> None:
        run(["ovn-nbctl", f"--db={self._socket('nb')}", *arguments], _START_S + 5)

    # --- network -----------------------------------------------------------------------------------

    def _addresses(self) -> dict[str, str]:
        """By host, that of its second interface."""
        return {host.name: f"{_NETWORK}{number}" for number, host in enumerate([*self._clients, *self._servers], start=1)}

    def _mac(self, host: str) -> str:
        return f"0e:4f:56:4e:00:{list(self._addresses()).index(host) + 1:02x}"

    def _configure(self) -> None:
        """A logical switch with all hosts and the balancer. Clients reach the VIP by way of a router, as it answers no ARP for it."""
        addresses = self._addresses()
        backends = ",".join(f"{addresses[server.name]}:{self._port}" for server in self._servers)
        commands = [
            ["lr-add", _ROUTER],
            ["lrp-add", _ROUTER, _TO_SWITCH, _GATEWAY_MAC, f"{_GATEWAY}/24"],
            ["ls-add", _SWITCH],
            ["lsp-add", _SWITCH, _TO_ROUTER],
            ["lsp-set-type", _TO_ROUTER, "router"],
            ["lsp-set-addresses", _TO_ROUTER, "router"],
            ["lsp-set-options", _TO_ROUTER, f"router-port={_TO_SWITCH}"],
            ["lb-add", _BALANCER, f"{VIP}:{self._port}", backends, "tcp"],
            ["ls-lb-add", _SWITCH, _BALANCER],
        ]
        for host, address in addresses.items():
            commands += [["lsp-add", _SWITCH, host], ["lsp-set-addresses", host, f"{self._mac(host)} {address}"]]
        self._nbctl(*ovs.joined(commands))

    def _join_hosts(self) -> None:
        columns = [f"datapath_type={self._lab.datapath}", "fail_mode=secure", f"external_ids:malob-lab={self._lab.name}"]
        self._started.callback(ovs.vsctl, "--if-exists", "del-br", self._bridge)
        ovs.make_bridges(self._lab.journal, {"kind": "bridges"}, {self._bridge: columns}, [])
        attached = Attachments(self._lab)
        for host, address in self._addresses().items():
            place = attached.host(host)
            port = attached.join_bridge(self._bridge, place, _DEVICE, [f"{address}/24"], self._mac(host))
            self._started.callback(place.run, "ip", "link", "del", _DEVICE)
            ovs.vsctl("set", "Interface", port, f"external_ids:iface-id={host}")
        for client in self._clients:
            attached.host(client.name).run("ip", "route", "replace", f"{VIP}/32", "via", _GATEWAY)

    def _serves(self, client: Host) -> bool:
        for process in self._daemons:
            if process.poll() is not None:
                raise ScriptError(f"a daemon of OVN has ended; see {self._directory}")
        return succeeds(self._lab.inside(client.name, ["curl", "-sf", "-m", "1", "-o", "/dev/null", f"http://{VIP}:{self._port}/"]))
