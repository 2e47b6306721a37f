"""OpenFlow switches that only a legacy switch joins: it learns where the frames of VIPs go, as it does of others."""

from __future__ import annotations

import time
from typing import ClassVar

import pytest

from lab.attached import loads, networks
from lab.attached.loads import Capture
from lab.attached.places import Place
from lab.attached.segments import Segment
from tests.system.real_networks import MODES, PORT, VIP, RealNetworkTest

_FETCHES, _SIZE = 10, 200_000
_LABEL = "0a:4d:4c"


@pytest.mark.real_time
class SegmentsTest(RealNetworkTest):
    """Three switches at one legacy switch, members at two of them, clients at two of them and at the legacy switch."""

    topology_name = str(networks.ISLANDS)
    segment: ClassVar[Segment]
    clients: ClassVar[dict[Place, str]]
    bystander: ClassVar[Place]

    @classmethod
    def build(cls) -> None:
        cls.segment = Segment(cls.attached, "sw")
        for switch in ("s1", "s2", "s3"):
            cls.segment.join_switch(switch)
        cls.bystander = cls.segment.host("lb", ["10.0.0.22/24"])
        cls.clients = {cls.segment.host("lc", ["10.0.0.21/24"]): "10.0.0.21"}
        for switch in ("s1", "s3"):
            place, address = cls.attached.place(f"o{switch}"), f"10.0.0.3{switch[1:]}"
            cls.attached.join(switch, place, addresses=[f"{address}/24"])
            cls.clients[place] = address
        cls.reach(*cls.clients, cls.bystander)

    def fetch(self, what: str) -> None:
        for place, source in self.clients.items():
            self.assert_prompt(loads.each_once(place, VIP, PORT, 20, [source] * _FETCHES, _SIZE), f"{what}, {place.name}")

    def test_fetches(self) -> None:
        """All are served, each MAC stays at one port of the legacy switch, and its hosts see no frame of the VIP."""
        for mode in MODES:
            with self.subTest(mode=mode):
                self.service(mode)
                self.fetch(f"{mode}, at first")
                watch, capture = self.segment.watch(), Capture(self.bystander)
                before = sum(self.packet_ins().values())
                try:
                    for _ in range(2):
                        self.fetch(mode)
                        time.sleep(1)
                finally:
                    moved = {mac: ports for mac, ports in watch.end().items() if len(ports) > 1}
                    frames = capture.end()
                packet_ins = sum(self.packet_ins().values()) - before
                self.assertEqual({}, moved)
                flooded = [frame for frame in frames if VIP in (frame["ip_src"], frame["ip_dst"]) or frame["dst"].startswith(_LABEL)]
                self.assertEqual([], flooded)
                # ends and first packets of connections, and no data: a fetch has 140 segments
                self.assertLess(packet_ins, 10 * 2 * _FETCHES * len(self.clients))

    def test_forgetful(self) -> None:
        """What the legacy switch floods, when it has forgotten all, is dropped by the switches that it does not concern."""
        self.service()
        self.fetch("at first")
        before = sum(self.packet_ins().values())
        self.segment.forget()
        self.fetch("after it has forgotten")
        self.assertLess(sum(self.packet_ins().values()) - before, 10 * _FETCHES * len(self.clients))
