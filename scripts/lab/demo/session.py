"""One run of the demo, from set-up to results."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from lab import balancing, instance, processes
from lab.balancing import VirtualServer
from lab.controller import Controller
from lab.demo.tally import Tally
from lab.demo.view import LiveView, table
from lab.instance import Instance
from malob.errors import ScriptError
from malob.network import topology
from malob.system.cleanup import Cleanup
from malob.system.place import RUN_DIRECTORY
from malob.system.processes import bound_to_us
from malob.system.waiting import say, undisturbed, wait_until

NAME = "mld"
TOPOLOGY = "mesh5"
VIP = "10.0.0.100"

#: The id of VIP and pool.
KEY = "web"
PORT = 80
RATE_PER_CLIENT = 25.0
DISCOVERY_TIMEOUT_S = 40


@dataclass(frozen=True)
class Plan:
    """The options of a run. seconds: the duration of the requests. keep: leave everything running."""

    seconds: float
    openflow_port: int
    http_port: int
    keep: bool


@dataclass(frozen=True)
class Outcome:
    """The result of a run. table: the last table, as lines."""

    tally: Tally
    lab: Instance
    table: list[str]


def run(plan: Plan, view: LiveView) -> Outcome:
    """Builds everything, sends the requests and returns the result.

    Everything is removed afterwards, also after a failure and Ctrl-C, unless plan.keep is set and the run was completed.
    Raises ScriptError if something could not be set up.
    """
    network = topology.load(TOPOLOGY)
    instance.clear_leftover(NAME)
    controller = Controller(RUN_DIRECTORY / NAME, plan.openflow_port, plan.http_port)
    controller.check_ports()
    with ExitStack() as stack:
        stack.callback(_clean_up, controller)
        say(f"building the network: {network.description}")
        lab = instance.up(network, NAME, f"127.0.0.1:{plan.openflow_port}", owned=True)
        say("starting the controller")
        controller.start(keep=plan.keep)
        lab.add_process(controller.pid)
        for server in network.with_role("server"):
            processes.start_responder(lab, server.name, http=[PORT], keep=plan.keep)
        controller.wait_for(network, DISCOVERY_TIMEOUT_S)
        say(f"the controller sees {len(network.switches)} switches and {len(network.links)} links")
        say("configuring the load balancer; the same by hand:")
        virtual = balancing.set_up(controller.rest, VIP, PORT, network.with_role("server"), tell=lambda line: say(f"  {line}"), key=KEY, named=True)
        wait_until(lambda: balancing.all_located(controller.rest, virtual), "the servers to be found", 10)
        tally = _send_requests(plan, lab, controller, virtual, view)
        last = table(tally, balancing.open_connections(controller.rest, virtual), balancing.paths(controller.rest, lab.topology))
        if plan.keep:
            lab.disown()
            stack.pop_all()
    return Outcome(tally, lab, last)


def _clean_up(controller: Controller) -> None:
    with undisturbed():
        cleanup = Cleanup()
        cleanup.step("the controller", controller.stop)
        cleanup.step("the network", lambda: instance.remove_own(NAME))
        cleanup.finish()


def _send_requests(plan: Plan, lab: Instance, controller: Controller, virtual: VirtualServer, view: LiveView) -> Tally:
    clients = lab.topology.with_role("client")
    tally = Tally([server.name for server in lab.topology.with_role("server")])
    say(f"sending requests from {len(clients)} clients to http://{virtual.address}/ for {plan.seconds:g} s")
    results: queue.Queue[tuple[str, dict[str, Any] | None]] = queue.Queue()
    running = {client.name: _start_client(plan, lab, client.name, virtual, results) for client in clients}
    end = time.monotonic() + plan.seconds
    ended = 0
    try:
        while ended < len(clients):
            ended += _collect(results, tally, until=time.monotonic() + 0.5)
            view.show(
                tally, balancing.open_connections(controller.rest, virtual), balancing.paths(controller.rest, lab.topology), end - time.monotonic()
            )
            if time.monotonic() > end + 30:
                raise ScriptError("the clients did not end")
    finally:
        for process in running.values():
            processes.end(process)
    for client, process in running.items():
        if process.returncode != 0:
            tally.add_failure(f"the client on {client} ended with code {process.returncode}")
    return tally


def _start_client(
    plan: Plan,
    lab: Instance,
    client: str,
    virtual: VirtualServer,
    results: queue.Queue[tuple[str, dict[str, Any] | None]],
) -> subprocess.Popen[bytes]:
    command = processes.script(
        lab, client, processes.REQUESTER, virtual.address, str(virtual.port), "--rate", str(RATE_PER_CLIENT), "--seconds", str(plan.seconds)
    )
    process = subprocess.Popen(bound_to_us(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            results.put((client, json.loads(line)))
        process.wait()
        results.put((client, None))

    threading.Thread(target=read, daemon=True).start()
    return process


def _collect(results: queue.Queue[tuple[str, dict[str, Any] | None]], tally: Tally, until: float) -> int:
    """Counts the results that arrive before a time of the monotonic clock; returns how many clients have ended."""
    ended = 0
    while True:
        try:
            client, result = results.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return ended
        if result is None:
            ended += 1
        else:
            tally.add(client, result)
