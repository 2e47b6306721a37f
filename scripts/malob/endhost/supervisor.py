"""Maintains an end host while it is up: follows addresses, and restarts ended programs."""

from __future__ import annotations

import time
from typing import Any, Callable

from malob.endhost import document, inside, network, policy, switch
from malob.endhost.document import UplinkState
from malob.endhost.names import INSIDE, INSIDE_IPV6
from malob.endhost.network import Interface
from malob.endhost.notices import Notices
from malob.endhost.options import Settings
from malob.endhost.place import Place
from malob.endhost.setup import Setup
from malob.errors import ScriptError
from malob.rest.client import RestError
from malob.system.processes import ProcessId
from malob.system.waiting import say, wait_until

#: The interval between checks of programs, and between full checks in case a notice was missed.
_LOOK_S, _LOOK_CLOSELY_S = 2.0, 30.0
_LONGEST_PAUSE_S = 30.0
_ROUTERS_S = 2.0


class Supervisor:
    """One thread. make() sets all up, watch() ends only by an exception; the caller undoes."""

    def __init__(self, place: Place, settings: Settings) -> None:
        self._place, self._settings = place, settings
        self.setup = Setup(place, settings)
        self._controller = self.setup.controller
        self._notices = Notices()
        self._policy = policy.Policy(settings.inside_address, settings.inside_gateway)
        self._uplinks = [UplinkState(option) for option in settings.uplinks]
        self._indexes: dict[str, int] = {}
        self._inside_mac = ""
        #: whether it is to have an IPv6 address, and has got it
        self._inside_ipv6, self._has_inside_ipv6 = False, False
        self._mtu = 0
        self._owns_switch = False
        self._daemons: list[ProcessId] = []
        self._told: Any = None
        self._algorithm = settings.algorithm
        self._pause_s, self._not_before = 0.0, 0.0

    def make(self) -> None:
        """Sets everything up. Raises ScriptError if that fails."""
        self.setup.make()
        self._begin()
        self.setup.journal.add("policy", tables=1 + len(self._uplinks))
        self._apply_policy()
        self._wait_for_routers()

    def take_over(self, earlier: Settings) -> None:
        """Continues after another supervisor was killed; open flows continue. Raises ScriptError if that fails."""
        self.setup.take_up()
        if not self._controller.status()["configured"]:
            self._algorithm = self._algorithm or earlier.algorithm
        self._indexes = self.setup.known_indexes()
        self._begin()
        self._apply_policy()
        self._wait_for_routers()

    def _begin(self) -> None:
        self._owns_switch = bool(self.setup.journal.steps("daemons"))
        self._look()
        self._configure(self._configuration(), first=True)
        wait_until(lambda: self._controller.status()["connected"], "the switch to connect", 10, 0.05)

    def _wait_for_routers(self) -> None:
        """Gives the routers of all uplinks time to answer; a silent router is not a failure."""
        deadline = time.monotonic() + _ROUTERS_S
        while time.monotonic() < deadline and not all(uplink["alive"] for uplink in self._controller.status()["uplinks"]):
            time.sleep(0.05)

    def watch(self, ready: Callable[[], None]) -> None:
        """Handles events, until an exception."""
        ready()
        look_at = 0.0
        while True:
            if self._notices.wait(_LOOK_S) or time.monotonic() > look_at:
                done = self._attempt(self._follow)
                look_at = time.monotonic() + (_LOOK_CLOSELY_S if done else _LOOK_S)
            self._attempt(self._keep_running)

    def _attempt(self, work: Callable[[], None]) -> bool:
        """A failure, for example because an interface was removed meanwhile, is retried soon.

        Returns whether it succeeded.
        """
        try:
            work()
            return True
        except ScriptError as error:
            say(f"malob endhost: {error}")
            self._told = None
            return False

    def _follow(self) -> None:
        """Changes only what differs: each change causes a notice, and a call of this method."""
        before = self._uplinks
        self._look()
        self._apply_policy()
        for old, new in zip(before, self._uplinks):
            if old != new:
                say(f"malob endhost: {_words(new)}")
        self._tell()
        self._remember_algorithm()

    def _remember_algorithm(self) -> None:
        """A change over REST also applies to the next controller."""
        if self._told is not None:
            try:
                status = self._controller.status()
            except RestError:
                # it is asked again
                return
            # without a configuration, it has only its default
            if status["configured"]:
                self._algorithm = status["algorithm"]

    def _look(self) -> None:
        """Reads the network, and prepares new uplinks."""
        interfaces = network.read()
        self._uplinks = [uplink.seen(interfaces.get(uplink.name)) for uplink in self._uplinks]
        self._others = document.others(interfaces, self._settings)
        if INSIDE not in interfaces:
            raise ScriptError(f"{INSIDE} was removed; './malob endhost down' and 'up' create it again")
        self._inside_mac = interfaces[INSIDE].mac
        # it stays when the last uplink with IPv6 goes: applications are reset over it
        self._inside_ipv6 |= INSIDE_IPV6 in interfaces[INSIDE].ipv6 or document.has_ipv6(self._uplinks)
        present = {name: interfaces[name] for name in (uplink.name for uplink in self._uplinks) if name in interfaces}
        for name, interface in present.items():
            if self._indexes.get(name) != interface.index:
                self._take_up(interface)
        mtu = min((interface.mtu for interface in present.values()), default=self._mtu)
        if self._mtu not in (0, mtu):
            inside.set_mtu(mtu)
        self._mtu = mtu

    def _take_up(self, interface: Interface) -> None:
        """An interface is new, or was recreated."""
        numbers = {uplink.name: number for number, uplink in enumerate(self._uplinks, 2)}
        self.setup.prepare_uplink(interface)
        if interface.name in self._indexes:
            switch.attach_again(interface.name, numbers[interface.name])
        self._indexes[interface.name] = interface.index

    def _apply_policy(self) -> None:
        if self._inside_ipv6 and not self._has_inside_ipv6:
            inside.add_ipv6()
            self._has_inside_ipv6 = True
        self._policy.follow(4, [uplink.way(4) for uplink in self._uplinks], ())
        self._policy.follow(6, [uplink.way(6) for uplink in self._uplinks], self._others)

    def _tell(self) -> None:
        """Sends changes to the controller."""
        now = self._configuration()
        if now != self._told:
            try:
                self._configure(now, first=not self._controller.status()["configured"])
            except RestError as error:
                if error.status != 0:
                    raise
                # it has ended, or is busy: _keep_running comes back to it
                self._told = None

    def _configuration(self) -> dict[str, Any]:
        """All except the algorithm, which can also be changed over REST."""
        return document.configuration(self._settings, self._inside_mac, self._inside_ipv6, self._uplinks)

    def _configure(self, now: dict[str, Any], first: bool) -> None:
        """first: the controller also gets the current algorithm, if known."""
        algorithm = {"algorithm": self._algorithm} if first and self._algorithm is not None else {}
        self._controller.configure({**now, **algorithm})
        self._told = now

    def _keep_running(self) -> None:
        now = time.monotonic()
        if self._controller.process() is None:
            if now >= self._not_before:
                self._restart_controller(now)
            return
        if self._told is None:
            self._tell()
            if self._told is not None:
                self._pause_s = 0.0
        if self._owns_switch and not (self._daemons and all(daemon.alive() for daemon in self._daemons)):
            self._daemons = switch.daemons(self._place).processes()
            if len(self._daemons) < 2:
                say("malob endhost: Open vSwitch has exited; restarting it")
                switch.start_daemons(self._place)

    def _restart_controller(self, now: float) -> None:
        say("malob endhost: the controller has exited; restarting it")
        self._pause_s = min(_LONGEST_PAUSE_S, max(0.5, 2 * self._pause_s))
        self._not_before = now + self._pause_s
        self._controller.launch()
        self._told = None
        self._controller.wait()
        self._tell()


def _words(uplink: UplinkState) -> str:
    if not uplink.up:
        return f"{uplink.name} is down or missing"
    addresses = ", ".join(sum(uplink.addresses, ())) or "no address"
    return f"{uplink.name} has {addresses}; its gateway is {', '.join(filter(None, uplink.gateways)) or 'unknown'}"
