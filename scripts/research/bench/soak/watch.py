"""Watches controller and switches during a run: samples, times of REST, connections on both sides."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Callable

from lab.faults import ownership
from malob.errors import ScriptError
from malob.system.processes import run
from research.bench.soak import events, model
from research.bench.soak.injection import Injection
from research.bench.soak.soak_site import BASE, SoakSite

_ASK_S, _REJECTS_S, _SAMPLE_S, _COMPARE_S = 0.2, 0.5, 5.0, 5.0
#: A full collection stops the controller for tens of milliseconds, so it is not done with every sample.
_HEAP_S = 20.0
#: A restarted controller answers late at first.
_SETTLE_S = 5.0
#: A difference counts if it is seen in this number of polls in a row: a server that keeps retransmitting data that its client does not want
#: any more keeps its rule, until the next audit finds it; and a controller keeps the rules that it finds at its start for a
#: while (site.py).
_LOOKS = 5


class Watch:
    """Runs in its own threads between start() and stop(). Its results are lists that only grow.

    These are samples of figures, as pairs of time and value, by name; answers of REST, in ms; violations; rejected packets by reason, as
    pairs of time and text.
    """

    def __init__(self, site: SoakSite, injection: Injection) -> None:
        self._site, self._injection = site, injection
        self._stopped = threading.Event()
        self.samples: dict[str, list[tuple[float, float]]] = {"heap_mb": [], "threads": [], "rules": []}
        self.rest_ms: list[float] = []
        self.violations: list[tuple[float, str]] = []
        self.rejected: list[tuple[float, str]] = []
        self.compared = 0
        self._reject_counts: dict[str, int] = {}
        self._suspects: dict[str, int] = {}
        #: the time of a requested collection is not counted for REST
        self._undisturbed = threading.Lock()
        self._threads = [
            threading.Thread(target=self._repeat, args=args, daemon=True)
            for args in (
                (self._ask, _ASK_S),
                (self._count_rejects, _REJECTS_S),
                (self._sample, _SAMPLE_S),
                (self._weigh, _HEAP_S),
                (self._compare, _COMPARE_S),
            )
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, task: Callable[[], None], every_s: float) -> None:
        while not self._stopped.wait(every_s):
            begin = time.monotonic()
            if self._there(begin):
                try:
                    task()
                except ScriptError as error:
                    if self._there(begin):
                        self.violations.append((time.monotonic(), str(error)))

    def _there(self, since: float) -> bool:
        """Whether the controller should have answered all the time since then."""
        return self._injection.quiet_since(since, model.ABSENCES, _SETTLE_S)

    def _ask(self) -> None:
        with self._undisturbed:
            begin = time.monotonic()
            self._site.rest.get(f"{BASE}/pools/{self._site.targets.services[0].key}/stats/")
            taken_s = time.monotonic() - begin
        if self._there(begin):
            self.rest_ms.append(1000 * taken_s)

    def _count_rejects(self) -> None:
        counts = self._site.rest.get("/wm/malob/refusals")
        more = added(self._reject_counts, counts)
        self._reject_counts = counts
        if more:
            self.rejected.append((time.monotonic(), "rejected: " + ", ".join(f"{count} {reason}" for reason, count in more.items())))

    def _sample(self) -> None:
        now = time.monotonic()
        text = self._site.rest.get_text("/metrics")
        threads = re.search(r"^jvm_threads_live_threads (\S+)$", text, re.MULTILINE)
        if threads is not None:
            self.samples["threads"].append((now, float(threads[1])))
        self.samples["rules"].append((now, len(self._site.rules())))

    def _weigh(self) -> None:
        with self._undisturbed:
            live = live_heap_mb(self._site.controller.pid)
        if live is not None:
            self.samples["heap_mb"].append((time.monotonic(), live))

    def _compare(self) -> None:
        begin = time.monotonic()
        found = set(ownership.differences(self._site.lab, self._site.rest))
        if not self._injection.quiet_since(begin, model.UNCHECKED, events.RECOVERY_S):
            found = set()
        self._suspects = {each: self._suspects.get(each, 0) + 1 for each in found}
        self.violations += [(time.monotonic(), each) for each, looks in sorted(self._suspects.items()) if looks == _LOOKS]
        self.compared += 1


def added(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """The increases of counts. Lower counts were reset by a restart of the controller."""
    began_anew = any(count < before.get(reason, 0) for reason, count in after.items())
    more = {reason: count - (0 if began_anew else before.get(reason, 0)) for reason, count in after.items()}
    return {reason: count for reason, count in more.items() if count}


def live_heap_mb(pid: int) -> float | None:
    """The heap size after a full collection; None if this Java has no jcmd."""
    jcmd = Path(f"/proc/{pid}/exe").resolve().parent / "jcmd"
    if not jcmd.exists():
        return None
    found = re.search(r"^Total +\d+ +(\d+)", run([str(jcmd), str(pid), "GC.class_histogram"], 30), re.MULTILINE)
    return int(found[1]) / 1e6 if found else None
