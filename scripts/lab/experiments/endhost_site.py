"""The network of an experiment on a host with several uplinks, with a web server, and MALOB on the host when it is wanted."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Iterator, Sequence

from base.commands import run
from base.errors import ScriptError
from base.waiting import undisturbed, wait_until
from lab import multihomed, webserver
from lab.controller import bound_to_us
from lab.experiments.endhost_product import EndhostProduct
from lab.experiments.folder import Folder
from lab.multihomed import DIRECTORY, MultihomedNetwork, UplinkLine
from lab.strain import StrainMeter

#: Where nginx takes TCP, and where MPTCP (and TCP as well).
TCP_PORT, MPTCP_PORT = 80, 81

_WEB_SERVER = Path(__file__).parent / "programs" / "web_server.py"
_FILES = DIRECTORY / "files"

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


class EndhostSite:
    """A network that is up. Made by open_site()."""

    def __init__(self, network: MultihomedNetwork, folder: Folder) -> None:
        self.network = network
        self.product = EndhostProduct(network)
        self._folder = folder
        self._plain = False

    def build(self, stack: ExitStack, sizes: Sequence[int]) -> None:
        """Starts the web server. sizes: of the files that it has, in bytes; each is called by its size."""
        stack.callback(self._clean_up)
        _FILES.mkdir()
        for size in sizes:
            with open(_FILES / str(size), "wb") as out:
                out.truncate(size)
        run(self.network.on_server(["ip", "mptcp", "limits", "set", "subflow", "8", "add_addr_accepted", "8"]))
        content = f"root {_FILES}; default_type application/octet-stream; sendfile on; keepalive_timeout 30;"
        file, log = DIRECTORY / "nginx.conf", DIRECTORY / "nginx.log"
        file.write_text(webserver.configuration(DIRECTORY, "server", content, [TCP_PORT, MPTCP_PORT], master=True))
        command = [sys.executable, "-I", str(_WEB_SERVER), str(file), str(log), str(MPTCP_PORT)]
        server = self.start_on_server(command, "nginx-start.log")
        wait_until(lambda: server.poll() is not None or self._serves(), f"nginx to serve; see {log}", 15)
        if server.poll() is not None:
            raise ScriptError(f"nginx ended at once; see {log}")

    def _serves(self) -> bool:
        probe = "import socket; socket.create_connection(('127.0.0.1', 80), 1).close()"
        return subprocess.run(
            self.network.on_server([sys.executable, "-I", "-S", "-c", probe]), stderr=subprocess.DEVNULL).returncode == 0

    def start_on_server(self, command: Sequence[str], log: str) -> "subprocess.Popen[bytes]":
        """A program that ends with the network."""
        with open(DIRECTORY / log, "ab") as out:
            return subprocess.Popen(bound_to_us(self.network.on_server(command)), stdin=subprocess.DEVNULL, stdout=out,
                                    stderr=out, start_new_session=True)

    def be_plain(self) -> None:
        """A host without MALOB: sockets go where their source address says, by default over the first uplink."""
        self.product.stop()
        if not self._plain:
            self._on_host(_PLAIN)
            for number, name in enumerate(self.network.names):
                self._on_host(_PLAIN_EACH, name, self.network.address(number), self.network.gateway(number),
                              str(_FIRST_TABLE + number))
            self._plain = True

    def be_balanced(self, algorithm: str, weights: "Sequence[float | None] | None" = None) -> None:
        """A host on which MALOB chooses. weights: of uplinks, as they are told to it; None where it is to find out."""
        if self._plain:
            self._on_host(_PLAIN_OFF)
            for number in range(len(self.network.names)):
                self._on_host(_PLAIN_OFF_EACH, str(_FIRST_TABLE + number))
            self._plain = False
        self.product.start(weights or [None] * len(self.network.names))
        self.product.choose(algorithm)

    def strain_meter(self) -> StrainMeter:
        """Of the emulator, and of what MALOB consists of, if it runs."""
        return StrainMeter(self.network.emulator, self.network.shaped_devices, self.product.pids())

    def _on_host(self, script: str, *words: str) -> None:
        run(self.network.on_host(["sh", "-ec", script, "sh", *words]))

    def _clean_up(self) -> None:
        self.product.stop(keep_logs=self._folder)


@contextmanager
def open_site(lines: Sequence[UplinkLine], congestion: str, folder: Folder, sizes: Sequence[int]) -> "Iterator[EndhostSite]":
    """Inside, all is up; afterwards everything is removed, also after a failure and Ctrl-C."""
    with multihomed.open_network(lines, congestion) as network:
        site = EndhostSite(network, folder)
        with ExitStack() as stack:
            try:
                site.build(stack, sizes)
                yield site
            finally:
                with undisturbed():
                    stack.close()
