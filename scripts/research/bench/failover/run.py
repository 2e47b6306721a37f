"""`./malob bench failover`: faults of controllers and etcd servers, one after the other, under load."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Callable

from lab.cluster import ClusterController
from lab.faults import ownership
from lab.processes import stopped
from malob.cli.arguments import Parser, positive
from malob.errors import ScriptError
from malob.rest.client import RestClient, RestError
from malob.system.waiting import say, undisturbed, wait_until
from research.bench.bench_command import BenchCommand, Document, add_load
from research.bench.failover import findings
from research.bench.failover.cluster_site import SERVICE, Site
from research.bench.failover.findings import Fault, Record
from research.bench.proactive.clients import Clients, Load

#: After this time, the lease of a controller ends that etcd does not hear.
_LEASE_S = 3.0
#: A controller and its switches agree this time after a takeover.
_AGREE_S = 5.0
#: A standby knows after nine seconds which ports lead to hosts.
_STEADY_S = 10.0
_FROZEN_S = 10.0
_CUT_S = 10.0
_NO_QUORUM_S = 60.0
_POLL_S = 0.05
_MAX_TAKEOVER_S = 30.0
#: A new connection is not delayed: what it takes on a busy machine.
_UNDELAYED_MS = 200.0


class _Run:
    def __init__(self, site: Site, load: Load) -> None:
        self._site, self._load = site, load
        self._begin = time.monotonic()
        self._faults: list[Fault] = []

    def go_through(self, names: Sequence[str]) -> Record:
        # downloads from before a fault go on until after it
        clients = Clients(self._site.lab, self._site.clients, SERVICE, self._load, _NO_QUORUM_S)
        try:
            self._fault("steady", _UNDELAYED_MS, lambda: time.sleep(_STEADY_S))
            for name in names:
                say(f"{len(clients.failures)} connections failed; next: {name}")
                promised_ms, work = FAULTS[name]
                self._fault(name, promised_ms, lambda work=work: work(self))  # type: ignore[misc]
                self._site.wait_for_standby()
                time.sleep(_STEADY_S)
            seconds = time.monotonic() - self._begin
            totals = clients.finish()
        finally:
            with undisturbed():
                clients.end()
        return Record(self._begin, seconds, self._faults, totals, list(clients.failures), list(clients.slow))

    def _fault(self, name: str, promised_ms: float, work: Callable[[], float | None]) -> None:
        """work: returns the time of the takeover; raises ScriptError if something else is wrong."""
        begin, takeover_s, wrong = time.monotonic(), None, []
        try:
            takeover_s = work()
        except _WrongError as error:
            say(f"{name}: {error}")
            wrong.append(str(error))
        self._faults.append(Fault(name, begin, promised_ms, takeover_s, wrong))

    # --- faults ------------------------------------------------------------------------------------

    def kill(self) -> float:
        """The master's process ends at once; it returns as the one that stands by."""
        master, standby = self._pair()
        begin = time.monotonic()
        master.kill()
        try:
            return self._takeover(standby, begin)
        finally:
            master.start()

    def cut(self) -> float:
        """The master's machine disappears without a word, and returns."""
        master, standby = self._pair()
        begin = time.monotonic()
        with self._site.management.cut(master.number):
            took_s = self._takeover(standby, begin)
            time.sleep(max(0.0, begin + _CUT_S - time.monotonic()))
        return took_s

    def freeze(self) -> float:
        """The master stops for a while, and goes on as if nothing had happened."""
        master, standby = self._pair()
        begin = time.monotonic()
        with stopped(master.pid):
            took_s = self._takeover(standby, begin)
            time.sleep(max(0.0, begin + _FROZEN_S - time.monotonic()))
        self._steps_down(master)
        return took_s

    def cut_from_etcd(self) -> float:
        """The master still has its switches."""
        master, standby = self._pair()
        begin = time.monotonic()
        with self._site.management.cut_from_etcd(master.number):
            took_s = self._takeover(standby, begin)
            self._steps_down(master)
        return took_s

    def kill_etcd(self) -> None:
        """One of three etcd servers ends, and returns."""
        self._undisturbed_by(1, _CUT_S, writes=True)

    def no_quorum(self) -> None:
        """Two of three etcd servers end, and return."""
        self._undisturbed_by(2, _NO_QUORUM_S, writes=False)

    def hand_over(self) -> float:
        """The master stops as for an upgrade, and starts again."""
        master, standby = self._pair()
        begin = time.monotonic()
        master.stop()
        try:
            return self._takeover(standby, begin)
        finally:
            master.start()

    # --- observations ------------------------------------------------------------------------------

    def _pair(self) -> tuple[ClusterController, ClusterController]:
        return self._site.master(), self._site.standby()

    def _takeover(self, by: ClusterController, begin: float) -> float:
        """Returns the time until this one is master of all switches, once it and the switches agree.

        The first of both is read every few milliseconds: it may have been a little earlier.
        """
        wait_until(lambda: by.ruled() == self._site.switches, f"{by.name} to take over", _MAX_TAKEOVER_S, _POLL_S)
        took_s = time.monotonic() - begin
        agreed_by = time.monotonic() + _AGREE_S
        while found := ownership.connection_differences(self._site.lab, by.rest):
            if time.monotonic() > agreed_by:
                raise _WrongError(f"{by.name} and the switches disagree {_AGREE_S:g} s after the takeover: {'; '.join(found[:3])}")
            time.sleep(_POLL_S)
        return took_s

    @staticmethod
    def _steps_down(former: ClusterController) -> None:
        """It starts anew then: for a moment it does not answer."""

        def stands_by() -> bool:
            try:
                return not former.ruled()
            except RestError:
                return False

        wait_until(stands_by, f"{former.name} to step down", _MAX_TAKEOVER_S)

    def _undisturbed_by(self, dead: int, seconds: float, writes: bool) -> None:
        """Stops etcd servers for a while. writes: whether REST accepts changes meanwhile."""
        master = self._site.master()
        with self._site.etcd.down(dead):
            time.sleep(_LEASE_S)
            accepted = _accepts_writes(master.rest)
            time.sleep(max(0.0, seconds - _LEASE_S))
            stays = master.ruled() == self._site.switches
        if not stays:
            raise _WrongError(f"{master.name} is no longer master of all switches")
        if accepted != writes:
            raise _WrongError(f"writes were {'accepted' if accepted else 'refused'} with {dead} etcd servers down")


class _WrongError(ScriptError):
    """A promise is broken that is not about connections."""


def _accepts_writes(rest: RestClient) -> bool:
    """False if the answer is 503."""
    pool = "/quantum/v1.0/pools/write-test"
    try:
        rest.post("/quantum/v1.0/pools/", {"id": "write-test", "name": "write-test", "protocol": "tcp"})
        rest.delete(pool)
        return True
    except RestError as error:
        if error.status == 503:
            return False
        raise


#: By name: the max time of a connect() in milliseconds, and what is done.
FAULTS: Mapping[str, tuple[float, Callable[[_Run], float | None]]] = {
    "kill": (1000, _Run.kill),
    "cut": (1000 * (_LEASE_S + 1), _Run.cut),
    "freeze": (1000 * (_LEASE_S + 1), _Run.freeze),
    "cut-from-etcd": (1000, _Run.cut_from_etcd),
    "etcd-server": (_UNDELAYED_MS, _Run.kill_etcd),
    "no-quorum": (_UNDELAYED_MS, _Run.no_quorum),
    "hand-over": (_UNDELAYED_MS, _Run.hand_over),
}


class FailoverCommand(BenchCommand):
    name = "failover"
    purpose = "connections while controllers of a cluster and etcd servers fail; needs root"
    description = (
        "Short connections and long downloads through a reactive VIP on Open vSwitch, with several controllers in namespaces and"
        " three etcd servers, while controllers and servers fail. Exit code 1 if an open connection breaks, a new one takes longer than"
        " promised, or switches and controller disagree."
    )
    needs = ("lab", "controller", "cluster")
    result = "report"

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--faults", metavar="NAMES", type=_faults, default=tuple(FAULTS), help=f"some of {','.join(FAULTS)} (default all)")
        parser.add_argument("--controllers", type=positive, default=2, metavar="N", help="controllers (default %(default)s)")
        add_load(parser, 100)

    def measure(self, options: argparse.Namespace) -> Document:
        with tempfile.TemporaryDirectory(prefix="malob-bench-") as directory, Site(Path(directory), options.controllers) as site:
            return findings.document(_Run(site, Load(options.rate, options.downloads)).go_through(options.faults))

    def lines(self, found: Document) -> list[str]:
        return findings.text(found)


def _faults(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in FAULTS:
            raise argparse.ArgumentTypeError(f"no fault '{name}'; there are: {', '.join(FAULTS)}")
    return names
