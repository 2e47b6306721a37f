"""Plain forwarding for balancers without a controller: proactive rules by destination, over shortest paths."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from lab.instance import Instance
from malob.network import paths
from malob.network.topology import Topology
from malob.system import ovs
from malob.system.cleanup import Cleanup
from malob.system.waiting import undisturbed

#: not used by MALOB
_COOKIE = "0xc0"
_PRIORITY = 65535


@contextmanager
def plain(lab: Instance) -> Iterator[None]:
    """In the context, packets between hosts are forwarded by these rules, which have a higher priority than the
    controller's."""
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
