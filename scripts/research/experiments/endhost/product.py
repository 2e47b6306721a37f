"""MALOB on the host of an experiment: the users' command and the REST interface."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

from lab.multihomed import MultihomedNetwork
from lab.program import Program
from malob.errors import ScriptError
from malob.rest.client import Answer, RestClient, RestError, Target
from malob.system.place import ROOT
from malob.system.processes import run
from malob.system.waiting import wait_until
from research.experiments.frame.folder import Folder

BASE = "/wm/malob/endhost"
_PORT = 8080
_RELAY = Path(__file__).parents[1] / "programs" / "rest_relay.py"
_MAX_FLOWS = 5000
_START_TIMEOUT_S = 60


class RelayedRestClient(RestClient):
    """For a REST interface that is only reachable in a network namespace. A program there makes the requests, one at a time. Must be closed."""

    def __init__(self, inside: Callable[[Sequence[str]], list[str]], port: int, token: str | None = None) -> None:
        """inside: converts a command to run on the host."""
        super().__init__(Target("http", "127.0.0.1", port, token))
        self._turn = threading.Lock()
        self._relay = Program(inside([sys.executable, "-I", str(_RELAY), str(port)]), "the relay has ended")

    def _exchange(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> Answer:
        with self._turn:
            try:
                self._relay.say({"method": method, "path": path, "body": body and json.loads(body), "headers": dict(headers)})
                answer = self._relay.answer()
            except (OSError, ValueError, ScriptError) as error:
                raise RestError(f"{method} {path}: the relay has ended ({error})", 0) from None
        if answer["status"] == 0:
            raise RestError(f"{method} {path}: no answer from the controller ({answer['text']})", 0)
        return Answer(answer["status"], {}, answer["text"])

    def close(self) -> None:
        """Ends the program."""
        self._relay.kill()


class EndhostProduct:
    """Started and stopped as often as needed; initially it does not run."""

    def __init__(self, network: MultihomedNetwork) -> None:
        self._network = network
        self._settings: tuple[list[float | None], tuple[str, ...]] | None = None
        self._rest: RelayedRestClient | None = None

    @property
    def rest(self) -> RelayedRestClient:
        """Its REST interface. Raises ScriptError if it does not run."""
        if self._rest is None:
            raise ScriptError("MALOB does not run on the host")
        return self._rest

    def start(self, weights: Sequence[float | None], *options: str) -> bool:
        """Returns once it carries flows: whether it was started; it was not if it runs with these weights and options.

        weights: by uplink; None for none.
        """
        settings = (list(weights), options)
        if self._rest is not None and self._settings == settings:
            return False
        self.stop()
        words = [str(ROOT / "malob"), "endhost", "up", *options]
        for number, (name, weight) in enumerate(zip(self._network.names, weights)):
            uplink = f"{name}={self._network.gateway(number)}"
            words += ["--uplink", uplink if weight is None else f"{uplink},weight={weight:g}"]
        run(self._network.on_host(words), timeout_s=_START_TIMEOUT_S)
        self._settings = settings
        token = next((self._network.host_root / "run/malob/endhost").glob("*/token")).read_text(encoding="ascii").strip()
        self._rest = RelayedRestClient(self._network.on_host, _PORT, token)
        _keep_punctual(self.pids()["ovs-vswitchd"])
        wait_until(self._alive, "all uplinks to be alive", _START_TIMEOUT_S, detail=lambda: str(self.status()["uplinks"]))
        return True

    def _alive(self) -> bool:
        status = self.status()
        return bool(status["configured"] and status["connected"]) and all(uplink["alive"] for uplink in status["uplinks"])

    def status(self) -> dict[str, Any]:
        return self.rest.get(BASE)

    def choose(self, algorithm: str) -> None:
        """From the next flow on."""
        self.rest.put(f"{BASE}/algorithm", {"algorithm": algorithm})

    def record_capacity(self, uplink: str, mbps: float | None) -> None:
        """Sets the capacity of the uplink from now on; None: MALOB measures it."""
        self.rest.put(f"{BASE}/uplinks/{uplink}", {"capacity_bps": None if mbps is None else round(mbps * 1e6)})

    def received_bytes_from(self, port: int) -> int | None:
        """The bytes received so far by the newest TCP flow to a port of any server; None if there is none."""
        flows = self.rest.get(f"{BASE}/flows?limit={_MAX_FLOWS}")
        return next((flow["bytes_received"] for flow in flows if (flow["protocol"], flow["destination_port"]) == ("tcp", port)), None)

    def pids(self) -> dict[str, int]:
        """The process ids of its programs, by name; empty if it does not run."""
        if self._rest is None:
            return {}
        found = {}
        for file in (self._network.host_root / "run/malob/endhost").glob("*/openvswitch/ovs-vswitchd.pid"):
            found["ovs-vswitchd"] = int(file.read_text())
        controller = self._network.pid_on_host("io.malob.controller.ControllerProcess")
        if controller is not None:
            found["controller"] = controller
        return found

    def stop(self, keep_logs: Folder | None = None) -> None:
        """Stops it and restores the host's network; does nothing if it does not run."""
        if self._rest is None:
            return
        self._rest.close()
        self._rest = None
        run(self._network.on_host([str(ROOT / "malob"), "endhost", "down"]), timeout_s=_START_TIMEOUT_S)
        if keep_logs is not None:
            for log in (self._network.host_root / "run/malob").glob("**/*.log"):
                keep_logs.keep(log)


def _keep_punctual(pid: int) -> None:
    """Gives the switch daemon precedence over other programs, like the lab's own: it limits the quality of the links."""
    try:
        os.sched_setscheduler(pid, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        # SaturationMeter reports it if it matters
        pass
