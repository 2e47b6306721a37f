"""What tracked VIPs do with packets that come late, again, in bursts or never, while shares move."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lab import balancing, processes
from lab.attached import loads
from lab.attached.loads import KINDS, Load
from lab.balancing import VirtualServer
from lab.program import Program
from malob.system.processes import bound_to_us, run
from malob.system.waiting import say
from tests.system import datagrams_of
from tests.system.datagrams_of import Hears
from tests.system.real_networks import DIRECT_PORT, PORT, VIP, RealNetworkTest

#: where servers do not answer
ONE_WAY_PORT = 8710
#: of the connection that is silent while other tests run, and its members' port
SILENT_VIP, SILENT_PORT = "10.0.0.151", DIRECT_PORT
LATE_S, LATE = 3.0, 40
FLOOD_PER_SECOND, FLOOD_S = 7000, 10
CHANGES, CHANGES_S = 60, 20
BUSY_LOOPS = 2

_NO_ANSWERS = "table inet late { chain out { type filter hook output priority 0; tcp flags & (syn | ack) == syn | ack drop; }; }"
#: Opens a connection to a server of load.py, and sends a block when a line comes in.
_SILENT = """
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2])), 10) as connection:
    connection.sendall(b"asks\\n")
    print("open", flush=True)
    for line in sys.stdin:
        connection.sendall(bytes(512))
        print(len(connection.recv(512)) > 0, flush=True)
"""


@pytest.mark.real_time
class TrackedTrafficTest(RealNetworkTest):
    """The client's switch is not that of a member."""

    silent: Program
    silent_since: float

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        client, rest = cls.attached.host("c1"), cls.controller.rest
        balancing.set_up(rest, SILENT_VIP, SILENT_PORT, cls.lab.topology.with_role("server"), key="silent", placement=balancing.TRACKED)
        balancing.wait_for_proactive(rest, "silent")
        cls.silent = Program(client.inside([sys.executable, "-I", "-c", _SILENT, SILENT_VIP, str(SILENT_PORT)]), "the silent client has ended")
        cls.silent.line()
        cls.silent_since = time.monotonic()

    @classmethod
    def build(cls) -> None:
        cls.reach(cls.attached.host("c1"))

    # --- shares that move ------------------------------------------------------------------------

    def member(self, member: str, **fields: object) -> None:
        self.controller.rest.put(f"{balancing.BASE}/members/{member}", fields)

    @contextmanager
    def moving(self, virtual: VirtualServer, pause_s: float = 0.5) -> Iterator[None]:
        """Meanwhile, shares go from one member to the other and back."""
        over = threading.Event()
        first, second = virtual.members

        def move() -> None:
            for weight in itertools.cycle((9, 1)):
                self.member(first, weight=weight)
                self.member(second, weight=10 - weight)
                if over.wait(pause_s):
                    return

        thread = threading.Thread(target=move)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def moves(self) -> int:
        return sum(vip["moves"] for vip in balancing.placement_state(self.controller.rest))

    # --- the first packets of connections ---------------------------------------------------------

    def half_open(self, server: str) -> set[str]:
        """The clients' ports of connections that a server has not answered yet."""
        return set(re.findall(r":(\d+)\s*$", self.on(server, "ss", "-Htn", "state", "syn-recv", "sport", "=", f":{PORT}"), re.MULTILINE))

    def test_late_syn_acks(self) -> None:
        """a SYN that is sent again reaches the first member, wherever its bucket leads now"""
        virtual = self.service(balancing.TRACKED, algorithm="WRR")
        servers = [server.name for server in self.servers]
        for server in servers:
            self.on(server, "nft", _NO_ANSWERS)
            self.addCleanup(self.on, server, "nft", "delete table inet late", check=False)
        moves, packet_ins = self.moves(), sum(self.packet_ins().values())
        requests = loads.EachOnce(self.attached.host("c1"), VIP, PORT, 100, [self.own_address()] * LATE)
        with self.moving(virtual):
            time.sleep(LATE_S)
            half_open = [self.half_open(server) for server in servers]
        for server in servers:
            self.on(server, "nft", "delete table inet late")
        found = requests.result()
        say(f"  {found}; {self.moves() - moves} moves; half open: {[len(each) for each in half_open]}")
        self.assertEqual(0, found.failed)
        self.assertGreater(self.moves(), moves)
        self.assertEqual((LATE, set()), (sum(map(len, half_open)), set.intersection(*half_open)))
        # the first replies to a next hop pass the controller
        self.assertLess(sum(self.packet_ins().values()) - packet_ins, LATE / 4)

    def test_datagrams_without_answers(self) -> None:
        """a flow has one member, and the controller sees none of it: a thousand datagrams one by one, and many flows that begin with five at once"""
        self.remove_virtual("udp")
        virtual = self.virtual("udp", VIP, ONE_WAY_PORT, placement=balancing.TRACKED, protocol="udp", algorithm="WRR")
        balancing.wait_for_proactive(self.controller.rest, "udp")
        servers, client = [Hears(self.place(server), ONE_WAY_PORT) for server in self.servers], self.attached.host("c1")
        moves, packet_ins = self.moves(), sum(self.packet_ins().values())
        with self.moving(virtual):
            long_ones = datagrams_of.tell(client, VIP, ONE_WAY_PORT, flows=4, count=1000, every=0.003)
            bursts = datagrams_of.tell(client, VIP, ONE_WAY_PORT, flows=100, count=5, burst=5)
        time.sleep(0.5)
        heard = [server.result() for server in servers]
        self.assertGreater(self.moves(), moves)
        self.assertEqual(packet_ins, sum(self.packet_ins().values()))
        wanted = {**dict.fromkeys(long_ones, 1000), **dict.fromkeys(bursts, 5)}
        self.assertEqual(sorted(wanted.items()), sorted(item for each in heard for item in each.items()))

    # --- changes, and silence ---------------------------------------------------------------------

    def test_changes(self) -> None:
        """weights, drains, and a spare member that is down and up, on a busy machine: no connection breaks"""
        virtual = self.service(balancing.TRACKED, algorithm="WRR")
        first, second = virtual.members
        self.controller.rest.post(
            f"{balancing.BASE}/members/",
            {"id": "spare", "address": self.servers[0].ip, "port": str(PORT + 3), "pool_id": virtual.pool_id, "admin_state": "drain"},
        )
        busy = [subprocess.Popen(bound_to_us([sys.executable, "-c", "while True: pass"])) for _ in range(BUSY_LOOPS)]
        for each in busy:
            self.addCleanup(each.wait)
            self.addCleanup(each.kill)
        load = Load(self.attached.host("c1"), VIP, PORT, [self.own_address()], [*KINDS, *KINDS], 50)
        self.addCleanup(load.end)
        changes: Iterator[tuple[str, dict[str, object]]] = itertools.cycle(
            (
                (first, {"weight": 9}),
                ("spare", {"admin_state": "down"}),
                (second, {"admin_state": "drain"}),
                (first, {"weight": 1}),
                ("spare", {"admin_state": "drain"}),
                (second, {"admin_state": "up"}),
                (first, {"weight": 0}),
                (second, {"weight": 3}),
                (first, {"weight": 2}),
            )
        )
        began, moves = time.monotonic(), self.moves()
        for number, (member, fields) in enumerate(itertools.islice(changes, CHANGES), 1):
            self.member(member, **fields)
            time.sleep(max(0.0, began + number * CHANGES_S / CHANGES - time.monotonic()))
        self.assert_unbroken(load, 10, f"{CHANGES} changes in {time.monotonic() - began:.0f} s, {self.moves() - moves} moves")

    def test_silent_connection(self) -> None:
        """it answers after a flood of forged SYNs"""
        self.service(balancing.TRACKED)
        connections = self.tracked()
        client = self.attached.host("c1")
        flood = client.script(processes.FLOOD, VIP, str(PORT), "--seconds", str(FLOOD_S), "--rate", str(FLOOD_PER_SECOND), "--right")
        sent = int(run(flood))
        say(f"  {sent} SYNs, {self.tracked() - connections} more connections, silent for {time.monotonic() - self.silent_since:.0f} s")
        self.assertGreater(self.tracked() - connections, FLOOD_PER_SECOND * FLOOD_S / 2)
        self.silent.say("now")
        self.assertEqual("True", self.silent.line().strip())

    def tracked(self) -> int:
        return int(run(["ovs-appctl", "dpctl/ct-get-nconns"]))
