"""Addresses on a bridge itself, at its LOCAL port, as a hypervisor has them: as client and as member."""

from __future__ import annotations

import pytest

from lab.attached import loads
from lab.attached.places import Place
from malob.network.hosts import Host
from tests.system.real_networks import MODES, PORT, VIP, RealNetworkTest

REQUESTS, SIZE = 20, 200_000
LOCAL = Host("s1", "s1", "10.0.0.71/24", "server")


@pytest.mark.real_time
class LocalTest(RealNetworkTest):
    local: Place

    @classmethod
    def build(cls) -> None:
        cls.local = cls.attached.local(LOCAL.switch, [LOCAL.address])
        loads.start_server(cls.local, PORT)
        cls.reach(cls.local)

    def test_member(self) -> None:
        for mode in MODES:
            with self.subTest(mode=mode):
                self.service(mode, servers=[LOCAL])
                for client in ("c1", "w1"):
                    source = self.lab.topology.hosts[client].ip
                    self.assert_prompt(loads.each_once(self.attached.host(client), VIP, PORT, 20, [source] * REQUESTS, SIZE), f"{mode}, {client}")

    def test_client(self) -> None:
        for mode in MODES:
            with self.subTest(mode=mode):
                self.service(mode)
                self.assert_prompt(loads.each_once(self.local, VIP, PORT, 20, [LOCAL.ip] * REQUESTS, SIZE), mode)
