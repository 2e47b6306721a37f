"""The network of an experiment on a host with several uplinks, with a web server, and optionally MALOB on the host."""

from __future__ import annotations

import ipaddress
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lab import multihomed, webserver
from lab.multihomed import DIRECTORY, SERVER, MultihomedNetwork, UplinkLine
from lab.saturation import SaturationMeter
from malob.errors import ScriptError
from malob.system.processes import run
from malob.system.waiting import undisturbed, wait_until
from research import background
from research.experiments.endhost.product import EndhostProduct
from research.experiments.frame.folder import Folder

#: The ports on which nginx accepts TCP, and MPTCP (and TCP as well).
TCP_PORT, MPTCP_PORT = 80, 81
QUIC_PORT = 443

_WEB_SERVER = Path(__file__).parents[1] / "programs" / "web_server.py"
_FILES = DIRECTORY / "files"

#: The metric that makes it the first choice.
_FIRST_CHOICE = 'ip route replace default via "$2" dev "$1" metric 50'
_NO_FIRST_CHOICE = "ip route flush exact default metric 50"

#: Sockets with an uplink's address go over that uplink; sub-flows of MPTCP are opened from the address of each.
_PLAIN = """
ip mptcp limits set subflow 8 add_addr_accepted 8
"""
_PLAIN_EACH = """
ip rule add from "$2" lookup "$4" priority "$4"
ip route add default via "$3" dev "$1" table "$4"
ip mptcp endpoint add "$2" dev "$1" subflow
"""
_PLAIN_OFF = """
ip mptcp endpoint flush
"""
_PLAIN_OFF_EACH = """
ip rule del priority "$1"
ip route flush table "$1"
"""
_FIRST_TABLE = 1001


def origin(number: int) -> str:
    """One of the server's addresses, from 0 on."""
    return str(ipaddress.IPv4Address(SERVER) + number)


class EndhostSite:
    """A network that is up. Made by open_site()."""

    def __init__(self, network: MultihomedNetwork, folder: Folder) -> None:
        self.network = network
        self.product = EndhostProduct(network)
        self._folder = folder
        self._plain = False

    def build(self, stack: ExitStack, sizes: Sequence[int], ports: Sequence[int]) -> None:
        """Starts the web server. sizes: of its files, in bytes; the size is the name of the file."""
        stack.callback(self._clean_up)
        _FILES.mkdir()
        for size in sizes:
            with open(_FILES / str(size), "wb") as out:
                out.truncate(size)
        run(self.network.on_server(["ip", "mptcp", "limits", "set", "subflow", "8", "add_addr_accepted", "8"]))
        content = f"root {_FILES}; default_type application/octet-stream; sendfile on; keepalive_timeout 30;"
        file, log = DIRECTORY / "nginx.conf", DIRECTORY / "nginx.log"
        file.write_text(webserver.configuration(DIRECTORY, "server", content, [TCP_PORT, MPTCP_PORT, *ports], master=True))
        command = [sys.executable, "-I", str(_WEB_SERVER), str(file), str(log), str(MPTCP_PORT)]
        server = self.start_on_server(command, "nginx-start.log")
        wait_until(lambda: server.poll() is not None or self._serves(), f"nginx to serve; see {log}", 15)
        if server.poll() is not None:
            raise ScriptError(f"nginx ended at once; see {log}")

    def add_origins(self, count: int) -> None:
        """Gives the server this number of addresses, from origin(0)."""
        for number in range(1, count):
            run(self.network.on_server(["ip", "addr", "add", f"{origin(number)}/32", "dev", "lo"]))

    def start_quic(self) -> None:
        """Starts ngtcp2's server on QUIC_PORT, which sends the number of bytes in the path. Raises ScriptError."""
        key, certificate = DIRECTORY / "key.pem", DIRECTORY / "certificate.pem"
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        run(["openssl", "req", "-x509", *curve, "-days", "2", "-subj", "/CN=server", "-keyout", str(key), "-out", str(certificate)])
        command = ["gtlsserver", "*", str(QUIC_PORT), str(key), str(certificate), "-q", "--no-quic-dump", "--no-http-dump", "-d", str(_FILES)]
        server = self.start_on_server(command, "quic.log")
        wait_until(lambda: server.poll() is not None or self._serves_quic(), "the QUIC server to answer", 15)
        if server.poll() is not None:
            raise ScriptError(f"the QUIC server ended at once; see {DIRECTORY / 'quic.log'}")

    def _serves_quic(self) -> bool:
        options = ["-q", "--no-quic-dump", "--no-http-dump", "--exit-on-all-streams-close", "--timeout=1s"]
        client = ["gtlsclient", *options, "127.0.0.1", str(QUIC_PORT), f"https://127.0.0.1:{QUIC_PORT}/100"]
        done = subprocess.run(self.network.on_server(client), capture_output=True)
        return done.returncode == 0 and not done.stderr

    def _serves(self) -> bool:
        probe = "import socket; socket.create_connection(('127.0.0.1', 80), 1).close()"
        return subprocess.run(self.network.on_server([sys.executable, "-I", "-S", "-c", probe]), stderr=subprocess.DEVNULL).returncode == 0

    def start_on_server(self, command: Sequence[str], log: str) -> subprocess.Popen[bytes]:
        """A program that ends with the network."""
        return background.start(self.network.on_server(command), DIRECTORY / log)

    def start_on_host(self, command: Sequence[str], log: str) -> subprocess.Popen[bytes]:
        """A program that ends with the network."""
        return background.start(self.network.on_host(command), DIRECTORY / log)

    def be_plain(self, uplink: int = 0) -> None:
        """A host without MALOB, which uses one uplink, and all for MPTCP's further sub-flows."""
        self.product.stop()
        self._on_host(_FIRST_CHOICE, self.network.names[uplink], self.network.gateway(uplink))
        if not self._plain:
            self._on_host(_PLAIN)
            for number, name in enumerate(self.network.names):
                self._on_host(_PLAIN_EACH, name, self.network.address(number), self.network.gateway(number), str(_FIRST_TABLE + number))
            self._plain = True

    def be_balanced(self, algorithm: str, weights: Sequence[float | None] | None = None, options: Sequence[str] = ()) -> bool:
        """A host with MALOB; whether it was started for this. weights: the configured weights of its uplinks; None: MALOB
        measures capacities. options: further ones of `endhost up`."""
        if self._plain:
            self._on_host(_PLAIN_OFF)
            self._on_host(_NO_FIRST_CHOICE)
            for number in range(len(self.network.names)):
                self._on_host(_PLAIN_OFF_EACH, str(_FIRST_TABLE + number))
            self._plain = False
        started = self.product.start(weights or [None] * len(self.network.names), *options)
        self.product.choose(algorithm)
        return started

    def saturation_meter(self) -> SaturationMeter:
        """The process ids of the emulator, and of MALOB's programs, if it runs."""
        return SaturationMeter(self.network.emulator, self.network.shaped_devices, self.product.pids())

    def _on_host(self, script: str, *words: str) -> None:
        run(self.network.on_host(["sh", "-ec", script, "sh", *words]))

    def _clean_up(self) -> None:
        self.product.stop(keep_logs=self._folder)


@contextmanager
def open_site(
    lines: Sequence[UplinkLine | None], congestion: str, folder: Folder, sizes: Sequence[int], ports: Sequence[int] = ()
) -> Iterator[EndhostSite]:
    """In the context, everything is up; afterwards everything is removed, also after a failure and Ctrl-C.

    sizes: of the web server's files in bytes; the size is the name. ports: of the web server besides its usual ones.
    """
    with multihomed.open_network(lines, congestion) as network:
        site = EndhostSite(network, folder)
        with ExitStack() as stack:
            try:
                site.build(stack, sizes, ports)
                yield site
            finally:
                with undisturbed():
                    stack.close()
