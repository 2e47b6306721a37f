"""Figure 4.4: the share of server 2's processor that a request of each kind uses."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from malob.system.waiting import say
from research.experiments import clients
from research.experiments.clients import Client
from research.experiments.folder import Folder
from research.experiments.plots import Bar, Figure
from research.experiments.site import Site
from research.experiments.summary import Summary
from research.experiments.workloads.workload import Workload

_SERVER, _CLIENT = "server-2", "client-2"
_INTERVAL_S = 0.1
_BEFORE_S = 0.5


def measure(site: Site, folder: Folder, summary: Summary, workloads: Sequence[Workload]) -> list[Figure]:
    """Adds `cpu_mean.KIND` and `cpu_peak.KIND` (of a tenth of a second), and writes request-cpu.csv."""
    rows, bars = [], []
    for workload in workloads:
        say(f"the use of {_SERVER}'s processor by one request: {workload.name}")
        uses = _uses(site, workload)
        mean, peak = sum(uses) / len(uses), max(uses)
        summary.metric(f"cpu_mean.{workload.name}", round(mean, 4), "1")
        summary.metric(f"cpu_peak.{workload.name}", round(peak, 4), "1")
        rows += [[workload.name, f"{number * _INTERVAL_S:.1f}", f"{use:.4f}"] for number, use in enumerate(uses)]
        bars.append(Bar(workload.name, 100 * mean, 100 * mean, 100 * peak, len(uses)))
    folder.table("request-cpu.csv", ["kind", "seconds", "cpu"], rows)
    return [
        Figure(
            "figure-4.4-cpu",
            f"Use of {_SERVER}'s processor during one request",
            "% of the processor",
            bars,
            whiskers=f"up to the largest of all {_INTERVAL_S:g} s",
        )
    ]


def _uses(site: Site, workload: Workload) -> list[float]:
    """The share in each interval of the request, which is sent directly to the server."""
    address = site.lab.topology.hosts[_SERVER].ip
    client = Client(_CLIENT, _CLIENT, workload.name, [*workload.client_options(), "--count", "2"], 2)
    # the first request finds neighbours' addresses and a route
    clients.run(site.lab, address, [Client(_CLIENT, _CLIENT, workload.name, client.options, 1)], 600)
    time.sleep(_BEFORE_S)
    readings: list[tuple[float, float]] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.is_set():
            readings.append((time.monotonic(), site.limits.used_s(_SERVER)))
            ended.wait(_INTERVAL_S)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        sample = clients.run(site.lab, address, [Client(_CLIENT, _CLIENT, workload.name, client.options, 1)], 600)[0]
    finally:
        ended.set()
        watching.join()
    readings.append((time.monotonic(), site.limits.used_s(_SERVER)))
    quota = site.limits.quota(_SERVER)
    return [
        (after[1] - before[1]) / (after[0] - before[0]) / quota
        for before, after in zip(readings, readings[1:])
        if after[0] > sample.began_s and before[0] < sample.began_s + sample.seconds and after[0] > before[0]
    ]
