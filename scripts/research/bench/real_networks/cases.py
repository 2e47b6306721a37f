"""The cases of `bench real-networks`: each builds its network, and gives its rows."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from lab import balancing
from lab.attached import gateways, loads, networks, routers
from lab.attached.gateways import GatewayPair
from lab.attached.loads import KINDS, Capture, EachOnce, Held, Load, Requests
from lab.attached.places import Place
from lab.attached.routers import ClientNetwork, Clients, Router
from lab.attached.segments import Segment
from lab.attached.uplinks import HostUplinks
from lab.processes import RESPONDER
from malob.errors import ScriptError
from malob.system.waiting import say, wait_until
from research.bench.real_networks.site import DIRECT_PORT, PORT, VIP, VIP6, NetworkSite, Row

MODES = (balancing.REACTIVE, balancing.PROACTIVE)
WITHOUT = "no controller"
FEW = 20
VLAN = 100
OPEN, NEW_PER_S = 20, 100
MAX_PAUSE_S = 1.0
_SIZE, _FETCHES = 200_000, 50
_LABEL = "0a:4d:4c"
UDP_PORT = 8702
_DATAGRAMS = 10
_ECHO = (8, 128)
#: Prints how many datagrams were answered.
_ASK = """
import socket, sys
answered = 0
with socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM) as asking:
    asking.settimeout(2)
    for _ in range(int(sys.argv[3])):
        asking.sendto(b"x", (sys.argv[1], int(sys.argv[2])))
        try:
            answered += bool(asking.recv(2000))
        except TimeoutError:
            pass
print(answered)
"""


@dataclass(frozen=True)
class Scale:
    """How large a run is. addresses: of clients behind routers; rate: new ones per second; watch_s: how long a segment's table is watched."""

    addresses: int
    rate: float
    watch_s: float


def _rows(case: str, placements: Sequence[str], measure: Callable[[Row], None]) -> Iterator[Row]:
    """A row for each placement. A service that cannot be set up is a failure, not the end of the run."""
    for placement in placements:
        row = Row(case, placement)
        try:
            measure(row)
        except ScriptError as failure:
            say(f"{case}, {placement}: {failure}")
            row.wrong.append(str(failure))
        yield row


# --- routers -------------------------------------------------------------------------------------


def many_addresses(directory: Path, scale: Scale) -> Iterator[Row]:
    """Client addresses behind two routers, each once."""
    with NetworkSite(directory) as site:
        pair = []
        for number, switch in enumerate(("s1", "s2")):
            router = routers.single(site.attached, f"r{number}", switch, [f"10.0.0.{241 + number}/24"], ClientNetwork(number))
            routers.route(site.attached, site.servers, router)
            pair.append(router)
        site.reach(*(router.clients.place for router in pair))
        used = 0

        def each_once(count: int) -> Requests:
            nonlocal used
            running = [
                EachOnce(router.clients.place, VIP, PORT, scale.rate / 2, [f"{router.clients.network.address(used)}+{count // 2}"]) for router in pair
            ]
            used += count // 2
            return running[0].result() + running[1].result()

        def measure(row: Row) -> None:
            with site.service(balancing.REACTIVE if row.placement == balancing.REACTIVE else balancing.PROACTIVE):
                few = each_once(FEW)
                before = networks.settled_rules(site.lab)
                if row.placement == WITHOUT:
                    site.controller.kill()
                try:
                    many = each_once(scale.addresses)
                    after = networks.settled_rules(site.lab)
                finally:
                    if row.placement == WITHOUT:
                        site.controller.start()
                        site.wait_for_network()
            for found in (few, many):
                row.add(found)
            row.figures.update(rules_few=before, rules_many=after, median_ms=many.median_ms, slowest_s=many.slowest_s)
            row.require(not row.failed and not row.slow, "not all were served at once")
            row.require(before == after, "the number of rules depends on the number of addresses")

        yield from _rows(f"{scale.addresses:,} addresses, 2 routers", (*MODES, WITHOUT), measure)


def failovers(directory: Path, _: Scale) -> Iterator[Row]:
    """A router takes over from another one under load."""
    with NetworkSite(directory) as site:
        count = 0

        def behind_one_port(number: int) -> tuple[routers.Join, routers.Join]:
            segment = Segment(site.attached, f"sw{number}")
            segment.join_switch("s1")
            return segment.join, segment.join

        def at_two_switches(_: int) -> tuple[routers.Join, routers.Join]:
            return lambda place: site.attached.join("s1", place), lambda place: site.attached.join("s2", place)

        def measure(row: Row, kind: str, event: Callable[[GatewayPair], float], joins: Callable[[int], tuple[routers.Join, routers.Join]]) -> None:
            nonlocal count
            pair = GatewayPair(site.attached, kind, joins(count), ClientNetwork(count))
            count += 1
            try:
                for server in site.servers:
                    site.attached.host(server.name).run("ip", "route", "replace", pair.clients.network.prefix, "via", pair.address)
                site.reach(pair.clients.place)
                with site.service(row.placement):
                    _fail_over(row, pair, event)
            finally:
                pair.end()

        events: Mapping[str, Callable[[GatewayPair], float]] = {
            "dies": GatewayPair.die,
            "unplugged": GatewayPair.unplug,
            "hands over": GatewayPair.hand_over,
        }
        for kind in gateways.KINDS:
            for name, event in events.items():
                yield from _rows(f"gateway {name}, {kind}", MODES, lambda row: measure(row, kind, event, at_two_switches))  # noqa: B023
        yield from _rows("gateway dies, one port", MODES, lambda row: measure(row, gateways.ADDRESS, GatewayPair.die, behind_one_port))


def _fail_over(row: Row, pair: GatewayPair, event: Callable[[GatewayPair], float]) -> None:
    network, place = pair.clients.network, pair.clients.place
    member = "10.0.0.11"
    direct = Load(place, member, DIRECT_PORT, [f"{network.address(5000)}+8"], KINDS)
    load = Load(place, VIP, PORT, [f"{network.address(0)}+5000"], [*KINDS, *["download"] * (OPEN - len(KINDS))], NEW_PER_S)
    try:
        time.sleep(2)
        took_s = event(pair)
        time.sleep(5)
        straight, _ = direct.finish()
        held, new = load.finish()
    finally:
        direct.end()
        load.end()
    own_s = _longest(straight)
    _opened(row, held, new)
    row.figures.update(switch_over_s=took_s, direct_pause_s=own_s, pause_s=_longest(held), slowest_s=new.slowest_s)
    row.require(not row.broken and not row.failed, "connections broke")
    row.require(_longest(held) <= own_s + MAX_PAUSE_S, "an open connection paused too long")


def _opened(row: Row, held: Sequence[Held], new: Requests) -> None:
    ended = [each for each in held if each.broken()]
    for each in ended:
        say(f"  broken, {each.kind}: {each.error or f'silent for {each.silent_s:.1f} s'}")
    row.open, row.broken = len(held), len(ended)
    row.add(new)


def _longest(held: Sequence[Held]) -> float:
    return max((each.longest_s for each in held), default=0.0)


# --- legacy switches -----------------------------------------------------------------------------


def segments(directory: Path, scale: Scale) -> Iterator[Row]:
    """Two and three OpenFlow switches at one legacy switch."""
    for count in (2, 3):
        with NetworkSite(directory, islands=True) as site:
            segment = Segment(site.attached, "sw")
            switches = list(site.lab.topology.switches)[:count]
            for switch in switches:
                segment.join_switch(switch)
            client, bystander = segment.host("lc", ["10.0.0.21/24"]), segment.host("lb", ["10.0.0.22/24"])
            clients = Clients(site.attached)
            router = Router(site.attached, "lr", ["10.0.0.241/24"], clients, segment.join)
            router.place.run("ip", "addr", "add", f"{clients.network.gateway}/24", "dev", "eth1")
            clients.use(clients.network.gateway)
            routers.route(site.attached, site.servers, router)
            island = site.attached.place("oc")
            site.attached.join(switches[-1], island, addresses=["10.0.0.23/24"])
            site.reach(client, island, clients.place)
            sources = {client: "10.0.0.21", island: "10.0.0.23", clients.place: f"{clients.network.address(0)}+{_FETCHES}"}

            def measure(row: Row) -> None:
                with site.service(row.placement):
                    _on_segment(row, site, segment, bystander, sources, scale.watch_s / 2)  # noqa: B023

            yield from _rows(f"segment with {count} switches", MODES, measure)


def _on_segment(row: Row, site: NetworkSite, segment: Segment, bystander: Place, sources: Mapping[Place, str], watch_s: float) -> None:
    """Fetches by all, then again and again, and a download that goes on."""
    client = next(iter(sources))
    for place, source in sources.items():
        row.add(loads.each_once(place, VIP, PORT, 20, [source] * (1 if "+" in source else _FETCHES), _SIZE))
    watch, capture, before = segment.watch(), Capture(bystander), site.packet_ins()
    load = Load(client, VIP, PORT, [sources[client]], ["download", "upload"])
    try:
        fetches = Requests([])
        end = time.monotonic() + watch_s
        while time.monotonic() < end:
            for place, source in sources.items():
                fetches += loads.each_once(place, VIP, PORT, 20, [source.partition("+")[0]], _SIZE)
            time.sleep(2)
        held, _ = load.finish()
    finally:
        load.end()
        moved = {mac: ports for mac, ports in watch.end().items() if len(ports) > 1}
        frames = capture.end()
    _opened(row, held, fetches)
    flooded = sum(frame["count"] for frame in frames if VIP in (frame["ip_src"], frame["ip_dst"]) or frame["dst"].startswith(_LABEL))
    row.figures.update(macs_at_several_ports=len(moved), third_port_frames=flooded, packet_ins=site.packet_ins() - before, pause_s=_longest(held))
    row.require(not row.failed and not row.slow and not row.broken, "not all fetches completed at once")
    row.require(not moved, f"MACs at several ports: {moved}")
    row.require(not flooded, "frames of the VIP at a third port")


# --- VLANs, bonds, LOCAL -------------------------------------------------------------------------


def vlans(directory: Path, _: Scale) -> Iterator[Row]:
    """Tagged and untagged hosts, in both families: TCP, UDP, pings and health checks."""
    with NetworkSite(directory) as site:
        client = HostUplinks(site.attached, "tc", ["10.0.0.31/24", "fd00:a00::1f/64"], ["s1"], VLAN)
        member = HostUplinks(site.attached, "tm", ["10.0.0.41/24", "fd00:a00::29/64"], ["s2"], VLAN)
        loads.start_server(member.place, PORT)
        for host in (site.attached.host(site.servers[0].name), member.place):
            host.start(host.script(RESPONDER, host.name, "--udp", str(UDP_PORT)))
        plain, tagged = (site.attached.host("c1"), ("10.0.0.1", "fd00:a00::a00:1")), (client.place, ("10.0.0.31", "fd00:a00::1f"))
        at_member = ("10.0.0.41", "fd00:a00::29")
        servers = (site.servers[0].ip, site.servers[0].ip6)
        kinds = {
            "both tagged": (tagged, VLAN, at_member, VLAN),
            "tagged client": (tagged, VLAN, servers, 0),
            "tagged member": (plain, 0, at_member, VLAN),
        }
        site.reach(plain[0])

        def measure(row: Row, family: int, name: str) -> None:
            (place, sources), vlan, members, members_vlan = kinds[name]
            address = (VIP, VIP6)[family]
            here = Place("wires", None)
            wires = {VLAN: [client.at_switch[0], member.at_switch[0]], 0: [site.lab.device(host) for host in site.lab.topology.hosts]}
            captures = [(tag, Capture(here, device)) for tag, devices in wires.items() for device in devices]
            try:
                with site.service(row.placement, address, [members[family]], vlan, members_vlan):
                    row.add(loads.each_once(place, address, PORT, 20, [sources[family]] * _FETCHES, _SIZE))
                    for kind in ("TCP", "PING"):
                        site.monitor(kind)
                        _wait_for_health(row, site, kind)
                        site.rest.delete(f"{balancing.BASE}/health_monitors/real")
                with site.service(row.placement, address, [members[family]], vlan, members_vlan, "udp", UDP_PORT):
                    row.count(_DATAGRAMS, int(place.run(sys.executable, "-I", "-c", _ASK, address, str(UDP_PORT), str(_DATAGRAMS))))
                with site.service(balancing.REACTIVE, address, [members[family]], vlan, members_vlan, "icmp", _ECHO[family]):
                    words = place.run("ping", "-n", "-c", str(_DATAGRAMS), "-i", "0.1", "-W", "2", address, check=False)
                    row.count(_DATAGRAMS, words.count(" bytes from "))
            finally:
                frames = [(tag, frame) for tag, capture in captures for frame in capture.end()]
            own = {address, members[family]}
            wrong = sum(frame["count"] for tag, frame in frames if own & {frame["ip_src"], frame["ip_dst"]} and _is_wrong(frame, tag))
            row.figures.update(wrong_tags=wrong)
            row.require(not row.failed and not row.slow, "not all were served at once")
            row.require(not wrong, "packets with a wrong tag")

        for name in kinds:
            for family, words in enumerate(("IPv4", "IPv6")):
                # members of a proactive VIP have its VLAN
                modes = MODES if kinds[name][1] == kinds[name][3] else MODES[:1]
                yield from _rows(f"VLAN, {name}, {words}", modes, lambda row: measure(row, family, name))  # noqa: B023


def _is_wrong(frame: Mapping[str, Any], tag: int) -> bool:
    """What is for one host only has that host's tag."""
    return frame["vlan"] != tag and not int(frame["dst"][:2], 16) & 1


def _wait_for_health(row: Row, site: NetworkSite, kind: str) -> None:
    try:
        wait_until(lambda: {member["health"] for member in site.members()} == {"up"}, "members to be up", 6)
    except ScriptError:
        row.wrong.append(f"a {kind} monitor finds members {sorted({str(member['health']) for member in site.members()})}")


def bonds(directory: Path, _: Scale) -> Iterator[Row]:
    """An active-backup bond of a member, and one of a client, uses its other leg during downloads."""
    with NetworkSite(directory) as site:
        member = HostUplinks(site.attached, "bm", ["10.0.0.51/24"], ["s2", "s3"])
        client = HostUplinks(site.attached, "bc", ["10.0.0.52/24"], ["s1", "s3"])
        loads.start_server(member.place, PORT)
        site.reach(client.place, member.place)

        def measure(row: Row, host: HostUplinks, silent: bool) -> None:
            place, source = (client.place, "10.0.0.52") if host is client else (site.attached.host("c1"), "10.0.0.1")
            with site.service(row.placement, members=["10.0.0.51"] if host is member else ()):
                load = Load(place, VIP, PORT, [source], KINDS, 20)
                try:
                    time.sleep(1)
                    active = host.active()
                    if silent:
                        host.switch_to(1 - active)
                    else:
                        host.fail(active)
                    time.sleep(4)
                    held, new = load.finish()
                finally:
                    load.end()
                    host.repair(0)
                    host.repair(1)
            _opened(row, held, new)
            row.figures.update(pause_s=_longest(held), slowest_s=new.slowest_s)
            row.require(not row.broken and not row.failed, "connections broke")

        for name, host, silent in (("member's carrier", member, False), ("member's own choice", member, True), ("client's carrier", client, False)):
            yield from _rows(f"bond, {name}", MODES, lambda row: measure(row, host, silent))  # noqa: B023


def local(directory: Path, _: Scale) -> Iterator[Row]:
    """An address on the bridge itself, as client and as member."""
    with NetworkSite(directory) as site:
        bridge = site.attached.local("s1", ["10.0.0.71/24"])
        loads.start_server(bridge, PORT)
        site.reach(bridge)

        def measure(row: Row, members: Sequence[str], place: Place, source: str) -> None:
            with site.service(row.placement, members=members):
                row.add(loads.each_once(place, VIP, PORT, 20, [source] * _FETCHES, _SIZE))
            row.require(not row.failed and not row.slow, "not all were served at once")

        yield from _rows("LOCAL as client", MODES, lambda row: measure(row, (), bridge, "10.0.0.71"))
        yield from _rows("LOCAL as member", MODES, lambda row: measure(row, ["10.0.0.71"], site.attached.host("c1"), "10.0.0.1"))


def path_mtu(directory: Path, _: Scale) -> Iterator[Row]:
    """1 MB to clients behind a router whose way to them has an MTU of 1300."""
    with NetworkSite(directory) as site:
        router = routers.single(site.attached, "r0", "s1", ["10.0.0.241/24", "fd00:a00::a00:f1/64"])
        router.limit(1300)
        routers.route(site.attached, site.servers, router)
        site.reach(router.clients.place)
        used = 0

        def measure(row: Row, address: str) -> None:
            nonlocal used
            network = router.clients.network
            first = network.address6(used) if ":" in address else network.address(used)
            used += FEW
            with site.service(row.placement, address):
                found = loads.each_once(router.clients.place, address, PORT, 10, [f"{first}+{FEW}"], 1_000_000)
            row.add(found)
            row.figures.update(median_ms=found.median_ms, slowest_s=found.slowest_s)
            row.require(not row.failed and not row.slow, "not all arrived at once")

        for words, address in (("IPv4", VIP), ("IPv6", VIP6)):
            yield from _rows(f"path MTU 1300, {words}", (*MODES, balancing.AUTO), lambda row: measure(row, address))  # noqa: B023


CASES: Mapping[str, Callable[[Path, Scale], Iterator[Row]]] = {
    "addresses": many_addresses,
    "failover": failovers,
    "segments": segments,
    "vlans": vlans,
    "bonds": bonds,
    "local": local,
    "path-mtu": path_mtu,
}


def document(rows: Sequence[Row]) -> dict[str, Any]:
    """The run as JSON has it; "ok" is the verdict."""
    return {"ok": bool(rows) and not any(row.wrong for row in rows), "rows": [row.document() for row in rows]}
