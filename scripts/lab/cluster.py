"""Several controllers on a management network, and three etcd servers out here; see management.py."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from lab.controller import Controller
from lab.management import Management
from malob.cli.cluster import SERVERS, Server, running, start
from malob.errors import ScriptError
from malob.system.ports import free_ports
from malob.system.waiting import undisturbed, wait_until

_OPENFLOW_PORT, _HTTP_PORT = 6653, 8080
_ETCD_START_S = 30
_CLUSTER = "/wm/malob/cluster"


class ClusterController(Controller):
    """A controller in a namespace of its own."""

    def __init__(self, management: Management, number: int, directory: Path, etcd: EtcdServers) -> None:
        """number: from 1."""
        directory.mkdir()
        self.number = number
        self.name = directory.name
        self._management = management
        # the management network is this machine's own
        options = ("--insecure", "--etcd", etcd.seen_from(management.etcd_address(number)), "--node", self.name)
        super().__init__(directory, _OPENFLOW_PORT, _HTTP_PORT, options=options, address=management.address(number))

    def check_ports(self) -> None:
        """Nothing else is in its namespace."""

    def _command(self) -> list[str]:
        return self._management.inside(self.number, super()._command())

    def masters(self) -> Mapping[str, str]:
        """The master of each switch that has one, as this controller sees it."""
        return {line["switch"]: line["master"] for line in self._switches() if line["master"]}

    def ruled(self) -> set[str]:
        """The switches of which it is master, by its own account."""
        return {line["switch"] for line in self._switches() if line["role"] == "master"}

    def _switches(self) -> Sequence[Mapping[str, str]]:
        found: Sequence[Mapping[str, str]] = self.rest.get(_CLUSTER)["cluster"]["switches"]
        return found

    def nodes(self) -> Mapping[str, int]:
        """How many switches each live controller is connected to, by name."""
        return {node["name"]: node["switches"] for node in self.rest.get(_CLUSTER)["cluster"]["nodes"]}


class EtcdServers:
    """Three servers. Made by etcd_servers()."""

    def __init__(self, servers: Sequence[Server], processes: list[subprocess.Popen[bytes]]) -> None:
        self._servers, self._processes = servers, processes

    def seen_from(self, address: str) -> str:
        """What the option --etcd needs."""
        return ",".join(f"http://{address}:{server.client_port}" for server in self._servers)

    def wait(self) -> None:
        """Returns once all serve."""
        wait_until(lambda: all(server.serves() for server in self._servers), "etcd to serve", _ETCD_START_S)

    @contextmanager
    def down(self, count: int) -> Iterator[None]:
        """Kills so many servers, and starts them again with their data."""
        for process in self._processes[:count]:
            process.kill()
            process.wait()
        try:
            yield
        finally:
            with undisturbed():
                for number in range(count):
                    self._processes[number] = start(self._servers[number], self._servers)
        self.wait()


@contextmanager
def etcd_servers(directory: Path, management: Management) -> Iterator[EtcdServers]:
    """Runs them in the context, once they have a leader; the controllers of a management network reach them."""
    ports = free_ports(2 * SERVERS)
    addresses = [management.etcd_address(number) for number in management.numbers]
    servers = [
        Server(f"etcd-{number}", *pair, directory / f"etcd-{number}", addresses) for number, pair in enumerate(zip(ports[::2], ports[1::2]), start=1)
    ]
    with running(servers) as processes:
        made = EtcdServers(servers, processes)
        made.wait()
        for process in processes:
            if process.poll() is not None:
                raise ScriptError("a server of etcd has ended at once")
        yield made
