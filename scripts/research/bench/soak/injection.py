"""Carries out events, and keeps a record of what was done when: clients' failures are held against it."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Callable

from lab import processes
from lab.faults import links, switches
from malob.errors import ScriptError
from research.bench.soak.events import KINDS, Event
from research.bench.soak.model import Fault
from research.bench.soak.soak_site import SoakSite

_NEVER = float("inf")


class Injection:
    """Used by one thread; its record may be read by others."""

    def __init__(self, site: SoakSite) -> None:
        self._site = site
        self._ways: Mapping[str, Callable[[str], AbstractContextManager[None]]] = {
            "drain": lambda member: _changed(site, member, "drain"),
            "disable": lambda member: _changed(site, member, "down"),
            "remove": lambda member: _between(lambda: site.delete(member), lambda: site.add(member)),
            "kill": lambda server: _between(lambda: site.kill(server), lambda: site.serve(server)),
            "unlink": lambda link: links.down(site.lab, *link.split("-")),
            "flap": lambda link: _between(lambda: _flap(site, link)),
            "mute": lambda link: links.silent(site.lab, *link.split("-")),
            "orphan": lambda switch: switches.without_controller(site.lab, switch),
            "restart": self._restarted,
            "pause": lambda _: processes.stopped(site.controller.pid),
            "crash": lambda _: _between(site.controller.kill, site.controller.start),
        }
        self._going_on: dict[tuple[str, str], tuple[float, AbstractContextManager[None]]] = {}
        self._over: list[Fault] = []

    def carry_out(self, event: Event) -> None:
        """Returns when it is done. Raises ScriptError if it cannot be."""
        if event.kind == "weight":
            self._site.change(event.target, weight=event.value)
            now = time.monotonic()
            self._over.append(Fault(event.kind, event.target, now, now))
        elif event.kind in KINDS:
            fault = self._ways[event.kind](event.target)
            self._going_on[event.kind, event.target] = time.monotonic(), fault
            fault.__enter__()
        else:
            self._end(next(name for name, kind in KINDS.items() if kind.end == event.kind), event.target)

    def ends_something(self, event: Event) -> bool:
        """Whether it ends what goes on now."""
        return any(KINDS[kind].end == event.kind and target == event.target for kind, target in self._going_on)

    def _end(self, kind: str, target: str) -> None:
        begun, fault = self._going_on[kind, target]
        try:
            fault.__exit__(None, None, None)
        finally:
            self._over.append(Fault(kind, target, begun, time.monotonic()))
            del self._going_on[kind, target]

    def end_all(self) -> None:
        """Ends what goes on, after a run that was cut short."""
        for kind, target in list(self._going_on):
            try:
                self._end(kind, target)
            except ScriptError:
                # what could not begin cannot end either
                continue

    def quiet_since(self, moment: float, kinds: Collection[str], settle_s: float) -> bool:
        """Whether no fault of these kinds has lasted since then, or ended less than settle_s before."""
        return all(fault.end + settle_s < moment for fault in self.faults if fault.kind in kinds)

    @property
    def faults(self) -> list[Fault]:
        """All faults so far, in the order of their beginnings; ongoing ones have no end yet."""
        going_on = [Fault(kind, target, begun, _NEVER) for (kind, target), (begun, _) in list(self._going_on.items())]
        return sorted([*self._over, *going_on], key=lambda fault: fault.begin)

    @contextmanager
    def _restarted(self, switch: str) -> Iterator[None]:
        with switches.without_controller(self._site.lab, switch):
            switches.empty(self._site.lab, switch)
            yield


@contextmanager
def _between(begin: Callable[[], object], end: Callable[[], object] = lambda: None) -> Iterator[None]:
    begin()
    yield
    end()


def _changed(site: SoakSite, member: str, state: str) -> AbstractContextManager[None]:
    return _between(lambda: site.change(member, admin_state=state), lambda: site.change(member, admin_state="up"))


def _flap(site: SoakSite, link: str) -> None:
    first, second = link.split("-")
    links.flap(site.lab, first, second, times=3, pause_s=0.2)
