"""Sets an end host up, step by step, each recorded beforehand; and undoes the recorded steps."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import partial
from typing import Any, Callable

from malob.endhost import arp, firewall, inside, network, offloads, policy, switch
from malob.endhost.controller import Controller, make_archive
from malob.endhost.names import INSIDE
from malob.endhost.network import Interface
from malob.endhost.options import Settings
from malob.endhost.place import Place
from malob.errors import ScriptError
from malob.system.cleanup import Cleanup
from malob.system.journal import Journal, Step
from malob.system.processes import run, succeeds
from malob.system.waiting import say


class Setup:
    """One end host's changes to the system. Raises ScriptError if one fails; undo() then reverts all."""

    def __init__(self, place: Place, settings: Settings) -> None:
        self._place, self._settings = place, settings
        self.journal = Journal(place.journal)
        self.controller = Controller(place, settings)

    def make(self) -> None:
        """Everything except the rules that send packets to the switch: the supervisor adds those once all works."""
        make_archive(self._place.directory)
        names = [uplink.name for uplink in self._settings.uplinks]
        interfaces = network.read()
        inside.make(self.journal, self._settings, min(interfaces[name].mtu for name in names))
        self.journal.add("controller")
        self.controller.launch()
        self.journal.add("firewall")
        firewall.raise_up(names)
        for name in names:
            self.prepare_uplink(interfaces[name])
        self._make_switch(names)
        self.controller.wait()

    def is_whole(self) -> bool:
        """Whether all recorded objects were created and still exist, except programs, which can be restarted."""
        return self.journal.is_of_this_network() and bool(self.journal.steps("policy")) and INSIDE in network.read() and firewall.is_up()

    def take_up(self) -> None:
        """Takes over the objects of an earlier supervisor; restarts programs that have ended meanwhile."""
        if self.journal.steps("daemons"):
            switch.address_own(self._place)
            switch.start_daemons(self._place)
        if self.controller.process() is None:
            self.controller.launch()
        self.controller.wait()

    def known_indexes(self) -> dict[str, int]:
        """Of the uplinks whose interfaces were changed, as they were last."""
        return {step["device"]: step["index"] for kind in ("promiscuous", "offloads", "arp") for step in self.journal.steps(kind)}

    def prepare_uplink(self, interface: Interface) -> None:
        """Lets an interface pass frames unchanged. A recreated one starts again."""
        name, index = interface.name, interface.index
        if not interface.promiscuous:
            # the switch sets it, and cannot revert it if it is killed
            self.journal.add("promiscuous", device=name, index=index)
        features = offloads.merging_at(name)
        if features:
            self.journal.add("offloads", device=name, index=index, features=features)
            offloads.turn(name, features, False)
        lenient = arp.lenient_at(name)
        if lenient:
            self.journal.add("arp", device=name, index=index, values=lenient)
            arp.tighten(name)

    def _make_switch(self, names: list[str]) -> None:
        own = not switch.machine_has_daemons()
        if own:
            self.journal.add("daemons")
            switch.address_own(self._place)
            switch.start_daemons(self._place)
        switch.make_bridge(self.journal, own, names, self._settings.openflow_port)

    def undo(self) -> None:
        """Undoes all recorded steps, the last first, and then removes the journal.

        Raises ScriptError if a step fails, after all others; the journal then still has it.
        """
        if self.journal.is_of_this_network():
            self._part()
        cleanup = Cleanup()
        self.journal.undo({kind: partial(undo, self) for kind, undo in _UNDO.items()}, cleanup)
        if cleanup.failures:
            raise ScriptError(f"not everything could be undone: {'; '.join(cleanup.failures)}. Try './malob endhost down' again")
        self.journal.end()
        self._remove_files()

    def _part(self) -> None:
        """Stops new flows, and ends open ones."""
        if self.journal.steps("policy"):
            try:
                policy.refuse_new(self._settings.inside_address)
            except ScriptError as error:
                say(f"malob endhost: {error}")
        if self.controller.process() is not None:
            self.controller.forget()

    def _undo_policy(self, step: Step) -> None:
        if self._is_here():
            policy.remove_all(step["tables"])
            # what is left, because no controller could reset it; not every kernel can
            succeeds(["ss", "--kill", "src", self._settings.inside_address])

    def _undo_bridge(self, step: Step) -> None:
        # our own daemons go, with all that they have
        if not step["own"]:
            switch.remove_bridge()

    def _undo_daemons(self, _step: Step) -> None:
        switch.stop_daemons(self._place)

    def _undo_offloads(self, step: Step) -> None:
        if self._has_device(step):
            offloads.turn(step["device"], step["features"], True)

    def _undo_arp(self, step: Step) -> None:
        if self._has_device(step):
            arp.restore(step["device"], step["values"])

    def _undo_promiscuous(self, step: Step) -> None:
        if self._has_device(step):
            run(["ip", "link", "set", step["device"], "promisc", "off"])

    def _has_device(self, step: Step) -> bool:
        """Whether an interface is still the changed one."""
        interface = network.read().get(step["device"])
        return self._is_here() and interface is not None and interface.index == step["index"]

    def _undo_firewall(self, _step: Step) -> None:
        if self._is_here():
            firewall.take_down()

    def _undo_controller(self, _step: Step) -> None:
        self.controller.stop()

    def _undo_inside(self, _step: Step) -> None:
        if self._is_here():
            inside.remove()

    def _is_here(self) -> bool:
        """After a reboot nothing needs to be undone, and the names may belong to other programs."""
        return self.journal.is_of_this_network()

    def _remove_files(self) -> None:
        """All except the logs of the last run."""
        for name in ("data", "rehearsal", "openvswitch"):
            shutil.rmtree(self._place.directory / name, ignore_errors=True)
        (self._place.directory / "token").unlink(missing_ok=True)


_UNDO: Mapping[str, Callable[[Setup, Any], None]] = {
    "policy": Setup._undo_policy,
    "bridge": Setup._undo_bridge,
    "daemons": Setup._undo_daemons,
    "offloads": Setup._undo_offloads,
    "arp": Setup._undo_arp,
    "promiscuous": Setup._undo_promiscuous,
    "firewall": Setup._undo_firewall,
    "controller": Setup._undo_controller,
    "inside": Setup._undo_inside,
}
