"""The compared balancers. Each is a context in which it runs; its value is the target of clients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Callable

from lab import balancing, processes, rules, webserver
from lab.instance import Instance
from lab.processes import listens
from malob.errors import MissingError, ScriptError
from malob.network import paths
from malob.network.topology import Topology
from malob.system import ovs
from malob.system.cleanup import Cleanup
from malob.system.processes import run
from malob.system.waiting import undisturbed, wait_until
from research import background
from research.bench import ovn
from research.bench.compare.comparison_site import ComparisonSite
from research.bench.compare.floodlight import Floodlight, settings
from research.bench.compare.load import Target
from research.bench.ovn import Ovn

VIP = "10.0.0.100"

_PROXY_PORT = 8080
_KEY = "1"
#: rules of ended connections expire when idle
_END_S = 90
#: not used by MALOB
_COOKIE = "0xc0"
_PRIORITY = 65535


@dataclass(frozen=True)
class Balancer:
    """run: starts and stops it on a site. needs: the part that the launcher prepares for it; empty for none."""

    label: str
    run: Callable[[ComparisonSite], AbstractContextManager[Target]]
    needs: str = ""


@contextmanager
def _none(site: ComparisonSite) -> Iterator[Target]:
    """Clients use the servers in turn."""
    with plain(site.lab):
        yield Target([server.ip for server in site.servers], webserver.PORT, site.process_ids())


@contextmanager
def _malob(algorithm: str, placement: str, site: ComparisonSite) -> Iterator[Target]:
    rest = site.controller.rest
    virtual = balancing.set_up(rest, VIP, webserver.PORT, site.servers, algorithm=algorithm, key=_KEY, placement=placement)
    try:
        wait_until(lambda: balancing.all_located(rest, virtual), "the servers to be found", 10)
        if placement in balancing.WITH_BUCKETS:
            balancing.wait_for_proactive(rest, _KEY)
        yield Target([VIP], webserver.PORT, site.process_ids())
        # connections of other placements have no rules
        if placement == balancing.REACTIVE:
            wait_until(lambda: not _connections_have_rules(site.lab), "the last connections to end", _END_S)
    finally:
        with undisturbed():
            for member in virtual.members:
                rest.delete(f"{balancing.BASE}/members/{member}")
            rest.delete(f"{balancing.BASE}/pools/{_KEY}")
            rest.delete(f"{balancing.BASE}/vips/{_KEY}")


def _connections_have_rules(lab: Instance) -> bool:
    return any(rules.count(lab.bridge(switch), rules.REQUEST) for switch in lab.topology.switches)


@contextmanager
def _ovn(site: ComparisonSite) -> Iterator[Target]:
    """On one bridge that all hosts are at, beside the network's switches."""
    if any(link.limited for link in site.lab.topology.links):
        raise MissingError("its hosts are all at one bridge, without the delays and rates of this network's links")
    with Ovn(site.lab, site.clients, site.servers, webserver.PORT):
        yield Target([ovn.VIP], webserver.PORT, site.process_ids())


_HAPROXY = """
global
  maxconn 4000
  nbthread 1
defaults
  mode tcp
  timeout connect 10s
  timeout client 60s
  timeout server 60s
listen servers
  bind :{port}
  balance leastconn
{servers}
"""


@contextmanager
def _haproxy(site: ComparisonSite) -> Iterator[Target]:
    servers = "\n".join(f"  server {server.name} {server.ip}:{webserver.PORT}" for server in site.servers)
    file = site.lab.directory / "haproxy.cfg"
    file.write_text(_HAPROXY.format(port=_PROXY_PORT, servers=servers))
    with _proxy(site, "haproxy", ["haproxy", "-db", "-f", str(file)]) as target:
        yield target


_NGINX = """
{module}
daemon off;
master_process off;
pid {directory}/nginx-stream.pid;
error_log {directory}/nginx-stream.log;
events {{ worker_connections 8000; }}
stream {{
  upstream servers {{
    least_conn;
    {servers}
  }}
  server {{
    listen {port} backlog=4096;
    proxy_pass servers;
  }}
}}
"""


@contextmanager
def _nginx(site: ComparisonSite) -> Iterator[Target]:
    directory = site.lab.directory
    servers = " ".join(f"server {server.ip}:{webserver.PORT};" for server in site.servers)
    file = directory / "nginx-stream.conf"
    file.write_text(_NGINX.format(module=_stream_module(), directory=directory, servers=servers, port=_PROXY_PORT))
    with _proxy(site, "nginx", ["nginx", "-e", f"{directory}/nginx-stream.log", "-c", str(file)]) as target:
        yield target


def _stream_module() -> str:
    """The line that loads it if it is a separate module."""
    module = Path("/usr/lib/nginx/modules/ngx_stream_module.so")
    return f"load_module {module};" if module.exists() else ""


@contextmanager
def _proxy(site: ComparisonSite, name: str, command: Sequence[str]) -> Iterator[Target]:
    host = site.proxy_host
    log = site.lab.directory / f"{name}-proxy.log"
    process = background.start(site.lab.inside(host.name, command), log)

    def ready() -> bool:
        if process.poll() is not None:
            raise ScriptError(f"{name} on {host.name} ended at once: {' '.join(log.read_text(errors='replace').split()[-30:])}")
        return listens(site.lab, host.name, _PROXY_PORT)

    try:
        wait_until(ready, f"{name} on {host.name} to listen", 15)
        with plain(site.lab):
            yield Target([host.ip], _PROXY_PORT, {**site.process_ids(), "proxy": process.pid})
    finally:
        processes.end(process)


#: Round robin, and back through the proxy's host: clients and servers are in one network, so that answers would bypass it.
_NFTABLES = """
table ip malob_compare {{
  chain destination {{
    type nat hook prerouting priority -100;
    tcp dport {port} dnat to numgen inc mod {count} map {{ {servers} }}:{server_port}
  }}
  chain source {{
    type nat hook postrouting priority 100;
    masquerade
  }}
}}
"""
_AS_ROUTER = "sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.eth0.send_redirects=0"
_AS_HOST = "sysctl -qw net.ipv4.ip_forward=0"


@contextmanager
def _nftables(site: ComparisonSite) -> Iterator[Target]:
    host = site.proxy_host
    servers = ", ".join(f"{number} : {server.ip}" for number, server in enumerate(site.servers))
    rules = _NFTABLES.format(port=_PROXY_PORT, count=len(site.servers), servers=servers, server_port=webserver.PORT)
    try:
        run(site.lab.inside(host.name, ["nft", "-f", "-"]), text=rules)
    except ScriptError as error:
        raise MissingError(f"this kernel does not accept the rules of nftables: {error}") from error
    try:
        run(site.lab.inside(host.name, _AS_ROUTER.split()))
        with plain(site.lab):
            yield Target([host.ip], _PROXY_PORT, site.process_ids())
    finally:
        with undisturbed():
            run(site.lab.inside(host.name, _AS_HOST.split()))
            run(site.lab.inside(host.name, ["nft", "delete", "table", "ip", "malob_compare"]))


@contextmanager
def _floodlight(jar: Path, site: ComparisonSite) -> Iterator[Target]:
    ours = site.controller
    with site.controlled_by(Floodlight(jar, site.directory, ours.openflow_port, ours.http_port)):
        balancing.set_up(site.controller.rest, VIP, webserver.PORT, site.servers, key=_KEY)
        yield Target([VIP], webserver.PORT, site.process_ids())


def floodlight(jar: Path) -> Balancer:
    """Floodlight's balancer. Raises UsageError if the file is not a jar of Floodlight."""
    settings(jar)
    return Balancer("Floodlight, RR", partial(_floodlight, jar))


FLOODLIGHT = "floodlight"

ALL: Mapping[str, Balancer] = MappingProxyType(
    {
        "none": Balancer("none, servers in turn", _none),
        "sl-ps": Balancer("MALOB, SL-PS", partial(_malob, "SL-PS", balancing.REACTIVE)),
        "pct": Balancer("MALOB, PCT", partial(_malob, "PCT", balancing.REACTIVE)),
        "proactive": Balancer("MALOB, proactive", partial(_malob, "SL-PS", balancing.PROACTIVE)),
        "tracked": Balancer("MALOB, tracked", partial(_malob, "SL-PS", balancing.TRACKED)),
        "tracked-prequal": Balancer("MALOB, tracked, PREQUAL", partial(_malob, "PREQUAL", balancing.TRACKED)),
        "exact": Balancer("MALOB, exact", partial(_malob, "SL-PS", balancing.EXACT)),
        "exact-prequal": Balancer("MALOB, exact, PREQUAL", partial(_malob, "PREQUAL", balancing.EXACT)),
        "auto": Balancer("MALOB, auto", partial(_malob, "SL-PS", balancing.AUTO)),
        "auto-prequal": Balancer("MALOB, auto, PREQUAL", partial(_malob, "PREQUAL", balancing.AUTO)),
        "haproxy": Balancer("HAProxy", _haproxy, "haproxy"),
        "nginx": Balancer("nginx stream", _nginx, "nginx-stream"),
        "nftables": Balancer("nftables", _nftables, "nft"),
        "ovn": Balancer("OVN, one switch", _ovn, ovn.NEEDS),
    }
)


@contextmanager
def plain(lab: Instance) -> Iterator[None]:
    """Plain forwarding for balancers without a controller, by destination, over shortest paths.

    In the context, packets between hosts are forwarded by these rules, which have a higher priority than the
    controller's.
    """
    try:
        for switch, ports in ports_to_hosts(lab.topology).items():
            for host, port in ports.items():
                match = f"dl_dst={lab.topology.hosts[host].mac}"
                ovs.ofctl("add-flow", lab.bridge(switch), f"cookie={_COOKIE},priority={_PRIORITY},table=0,{match},actions=output:{port}")
        yield
    finally:
        with undisturbed():
            cleanup = Cleanup()
            for switch in lab.topology.switches:
                cleanup.step(f"rules of {switch}", partial(ovs.ofctl, "del-flows", lab.bridge(switch), f"cookie={_COOKIE}/-1"))
            cleanup.finish()


def ports_to_hosts(network: Topology) -> dict[str, dict[str, int]]:
    """By switch, the port towards each host: over the lowest sum of delays, then over the fewest links."""
    ports: dict[str, dict[str, int]] = {switch: {} for switch in network.switches}
    for host in network.hosts.values():
        ports[host.switch][host.name] = network.ports(host.switch)[host.name]
        for switch, step in paths.towards(network, host.switch).items():
            ports[switch][host.name] = network.ports(switch)[step.following]
    return ports
