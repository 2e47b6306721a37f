"""The host of `bench endhost` in each compared case: with MALOB, with os-ken instead, and with neither."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

from lab.multihomed import SERVER
from malob.endhost.controller import Controller, make_archive
from malob.endhost.names import BRIDGE
from malob.endhost.options import Settings
from malob.endhost.place import Place
from malob.system.ports import free_port
from malob.system.processes import run, succeeds
from malob.system.waiting import undisturbed, wait_until
from research.bench.osken import OsKen
from research.experiments.endhost.site import TCP_PORT, EndhostSite

#: The compared cases, in the order of the table. "none" is a host without switch and controller, on one uplink.
MALOB, OSKEN, NONE = "malob", "os-ken", "none"
WAYS = (MALOB, OSKEN, NONE)

_ALGORITHM = "RR"
_OSKEN_PORT = 6654

#: The inside port of MALOB's bridge; the uplinks' ports follow.
_FIRST_PORT = 1
_REACH = f"import socket; socket.create_connection(('{SERVER}', {TCP_PORT}), 2).close()"


class Ways:
    """A case on one host; begin() sets it up, end() restores the host."""

    def __init__(self, site: EndhostSite, directory: Path) -> None:
        """directory: for files of os-ken."""
        self._site, self._directory = site, directory
        self._osken = OsKen(directory, _OSKEN_PORT, site.network.on_host)
        self._stopped: int | None = None

    def begin(self, way: str) -> dict[str, int]:
        """Returns once flows are forwarded, with the ids of the measured processes by name."""
        if way == NONE:
            self._site.be_plain()
            return {}
        self._site.be_balanced(_ALGORITHM)
        if way == MALOB:
            supervisor = self._site.network.pid_on_host("command.py malob.cli.endhost up")
            assert supervisor is not None
            found = {"controller": self._site.product.pids()["controller"], "supervisor": supervisor}
        else:
            self._replace()
            found = {"controller": self._osken.pid}
            wait_until(self._reaches, "the server to be reached by os-ken", 15, detail=self._osken.last_words)
        return found

    def _replace(self) -> None:
        """os-ken takes over MALOB's switch; MALOB's controller is suspended, which its supervisor does not notice."""
        status = self._site.product.status()
        assert status["connected"]
        for port, end in enumerate((status["inside"], *status["uplinks"]), _FIRST_PORT):
            end["number"] = port
        controller = self._site.product.pids()["controller"]
        self._osken.launch(status)
        os.kill(controller, signal.SIGSTOP)
        self._stopped = controller
        self._vsctl("set-controller", BRIDGE, f"tcp:127.0.0.1:{_OSKEN_PORT}", "--", "set", "Controller", BRIDGE, "max_backoff=1000")

    def _vsctl(self, *words: str) -> None:
        root = self._site.network.host_root
        directory = next((root / "run/malob/endhost").glob("*/openvswitch"))
        run(self._site.network.on_host(["env", f"OVS_RUNDIR=/{directory.relative_to(root)}", "ovs-vsctl", *words]))

    def _reaches(self) -> bool:
        return succeeds(self._site.network.on_host(["python3", "-I", "-S", "-c", _REACH]))

    def end(self) -> None:
        """Ends the running case, so that the next one starts from scratch."""
        with undisturbed():
            self._osken.stop()
            if self._stopped is not None:
                os.kill(self._stopped, signal.SIGCONT)
                self._stopped = None
            self._site.product.stop()


def start_seconds(way: str, directory: Path) -> float:
    """The start time of a controller without a host, from its command until it listens; for MALOB's, until it answers."""
    port = free_port()
    if way == OSKEN:
        osken = OsKen(directory, port)
        try:
            began = time.monotonic()
            osken.launch({"inside": {}, "uplinks": []})
            osken.wait_here()
            return time.monotonic() - began
        finally:
            osken.stop()
    place = Place(f"bench-{os.getpid()}")
    controller = Controller(place, Settings((), openflow_port=port, http_port=free_port()))
    make_archive(place.directory)
    try:
        began = time.monotonic()
        controller.launch()
        wait_until(controller.answers, "the controller to answer", 60, 0.01)
        return time.monotonic() - began
    finally:
        controller.stop()
        shutil.rmtree(place.directory, ignore_errors=True)
