"""Measures the effect of faults of the network, its switches and the controller on one open connection through a VIP, on Open
vSwitch."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable

from lab import balancing, instance
from lab.balancing import VirtualServer
from lab.controller import Controller
from lab.faults import links, ownership, processes, pulsing, switches
from lab.faults.pulsing import Beat, Pulse
from lab.faults.watching import LabelWatch
from lab.instance import Instance
from malob.network import topology
from malob.rest import listing
from malob.system.cleanup import Cleanup
from malob.system.ports import free_port
from malob.system.progress import Bar
from malob.system.waiting import undisturbed, wait_until

NAME = "mlf"
VIP, PORT = "10.0.0.190", 8600
CLIENT, SERVER = "c1", "w1"
#: the link of the connection, on the shortest path from the client to the server
LINK = ("s1", "s3")
#: an interval of the controller's settings: a link that is silent for three intervals is removed
PROBE_INTERVAL_S = 3.0
STANDSTILL_S = 10.0
#: A killed controller leaves paths of connections that may be dormant; its successor keeps these for adoptSeconds, 60 by
#: default.
OWNED_S = 90.0


@dataclass(frozen=True)
class Site:
    """A network with a client that connects to a server through a VIP."""

    lab: Instance
    controller: Controller
    virtual: VirtualServer

    def network_is_whole(self) -> bool:
        return self.controller.sees(self.lab.topology)

    def pulse(self) -> Pulse:
        return Pulse(self.lab, CLIENT, self.virtual.address, self.virtual.port)

    def labels(self) -> set[str]:
        """The paths of open connections."""
        known = listing.read(self.controller.rest, {"state": "open"}, 100)["connections"]
        return {label for each in known for label in (each["request_label"], each["reply_label"]) if label}

    def differences(self) -> list[str]:
        return ownership.differences(self.lab, self.controller.rest)


def _link_down(site: Site) -> None:
    with links.down(site.lab, *LINK):
        time.sleep(1)


def _port_flap(site: Site) -> None:
    links.flap(site.lab, *LINK, times=5, pause_s=0.1)


def _silent_link(site: Site) -> None:
    with links.silent(site.lab, *LINK):
        time.sleep(3 * PROBE_INTERVAL_S + 1)


def _switch_emptied(site: Site) -> None:
    with switches.without_controller(site.lab, LINK[0]):
        wait_until(lambda: not site.network_is_whole(), "the switch to be away", 20)
        switches.empty(site.lab, LINK[0])


def _controller_stands_still(site: Site) -> None:
    with processes.stopped(site.controller.pid):
        time.sleep(STANDSTILL_S)


def _controller_killed(site: Site) -> None:
    site.controller.kill()
    time.sleep(1)
    site.controller.start()


FAULTS: Mapping[str, Callable[[Site], None]] = {
    "link-down": _link_down,
    "port-flap": _port_flap,
    "silent-link": _silent_link,
    "switch-emptied": _switch_emptied,
    "controller-stands-still": _controller_stands_still,
    "controller-killed": _controller_killed,
}


@dataclass(frozen=True)
class Round:
    """The result of one fault. repaired_ms: from its beginning until the connection was rerouted, None if it never was;
    owned_s: from its end until every rule was known and none was missing."""

    beat: Beat
    repaired_ms: float | None
    owned_s: float


def measure(names: list[str], rounds: int) -> dict[str, Any]:
    """Builds the network, injects each fault rounds times, removes everything, and returns the results."""
    with tempfile.TemporaryDirectory(prefix="malob-bench-") as directory:
        openflow_port = free_port()
        controller = Controller(Path(directory), openflow_port, free_port())
        try:
            lab = instance.up(topology.load("mesh5"), NAME, controller.endpoint, owned=True)
            controller.start()
            return _measure(lab, controller, names, rounds)
        finally:
            with undisturbed():
                cleanup = Cleanup()
                cleanup.step("the controller", controller.stop)
                cleanup.step("the network", lambda: instance.remove_own(NAME))
                cleanup.finish()


def _measure(lab: Instance, controller: Controller, names: list[str], rounds: int) -> dict[str, Any]:
    pulsing.start_server(lab, SERVER, PORT)
    links.make_silenceable(lab, *LINK)
    virtual = balancing.set_up(controller.rest, VIP, PORT, [lab.topology.hosts[SERVER]], algorithm="RR+SPH")
    site = Site(lab, controller, virtual)
    found: dict[str, list[Round]] = {name: [] for name in names}
    with Bar(rounds * len(names)) as bar:
        for number in range(rounds):
            for name in names:
                bar.begin(f"round {number + 1}, {name}")
                found[name].append(_round(site, FAULTS[name]))
    return {name: figures(each) for name, each in found.items()}


def _round(site: Site, fault: Callable[[Site], None]) -> Round:
    wait_until(site.network_is_whole, "all links to be known", 40)
    wait_until(lambda: balancing.all_located(site.controller.rest, site.virtual), "the server to be found", 10)
    pulse, watch = site.pulse(), LabelWatch(site.lab)
    try:
        wait_until(lambda: len(site.labels()) == 2, "the connection to be placed", 10)
        time.sleep(1)
        pulse.since_last()
        labels, began = site.labels(), time.time()
        fault(site)
        mended = time.monotonic()
        wait_until(site.network_is_whole, "all links to be known", 40)
        beat = pulse.since_last()
        wait_until(lambda: not site.differences(), "rules to be as they should", OWNED_S, detail=lambda: "; ".join(site.differences()))
        owned_s = time.monotonic() - mended
    finally:
        pulse.end()
        given = watch.end()
    moved = [when - began for when, label in given if label in labels and when > began]
    return Round(beat, 1000 * moved[-1] if moved else None, owned_s)


def figures(rounds: list[Round]) -> dict[str, Any]:
    """The results of all rounds of one fault. Times are medians and the worst."""
    beats = [each.beat for each in rounds]
    repaired = [each.repaired_ms for each in rounds if each.repaired_ms is not None]
    return {
        "rounds": len(rounds),
        "lost": sum(beat.error is not None for beat in beats),
        "longest_ms": _spread([beat.longest_ms for beat in beats]),
        "retransmitted": max(max(beat.retransmitted, beat.retransmitted_back) for beat in beats),
        "repaired_ms": _spread(repaired),
        "owned_s": _spread([each.owned_s for each in rounds]),
        "load": os.getloadavg()[0],
        "each": [asdict(each) for each in rounds],
    }


def _spread(values: list[float]) -> dict[str, float] | None:
    return {"median": statistics.median(values), "worst": max(values)} if values else None
