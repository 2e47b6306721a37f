"""Buckets give members their shares of new connections, and say when clients are too few for that."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lab import balancing, processes
from lab.balancing import VirtualServer
from malob.system.processes import bound_to_us
from malob.system.waiting import say, wait_until
from tests.system.base import SystemTest, needs_idle_machine

ARRIVALS = Path(__file__).parent / "arrivals.py"
PORT = 80
CLIENT = "c1"
SETTLE_S = 10
MEASURE_S = 10
MAX_DEVIATION = 0.05
_SETTINGS = "io.malob.balancer.BalancerModule."


class BalanceTest(SystemTest):
    """What the tests of both kinds of buckets share."""

    __test__ = False

    def proactive(self, key: str, address: str, weights: Sequence[int]) -> VirtualServer:
        """A proactive VIP with weights, over which the client's switch has buckets."""
        virtual = self.virtual(key, address, PORT, algorithm="WRR+SPH", placement=balancing.PROACTIVE)
        for member, weight in zip(virtual.members, weights):
            self.controller.rest.put(f"{balancing.BASE}/members/{member}", {"weight": weight})
        # the client's request tells where it is
        self.requests(CLIENT, address, PORT, 2)
        balancing.wait_for_proactive(self.controller.rest, key)
        return virtual

    @contextmanager
    def arrivals(self, address: str, clients: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
        """Opens connections meanwhile; their results are there afterwards."""
        results: list[dict[str, Any]] = []
        command = bound_to_us(processes.script(self.lab, CLIENT, ARRIVALS, address, str(PORT), *clients))
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            try:
                yield results
            finally:
                words, _ = program.communicate()
        results.extend(json.loads(line) for line in words.splitlines())

    def measured(self, address: str, clients: Sequence[str]) -> list[dict[str, Any]]:
        """The results of connections from SETTLE_S seconds after the first one on."""
        with self.arrivals(address, clients) as results:
            time.sleep(SETTLE_S)
            began = time.monotonic()
            time.sleep(MEASURE_S)
        self.assertEqual([], [result for result in results if "error" in result], "all are answered")
        return [result for result in results if result["at"] >= began]

    def assert_shares(self, virtual: VirtualServer, weights: Sequence[int], results: Sequence[Mapping[str, Any]]) -> None:
        counts = Counter(result["server"] for result in results)
        wanted = {server: weight / sum(weights) for server, weight in zip(virtual.members.values(), weights)}
        got = {server: counts[server] / len(results) for server in wanted}
        say(f"  {len(results)} connections: " + ", ".join(f"{name} {100 * share:.1f} % of {100 * wanted[name]:.1f} %" for name, share in got.items()))
        for server, share in wanted.items():
            self.assertAlmostEqual(share, got[server], delta=MAX_DEVIATION, msg=f"{server}: {got}")

    def edge(self, virtual: VirtualServer) -> dict[str, Any]:
        """The state of the VIP at the client's switch."""
        state = self.vip_state(virtual)
        dpid = self.lab.topology.switches[self.lab.topology.hosts[CLIENT].switch]
        edge: dict[str, Any] = next(edge for edge in state["edges"] if edge["switch"] == dpid)
        return edge

    def vip_state(self, virtual: VirtualServer) -> dict[str, Any]:
        """The state of the VIP."""
        state: dict[str, Any] = next(vip for vip in balancing.placement_state(self.controller.rest) if vip["vip_id"] == virtual.pool_id)
        return state


@needs_idle_machine
class PortBalanceTest(BalanceTest):
    """64 clients with unequal rates behind one address."""

    __test__ = True
    properties = {_SETTINGS + "bucketMoveSeconds": "2", _SETTINGS + "bucketHoldSeconds": "1"}
    #: connections per second
    clients = [str(1 + number % 4) for number in range(64)]

    def test_equal_weights(self) -> None:
        """1:1:1"""
        self._check("equal", "10.0.0.141", (1, 1, 1))

    def test_unequal_weights(self) -> None:
        """9:3:1"""
        self._check("unequal", "10.0.0.142", (9, 3, 1))

    def _check(self, key: str, address: str, weights: Sequence[int]) -> None:
        virtual = self.proactive(key, address, weights)
        self.assertEqual("port", self.edge(virtual)["source"])
        wait_until(lambda: self.edge(virtual)["moving"] == 0 and self._has_weights(virtual, weights), "the buckets to follow the weights", 30)
        self.assert_shares(virtual, weights, self.measured(address, self.clients))

    def _has_weights(self, virtual: VirtualServer, weights: Sequence[int]) -> bool:
        shares = self.edge(virtual)["shares"]
        return all(abs(shares[member] - weight / sum(weights)) < 0.01 for member, weight in zip(virtual.members, weights))


@needs_idle_machine
class AddressBalanceTest(BalanceTest):
    """Clients with addresses of their own."""

    __test__ = True
    properties = {_SETTINGS + "bucketSource": "address", _SETTINGS + "bucketMoveSeconds": "2", _SETTINGS + "bucketHoldSeconds": "1"}

    def _sources(self, count: int) -> list[str]:
        sources = [f"10.0.0.{30 + number}" for number in range(count)]
        for source in sources:
            self.on(CLIENT, "ip", "address", "replace", f"{source}/24", "dev", "eth0")
        return sources

    def test_unequal_weights(self) -> None:
        """24 clients with unequal rates, 9:3:1"""
        weights = (9, 3, 1)
        virtual = self.proactive("addresses", "10.0.0.143", weights)
        clients = [f"{1 + number % 4}@{source}" for number, source in enumerate(self._sources(24))]
        results = self.measured(virtual.address, clients)
        self.assertEqual("address", self.edge(virtual)["source"])
        self.assert_shares(virtual, weights, results)

    def test_too_few_sources(self) -> None:
        """4 clients, 9:3:1: the shares cannot be met, which is said, and no bucket moves for nothing"""
        virtual = self.proactive("few", "10.0.0.144", (9, 3, 1))
        with self.arrivals(virtual.address, [f"5@{source}" for source in self._sources(4)]) as results:
            wait_until(lambda: self.edge(virtual)["too_few_sources"], "too few sources to be reported", 25, detail=lambda: str(self.edge(virtual)))
            before = self.vip_state(virtual)["moves"]
            time.sleep(MEASURE_S)
            after = self.vip_state(virtual)
            self.assertTrue(self.edge(virtual)["too_few_sources"])
        say(f"  {before} moves, {json.dumps(self.edge(virtual))}")
        self.assertEqual([], [result for result in results if "error" in result], "all are answered")
        # an oscillation would move some every second
        self.assertLessEqual(after["moves"] - before, 2, after)
        self.assertIn("too_few_sources vip=few", self.controller.log.read_text())
