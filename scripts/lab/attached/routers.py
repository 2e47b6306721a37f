"""Routers, and the many client addresses behind them.

    switch -- eth0 router eth1 -- clients (a bridge with all their routers)

The clients are one namespace, in which every address of their networks is local: each connection may come from another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Callable

from lab.attached.places import Attachments, Place
from malob.network.hosts import Host

_FORWARDING = """
sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
"""
_CLIENTS = """
sysctl -qw net.ipv6.ip_nonlocal_bind=1
ip link add lan type bridge
ip link set lan type bridge forward_delay 0 mcast_snooping 0
echo 0 >/proc/sys/net/ipv6/conf/lan/accept_dad
ip link set lan up
ip addr add "$1" dev lan
ip addr add "$2" dev lan
ip route add local "$3" dev lo
ip -6 route add local "$4" dev lo
"""


@dataclass(frozen=True)
class ClientNetwork:
    """The numbers of a network behind routers. number: tells several of them apart, from 0 to 50."""

    number: int = 0

    @property
    def prefix(self) -> str:
        """All addresses of clients."""
        return f"10.{100 + self.number}.0.0/16"

    @property
    def prefix6(self) -> str:
        return f"fd00:{100 + self.number}::/64"

    def address(self, index: int) -> str:
        """A client's address, from 0 to 65,000."""
        return f"10.{100 + self.number}.{index // 250}.{index % 250 + 1}"

    def address6(self, index: int) -> str:
        return f"fd00:{100 + self.number}::{index + 1:x}"

    @property
    def gateway(self) -> str:
        """The clients' gateway."""
        return f"10.{200 + self.number}.0.254"

    @property
    def gateway6(self) -> str:
        return f"fd00:{200 + self.number}::fe"

    def beside(self, index: int) -> tuple[str, str]:
        """Addresses on the clients' wire: 0 for the clients themselves, from 1 on for routers."""
        return f"10.{200 + self.number}.0.{index + 1}/24", f"fd00:{200 + self.number}::{index + 1:x}/64"


#: for a lab with one of them
FIRST_NETWORK = ClientNetwork()

#: Gives a place its eth0.
Join = Callable[[Place], object]


class Clients:
    """Thousands of clients behind one router or several. place: where their programs run."""

    def __init__(self, attached: Attachments, network: ClientNetwork = FIRST_NETWORK) -> None:
        self.attached, self.network = attached, network
        self.place = attached.place(f"cl{network.number}")
        self._routers = 0
        self.place.run("sh", "-ec", _CLIENTS, "sh", *network.beside(0), network.prefix, network.prefix6)

    def join(self, router: Place) -> int:
        """A cable from a router's eth1. Returns the router's number, from 1 on."""
        self._routers += 1
        device = f"r{self._routers}"
        self.attached.cable((router, "eth1"), (self.place, device))
        self.place.set_up(device)
        self.place.run("ip", "link", "set", device, "master", "lan")
        router.set_up("eth1", self.network.beside(self._routers))
        return self._routers

    def use(self, gateway: str, gateway6: str = "") -> None:
        """The default route. What has no address of its own to come from comes from the first client's, by IPv4."""
        self.place.run("ip", "route", "replace", "default", "via", gateway, "src", self.network.address(0))
        if gateway6:
            self.place.run("ip", "-6", "route", "replace", "default", "via", gateway6)


class Router:
    """A router between a switch, or a segment, and clients."""

    def __init__(self, attached: Attachments, name: str, addresses: Sequence[str], clients: Clients, join: Join) -> None:
        """addresses: on the members' side, both families. join: joins it there."""
        self.attached, self.clients = attached, clients
        self.addresses = list(addresses)
        self.place = attached.place(name)
        self.place.run("sh", "-ec", _FORWARDING)
        join(self.place)
        self.place.set_up("eth0", addresses)
        network = clients.network
        self.number = clients.join(self.place)
        clients_address, clients_address6 = (each.partition("/")[0] for each in network.beside(0))
        self.place.run("ip", "route", "add", network.prefix, "via", clients_address)
        self.place.run("ip", "-6", "route", "add", network.prefix6, "via", clients_address6)

    @property
    def mac(self) -> str:
        return self.place.run("cat", "/sys/class/net/eth0/address").strip()

    def limit(self, mtu: int) -> None:
        """The path MTU towards the clients."""
        network = self.clients.network
        for family, prefix, index in (("-4", network.prefix, 0), ("-6", network.prefix6, 1)):
            via = network.beside(0)[index].partition("/")[0]
            self.place.run("ip", family, "route", "replace", prefix, "via", via, "mtu", str(mtu))

    def die(self) -> None:
        """From now on it neither hears nor speaks, and all its ports are up."""
        self.place.fall_silent("eth0", "eth1")

    def unplug(self) -> None:
        """Its port at the clients goes down, so that it has no one to tell, and with it the switch's one."""
        for device in ("eth1", "eth0"):
            self.place.run("ip", "link", "set", device, "down")


def single(attached: Attachments, name: str, switch: str, addresses: Sequence[str], network: ClientNetwork = FIRST_NETWORK) -> Router:
    """A router at a switch with clients of its own, which use it."""
    clients = Clients(attached, network)
    router = Router(attached, name, addresses, clients, lambda place: attached.join(switch, place))
    router.place.run("ip", "addr", "add", f"{network.gateway}/24", "dev", "eth1")
    router.place.run("ip", "addr", "add", f"{network.gateway6}/64", "dev", "eth1", "nodad")
    clients.use(network.gateway, network.gateway6)
    return router


def route(attached: Attachments, hosts: Iterable[Host | Place], router: Router) -> None:
    """Hosts reach a router's clients by it."""
    network = router.clients.network
    ways: Mapping[str, str] = {network.prefix: router.addresses[0], network.prefix6: router.addresses[1] if len(router.addresses) > 1 else ""}
    for host in hosts:
        place = host if isinstance(host, Place) else attached.host(host.name)
        for prefix, address in ways.items():
            if address:
                place.run("ip", "-6" if ":" in prefix else "-4", "route", "replace", prefix, "via", address.partition("/")[0])
