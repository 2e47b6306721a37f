"""What the tests of routers, VLANs, legacy switches and bonds share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lab import balancing
from lab.attached import loads, networks, routers
from lab.attached.loads import Held, Load, Requests
from lab.attached.places import Attachments, Place
from lab.attached.routers import ClientNetwork, Router
from lab.balancing import VirtualServer
from malob.network.hosts import Host
from malob.system.waiting import say
from tests.system.base import SystemTest

VIP, VIP6 = "10.0.0.150", "fd00:a00::96"
#: of the servers of loads.py
PORT = 8700
#: the same servers, without a VIP
DIRECT_PORT = 8701
#: new connections per second
RATE = 300
#: how a VIP's connections can be placed, with a controller
MODES = (balancing.REACTIVE, balancing.PROACTIVE, balancing.TRACKED, balancing.EXACT)


def bonds(switch: str, ports: Sequence[int], lacp: bool = False) -> dict[str, str]:
    """The setting that makes one place of ports of a switch."""
    bond = f"00:00:00:00:00:00:00:{int(switch[1:]):02x}/{'+'.join(map(str, ports))}"
    return {"io.malob.controller.core.CoreModule.bonds": bond + (" lacp" if lacp else "")}


def broken(held: Sequence[Held]) -> list[str]:
    """Why open connections have ended, or that they hang."""
    return [f"{each.kind}: {each.error or f'silent for {each.silent_s:.1f} s'}" for each in held if each.broken()]


def untranslated(frames: Sequence[dict[str, Any]], members: Iterable[str]) -> list[dict[str, Any]]:
    """Frames of the service, to or from a member's address, as Capture gives them: wrong where clients are."""
    addresses = set(members)
    return [
        frame
        for frame in frames
        if (frame["ip_src"] in addresses and frame["port_src"] == PORT) or (frame["ip_dst"] in addresses and frame["port_dst"] == PORT)
    ]


class RealNetworkTest(SystemTest):
    """A network from lan.json, and what build() attaches to it."""

    topology_name = str(networks.LAN)
    attached: Attachments
    #: how many addresses own_address() has given
    addresses = 0

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.build()
        for server in cls.lab.topology.with_role("server"):
            for port in (PORT, DIRECT_PORT):
                loads.start_server(cls.place(server), port)

    @classmethod
    def prepare_lab(cls) -> None:
        cls.attached = Attachments(cls.lab)

    @classmethod
    def build(cls) -> None:
        """What a subclass attaches."""

    @classmethod
    def place(cls, host: Host) -> Place:
        return cls.attached.host(host.name)

    @classmethod
    def reach(cls, *places: Place) -> None:
        """Returns once these reach the servers, directly; the controller has seen them then."""
        networks.reach(places, cls.lab.topology.with_role("server"))

    @classmethod
    def add_router(cls, number: int, switch: str) -> Router:
        """A new router with clients of its own, which reach the servers."""
        router = routers.single(cls.attached, f"r{number}", switch, [f"10.0.0.{241 + number}/24"], ClientNetwork(number))
        routers.route(cls.attached, cls.lab.topology.with_role("server"), router)
        cls.reach(router.clients.place)
        return router

    @classmethod
    def own_address(cls) -> str:
        """A new address of c1 for one test: members go on with the connections of earlier ones after their VIP was deleted."""
        address = f"10.0.0.{100 + cls.addresses}"
        cls.addresses += 1
        cls.attached.host("c1").run("ip", "addr", "add", f"{address}/24", "dev", "eth0")
        return address

    def service(self, placement: str = balancing.REACTIVE, address: str = VIP, key: str = "real", **more: Any) -> VirtualServer:
        """A VIP over all servers; returns once it can be used, and proactive ones are.

        It goes when the test ends, or for the next one of that key.
        """
        self.remove_virtual(key)
        virtual = self.virtual(key, address, PORT, placement=placement, **more)
        if placement in balancing.WITH_BUCKETS:
            balancing.wait_for_proactive(self.controller.rest, key)
        return virtual

    def assert_prompt(self, requests: Requests, what: str = "") -> None:
        """No request failed, and none waited for a retransmission."""
        say(f"  {what}{': ' if what else ''}{requests}")
        self.assertEqual((0, 0), (requests.failed, requests.slow), f"{what}: {requests}")

    def assert_unbroken(self, load: Load, pause_s: float, what: str = "") -> Requests:
        """No open connection has ended or paused longer; no new one failed. Returns the new ones."""
        held, requests = load.finish()
        say(f"  {what}: {len(held)} open, longest pause {max((each.longest_s for each in held), default=0):.2f} s; {requests}")
        self.assertEqual([], broken(held), what)
        self.assertLessEqual(max((each.longest_s for each in held), default=0), pause_s, what)
        self.assertEqual(0, requests.failed, f"{what}: {requests}")
        return requests
