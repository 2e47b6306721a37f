"""Two routers of which one is the gateway: by keepalived, or by a script of ours."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from lab.attached.places import Attachments
from lab.attached.routers import FIRST_NETWORK, ClientNetwork, Clients, Join, Router
from malob.errors import UsageError
from malob.system.processes import run
from malob.system.waiting import wait_until

#: How the gateway's address moves: with VRRP from interface to interface, with its virtual MAC, or by a script.
ADDRESS, VIRTUAL_MAC, SCRIPT = "address", "virtual-mac", "script"
KINDS = (ADDRESS, VIRTUAL_MAC, SCRIPT)
_ADVERT_S = 0.2
ANNOUNCE = Path(__file__).parent / "announce.py"

_CONFIGURATION = """
global_defs {
  vrrp_version 3
  vrrp_garp_master_delay 1
}
vrrp_sync_group both {
  group {
    inside
    outside
  }
}
"""
_INSTANCE = """
vrrp_instance {name} {{
  state BACKUP
  nopreempt
  interface {device}
  virtual_router_id {number}
  priority {priority}
  advert_int {advert_s}
  {vmac}
  virtual_ipaddress {{
    {address}
  }}
}}
"""


class GatewayPair:
    """Two routers; the first one is the gateway at the beginning, of clients and of members.

    joins: give the routers their eth0, which need not be at the same switch. ipv6: the address is one of IPv6, only by a script.
    """

    def __init__(
        self, attached: Attachments, kind: str, joins: tuple[Join, Join], network: ClientNetwork = FIRST_NETWORK, ipv6: bool = False
    ) -> None:
        if kind not in KINDS or (ipv6 and kind != SCRIPT):
            raise UsageError(f"gateways: expected one of {', '.join(KINDS)}, for IPv6 {SCRIPT}, not '{kind}'")
        self.kind, self._ipv6 = kind, ipv6
        self._attached = attached
        self.clients = Clients(attached, network)
        #: on the members' side
        self.address, *own = (self._beside_members(80 + 3 * network.number + index) for index in range(3))
        self.routers = [
            Router(attached, f"gw{network.number}{n}", [f"{address}/{64 if ipv6 else 24}"], self.clients, join)
            for n, (address, join) in enumerate(zip(own, joins), start=1)
        ]
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self.clients.use(network.gateway, network.gateway6 if ipv6 else "")
        if kind == SCRIPT:
            self._take(self.first)
            return
        self._start(self.first)
        wait_until(lambda: self.is_gateway(self.first), "the first router to be the gateway", 15, 0.02)
        self._start(self.second)

    @property
    def first(self) -> Router:
        return self.routers[0]

    @property
    def second(self) -> Router:
        return self.routers[1]

    def is_gateway(self, router: Router) -> bool:
        return f" {self.address}/" in router.place.run("ip", "-o", "addr")

    def _beside_members(self, number: int) -> str:
        return f"fd00:a00::{number:x}" if self._ipv6 else f"10.0.0.{number}"

    def die(self) -> float:
        """The first one dies silently: its ports stay up. Returns the time until the other one is the gateway."""
        daemon = self._daemons.get(self.first.place.name)
        if daemon is not None:
            daemon.kill()
        self.first.die()
        return self._wait_for_second()

    def unplug(self) -> float:
        """The first one's ports go down."""
        self.first.unplug()
        return self._wait_for_second()

    def hand_over(self) -> float:
        """The first one goes on as a router, but the other one is the gateway."""
        daemon = self._daemons.get(self.first.place.name)
        if daemon is not None:
            daemon.terminate()
        else:
            self._change(self.first, "del")
        return self._wait_for_second()

    def end(self) -> None:
        """Both are gone; their ports stay."""
        for daemon in self._daemons.values():
            daemon.kill()
            daemon.wait()
        for router in self.routers:
            router.unplug()

    def _wait_for_second(self) -> float:
        """A script takes as long as keepalived."""
        began = time.monotonic()
        if self.kind == SCRIPT:
            time.sleep(3 * _ADVERT_S)
            self._take(self.second)
        wait_until(lambda: self.is_gateway(self.second), "the second router to be the gateway", 10, 0.02)
        return time.monotonic() - began

    def _ways(self) -> list[tuple[str, str]]:
        network = self.clients.network
        return [("eth0", self.address), ("eth1", network.gateway6 if self._ipv6 else network.gateway)]

    def _change(self, router: Router, what: str) -> None:
        for device, address in self._ways():
            router.place.run("ip", "addr", what, f"{address}/{128 if self._ipv6 else 32}", "dev", device)

    def _take(self, router: Router) -> None:
        self._change(router, "add")
        for device, address in self._ways():
            run(router.place.script(ANNOUNCE, device, address))

    def _start(self, router: Router) -> None:
        name = router.place.name
        directory = self._attached.lab.directory
        text = _CONFIGURATION
        for number, (device, address) in enumerate(self._ways()):
            text += _INSTANCE.format(
                name=("inside", "outside")[number],
                device=device,
                number=51 + 2 * self.clients.network.number + number,
                priority=200 - 50 * (router.number - 1),
                advert_s=_ADVERT_S,
                vmac=f"use_vmac vrrp{number}" if self.kind == VIRTUAL_MAC else "",
                address=f"{address}/32",
            )
        file = directory / f"keepalived-{name}.conf"
        file.write_text(text, encoding="utf-8")
        log = directory / f"keepalived-{name}.log"
        pids = [f"{directory}/keepalived-{name}.pid", f"{directory}/keepalived-{name}-vrrp.pid"]
        command = ["keepalived", "--dont-fork", "--vrrp", "--log-console", "--no-syslog", "-f", str(file), "-p", pids[0], "-r", pids[1]]
        with open(log, "ab") as out:
            self._daemons[name] = router.place.start(command, stdout=out, stderr=out)
