"""What a client must never get: a packet of its connection to a VIP with the member's address. One RST for it ends the connection."""

from __future__ import annotations

import time
from typing import Callable

import pytest

from lab import balancing, rules
from lab.attached.loads import KINDS, Capture, Load
from lab.attached.routers import Router
from lab.faults import switches
from malob.system import ovs
from malob.system.waiting import say
from tests.system.real_networks import PORT, VIP, RealNetworkTest, broken, untranslated

#: Client addresses of a test behind the router.
_CLIENTS = 1000

#: A switch that was emptied has its rules again after the controller has compared them, or after it has reconnected.
MAX_PAUSE_S = 3.0


@pytest.mark.real_time
class UntranslatedTest(RealNetworkTest):
    """A client at a switch and one behind a router, while members' switches lose their rules."""

    properties = {"io.malob.balancer.BalancerModule.auditSeconds": "5"}
    router: Router

    @classmethod
    def build(cls) -> None:
        cls.router = cls.add_router(0, "s1")
        cls.reach(cls.attached.host("c1"))

    def check(self, mode: str, event: Callable[[], None], unbroken: bool = True) -> None:
        """unbroken: open connections outlive the event."""
        network, client = self.router.clients.network, self.attached.host("c1")
        first = _CLIENTS * self.addresses
        near = self.own_address()
        self.service(mode)
        captures = [Capture(client), Capture(self.router.place)]
        loads = [
            Load(client, VIP, PORT, [near], KINDS, 20),
            Load(self.router.clients.place, VIP, PORT, [f"{network.address(first)}+{_CLIENTS}"], KINDS, 20),
        ]
        for load in loads:
            self.addCleanup(load.end)
        time.sleep(1)
        event()
        time.sleep(MAX_PAUSE_S + 2)
        results = [load.finish() for load in loads]
        own = {near, *(network.address(first + number) for number in range(_CLIENTS))}
        frames = [frame for capture in captures for frame in capture.end() if own & {frame["ip_src"], frame["ip_dst"]}]
        wrong = untranslated(frames, [server.ip for server in self.servers])
        held = [each for result, _ in results for each in result]
        say(f"  {mode}: untranslated {wrong}, broken {broken(held)}")
        self.assertEqual([], wrong)
        self.assertEqual([], broken(held) if unbroken else [])

    def reset_edges(self) -> None:
        """The rules of the members' switches are gone; the controller gives them back as soon as they have reconnected."""
        for server in self.servers:
            with switches.without_controller(self.lab, server.switch):
                switches.empty(self.lab, server.switch)
                time.sleep(0.5)

    def test_edges_reset_reactive(self) -> None:
        self.check(balancing.REACTIVE, self.reset_edges)

    def test_edges_reset_proactive(self) -> None:
        self.check(balancing.PROACTIVE, self.reset_edges)

    def lose(self, kind: int) -> None:
        """The members' switches lose their rules of a kind."""
        for server in self.servers:
            ovs.ofctl("del-flows", self.lab.bridge(server.switch), f"cookie={kind << 48:#x}/{0xFFFF << 48:#x}")

    def test_replies_without_a_rule_reactive(self) -> None:
        self.check(balancing.REACTIVE, lambda: self.lose(rules.REPLY), unbroken=False)

    def test_replies_without_a_rule_proactive(self) -> None:
        self.check(balancing.PROACTIVE, lambda: self.lose(rules.PROACTIVE), unbroken=False)

    def test_restart_of_the_controller_proactive(self) -> None:
        """a controller that starts anew does not know next hops yet; nothing leaves untranslated"""

        def restart() -> None:
            self.controller.kill()
            self.controller.start()
            self.wait_for_network()

        self.check(balancing.PROACTIVE, restart)
