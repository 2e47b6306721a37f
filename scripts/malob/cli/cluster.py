"""`./malob cluster`: three etcd servers on loopback, in the foreground, for a trial of several controllers; and requests to a cluster."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from malob.cli import target
from malob.cli.arguments import Parser, port
from malob.errors import MissingError, ScriptError, UsageError
from malob.rest.client import asking
from malob.system.lock import locked
from malob.system.ports import free_ports, port_is_free
from malob.system.preparation import prepare
from malob.system.processes import bound_to_us
from malob.system.waiting import orderly_end, say, undisturbed, wait_until

SERVERS = 3
_START_S = 30
_POLL_S = 0.2
_PREFIX = "malob-cluster-"
#: no proxy of the environment lies between loopback addresses
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def parser() -> Parser:
    made = Parser(
        prog="malob cluster",
        description="Starts three etcd servers on loopback for a trial of several controllers, in the foreground, and prints the option for"
        " './malob run'. Ctrl-C or SIGTERM stops them; needs no root (docs/how-to/cluster.md).",
    )
    made.add_argument("--port", metavar="N", type=port, help=f"ports N to N+{2 * SERVERS - 1} (default: free ones)")
    made.add_argument(
        "--data", metavar="DIR", type=Path, help="keep the data in DIR for the next start with the same --port (default: a temporary directory)"
    )
    made.add_argument(
        "request",
        choices=["handover", "raise-base", "mastership"],
        nargs="?",
        help="to a running controller, instead of starting etcd: 'handover' hands its switches over to other controllers; 'raise-base' lets"
        " switches accept the cluster again after etcd was restored from a backup; 'mastership' changes how the controllers share the"
        " switches",
    )
    made.add_argument("policy", choices=["single", "spread"], nargs="?", help="for 'mastership'")
    target.add_target(made)
    return made


def _request(options: argparse.Namespace) -> int:
    client = target.client(options)
    with asking(client):
        if options.request == "handover":
            print(f"{client.post('/wm/malob/cluster/handover', {})['handed_over']} switches handed over")
        elif options.request == "mastership":
            print(f"mastership: {client.put('/wm/malob/cluster/mastership', {'mastership': options.policy})['mastership']}")
        else:
            print(f"base of generation ids: {client.post('/wm/malob/cluster/generation-base', {})['generation_base']}")
    return 0


@dataclass(frozen=True)
class Server:
    """One server of etcd. peers: what all of them are called, NAME=URL,... addresses: for clients, besides loopback."""

    name: str
    client_port: int
    peer_port: int
    data: Path
    addresses: Sequence[str] = ()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.client_port}"

    @property
    def peer(self) -> str:
        return f"http://127.0.0.1:{self.peer_port}"

    @property
    def log(self) -> Path:
        return self.data.with_suffix(".log")

    def command(self, peers: str) -> Sequence[str]:
        urls = [self.url, *(f"http://{address}:{self.client_port}" for address in self.addresses)]
        return [
            "etcd",
            f"--name={self.name}",
            f"--data-dir={self.data}",
            f"--listen-client-urls={','.join(urls)}",
            f"--advertise-client-urls={self.url}",
            f"--listen-peer-urls={self.peer}",
            f"--initial-advertise-peer-urls={self.peer}",
            f"--initial-cluster={peers}",
            # a leader that fails is replaced within a second
            "--heartbeat-interval=50",
            "--election-timeout=500",
            "--logger=zap",
            "--log-outputs=stderr",
        ]

    def serves(self) -> bool:
        """Whether it has a leader."""
        try:
            with _OPENER.open(f"{self.url}/health", timeout=2) as answer:
                return bool(json.load(answer).get("health") == "true")
        except (OSError, ValueError, urllib.error.URLError):
            return False

    def last_words(self) -> str:
        try:
            lines = self.log.read_text(errors="replace").splitlines()
        except OSError:
            lines = []
        return lines[-1] if lines else "it said nothing"


def main() -> int:
    options = parser().parse_args()
    if (options.request == "mastership") != (options.policy is not None):
        raise UsageError("'mastership', and only that, needs a policy: single or spread")
    if options.request is not None:
        return _request(options)
    ports = _ports(options.port, options.data)
    prepare("cluster")
    _remove_remains(Path(tempfile.gettempdir()))
    try:
        with orderly_end(), _directory(options.data) as directory:
            names = [f"etcd-{number + 1}" for number in range(SERVERS)]
            servers = [Server(name, *pair, directory / name) for name, pair in zip(names, zip(ports[::2], ports[1::2]))]
            with running(servers) as processes:
                _serve(servers, processes)
    except KeyboardInterrupt:
        say("malob cluster: stopped")
    return 0


def _ports(first: int | None, data: Path | None) -> Sequence[int]:
    """For clients and for peers, alternately."""
    if first is None:
        if data is not None:
            # the servers find each other by what they have stored
            raise UsageError("--data needs --port: etcd stores the ports of its servers with the data")
        return free_ports(2 * SERVERS)
    ports = range(first, first + 2 * SERVERS)
    if ports[-1] > 65535:
        raise UsageError(f"--port: expected at most {65536 - 2 * SERVERS}, as {2 * SERVERS} ports are used, not {first}")
    taken = [number for number in ports if not port_is_free(number)]
    if taken:
        raise MissingError(f"port {taken[0]} is in use; end that program, or choose others with --port N")
    return ports


@contextmanager
def _directory(data: Path | None) -> Iterator[Path]:
    """For the servers' data and logs; without --data it is removed at the end, or by the next start after a crash."""
    if data is not None:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        yield data
        return
    made = Path(tempfile.mkdtemp(prefix=f"new-{_PREFIX}"))
    try:
        # a lock, not a pid: a process in another PID namespace may share the temporary directory
        with locked(_lock(made), "uses this directory", 0):
            # only now, so that it never has the name without a lock
            made = made.rename(made.with_name(made.name[len("new-") :]))
            yield made
    finally:
        with undisturbed():
            shutil.rmtree(made, ignore_errors=True)


def _lock(directory: Path) -> Path:
    return directory / "lock"


def _remove_remains(folder: Path) -> None:
    """Removes the directories of our earlier runs that were killed; their servers ended with them."""
    for directory in folder.glob(f"{_PREFIX}*"):
        if directory.lstat().st_uid == os.geteuid() and directory.is_dir():
            # if the lock is held, the run goes on
            with suppress(ScriptError), locked(_lock(directory), "removes this directory", 0):
                shutil.rmtree(directory, ignore_errors=True)


def start(server: Server, servers: Sequence[Server]) -> subprocess.Popen[bytes]:
    """Starts one of these servers; its data from before are there, if there are any."""
    # settings in the environment would change ports and names
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ETCD_")}
    command = bound_to_us(server.command(",".join(f"{each.name}={each.peer}" for each in servers)))
    with open(server.log, "ab") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True)


@contextmanager
def running(servers: Sequence[Server]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The servers run in the context; a process may be replaced in it."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for server in servers:
            processes.append(start(server, servers))
        yield processes
    finally:
        with undisturbed():
            for process in processes:
                process.terminate()
            for process in processes:
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def _serve(servers: Sequence[Server], processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Returns never; raises ScriptError if no server is left."""
    started = dict(zip(servers, processes))

    def ended() -> list[Server]:
        return [server for server, process in started.items() if process.poll() is not None]

    wait_until(lambda: ended() or all(server.serves() for server in servers), "etcd to serve", _START_S)
    for server in ended():
        raise ScriptError(f"{server.name} ended at once: {server.last_words()}")
    for server, process in started.items():
        say(f"{server.name}: {server.url}, process {process.pid}, log {server.log}")
    say("controllers of the cluster: ./malob run --node NAME with this option; Ctrl-C stops the servers")
    print(f"--etcd {','.join(server.url for server in servers)}", flush=True)
    while started:
        for server in ended():
            say(f"{server.name} has ended" + ("" if len(started) == SERVERS else "; the cluster has no quorum"))
            del started[server]
        time.sleep(_POLL_S)
    raise ScriptError("all servers have ended")
