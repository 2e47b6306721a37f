"""One run of the demo, from set-up to results."""

from __future__ import annotations

import json
import queue
import time
from dataclasses import dataclass
from typing import Any, Union

from lab import balancing, instance, processes
from lab.balancing import VirtualServer
from lab.controller import Controller
from lab.demo.screen import LiveView, table
from lab.demo.tally import Tally
from lab.instance import Instance
from lab.program import Program
from lab.site import Site
from malob.errors import ScriptError
from malob.network import topology
from malob.system.place import RUN_DIRECTORY
from malob.system.waiting import say, wait_until

NAME = "mld"
TOPOLOGY = "mesh5"
VIP = "10.0.0.100"

#: The id of VIP and pool.
KEY = "web"
PORT = 80
RATE_PER_CLIENT = 25.0
DISCOVERY_TIMEOUT_S = 40

#: A client, and one of its results; once it has ended, its exit code.
_Results = queue.Queue[tuple[str, Union[dict[str, Any], int]]]


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


class DemoSite(Site):
    """The demo's network with its controller, servers and VIP."""

    virtual: VirtualServer

    def __init__(self, plan: Plan) -> None:
        super().__init__(topology.load(TOPOLOGY), NAME, ports=(plan.openflow_port, plan.http_port), outlives=plan.keep)
        self._plan = plan

    def prepare_lab(self) -> None:
        for server in self.lab.topology.with_role("server"):
            processes.start_responder(self.lab, server.name, http=[PORT], keep=self._plan.keep)
        say("starting the controller")

    def wait_for_network(self) -> None:
        network = self.lab.topology
        self.controller.wait_for(network, DISCOVERY_TIMEOUT_S)
        say(f"the controller sees {len(network.switches)} switches and {len(network.links)} links")

    def build(self) -> None:
        say("configuring the load balancer; the same by hand:")
        servers = self.lab.topology.with_role("server")
        self.virtual = balancing.set_up(self.rest, VIP, PORT, servers, tell=lambda line: say(f"  {line}"), key=KEY, named=True)
        wait_until(lambda: balancing.all_located(self.rest, self.virtual), "the servers to be found", 10)

    def state(self) -> tuple[dict[str, int], dict[tuple[str, str], list[str]]]:
        """The open connections by server, and the paths by client and server."""
        return balancing.open_connections(self.rest, self.virtual), balancing.paths(self.rest, self.lab.topology)


def run(plan: Plan, view: LiveView) -> Outcome:
    """Builds everything, sends the requests and returns the result.

    Everything is removed afterwards, also after a failure and Ctrl-C, unless plan.keep is set and the run was completed.
    Raises ScriptError if something could not be set up.
    """
    instance.clear_leftover(NAME)
    Controller(RUN_DIRECTORY / NAME, plan.openflow_port, plan.http_port).check_ports()
    with DemoSite(plan) as site:
        tally = _send_requests(plan, site, view)
        last = table(tally, *site.state())
        if plan.keep:
            site.leave()
    return Outcome(tally, site.lab, last)


def _send_requests(plan: Plan, site: DemoSite, view: LiveView) -> Tally:
    network = site.lab.topology
    clients = network.with_role("client")
    tally = Tally([server.name for server in network.with_role("server")])
    say(f"sending requests from {len(clients)} clients to http://{VIP}/ for {plan.seconds:g} s")
    results: _Results = queue.Queue()
    programs = [_start_client(plan, site.lab, client.name, results) for client in clients]
    end = time.monotonic() + plan.seconds
    ended = 0
    try:
        while ended < len(clients):
            ended += _collect(results, tally, until=time.monotonic() + 0.5)
            view.show(tally, *site.state(), end - time.monotonic())
            if time.monotonic() > end + 30:
                raise ScriptError("the clients did not end")
    finally:
        for program in programs:
            program.end()
    return tally


def _start_client(plan: Plan, lab: Instance, client: str, results: _Results) -> Program:
    options = ["--rate", str(RATE_PER_CLIENT), "--seconds", str(plan.seconds)]
    program = Program(processes.script(lab, client, processes.REQUESTER, VIP, str(PORT), *options), f"the client on {client} has ended")
    program.follow(lambda line: results.put((client, json.loads(line))), lambda: results.put((client, program.wait())))
    return program


def _collect(results: _Results, tally: Tally, until: float) -> int:
    """Counts the results that arrive before a time of the monotonic clock; returns how many clients have ended."""
    ended = 0
    while True:
        try:
            client, result = results.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return ended
        if not isinstance(result, int):
            tally.add(client, result)
            continue
        ended += 1
        if result != 0:
            tally.add_failure(f"the client on {client} ended with code {result}")
