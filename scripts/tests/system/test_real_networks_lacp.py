"""A member with an 802.3ad bond: it uses no port before a partner has answered its LACP messages."""

from __future__ import annotations

import pytest

from lab.attached import loads, uplinks
from lab.attached.uplinks import HostUplinks
from malob.network.hosts import Host
from tests.system.real_networks import MODES, PORT, VIP, RealNetworkTest, bonds

PORTS = (21, 22)
MEMBER = Host("lm", "s2", "10.0.0.62/24", "server")


@pytest.mark.real_time
class LacpTest(RealNetworkTest):
    """Both ports are at one switch, whose controller is the partner."""

    properties = bonds("s2", PORTS, lacp=True)
    member: HostUplinks

    @classmethod
    def build(cls) -> None:
        cls.member = HostUplinks(cls.attached, MEMBER.name, [MEMBER.address], ["s2", "s2"], mode=uplinks.LACP, numbers=PORTS)
        loads.start_server(cls.member.place, PORT)
        cls.reach(cls.member.place)

    def test_requests(self) -> None:
        for mode in MODES:
            with self.subTest(mode=mode):
                self.service(mode, servers=[MEMBER])
                self.assert_prompt(loads.each_once(self.attached.host("c1"), VIP, PORT, 20, ["10.0.0.1"] * 40, 20_000), mode)
