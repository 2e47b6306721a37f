"""Checks the state of a running end host."""

from __future__ import annotations

from typing import Any

from malob.endhost import firewall, network, switch
from malob.endhost.controller import Controller
from malob.endhost.names import INSIDE
from malob.endhost.options import Settings
from malob.endhost.place import Place
from malob.endhost.rules import ours
from malob.errors import ScriptError
from malob.system.journal import Journal


def look(place: Place) -> dict[str, Any]:
    """The controller's status, with the existing set-up under "setup", and its defects under "broken".

    Raises ScriptError if nothing is up here.
    """
    journal = Journal(place.journal)
    if not journal.exists() or not journal.is_of_this_network():
        raise ScriptError("no end host is up here")
    settings = Settings.of(journal.read()["settings"])
    controller = Controller(place, settings)
    supervisor, process = journal.owner(), controller.process()
    broken = []
    if supervisor is None:
        broken.append("the supervisor is not running: the same './malob endhost up' as before takes over its state, 'down' undoes it")
    status: dict[str, Any] = {}
    try:
        status = controller.status()
    except ScriptError as error:
        broken.append(f"the controller does not answer: {error}")
    broken += _complaints(status) + _missing(place, journal)
    setup = {
        "supervisor": supervisor.pid if supervisor else None,
        "controller": process.pid if process else None,
        "openflow_port": settings.openflow_port,
        "http_port": settings.http_port,
        "own_switch": bool(journal.steps("daemons")),
        "log": str(place.log),
        "controller_log": str(controller.log),
    }
    return {**status, "setup": setup, "broken": broken}


def _complaints(status: dict[str, Any]) -> list[str]:
    if not status:
        return []
    if not status["configured"]:
        return ["the controller has just started and has no configuration yet"]
    found = [] if status["connected"] else ["the switch is not connected to the controller"]
    dead = [uplink["name"] for uplink in status["uplinks"] if not uplink["alive"]]
    found += [f"uplink {name} is dead" for name in dead]
    avoided = [uplink["name"] for uplink in status["uplinks"] if uplink["alive"] and uplink["avoided"]]
    return found + [f"uplink {name} is avoided: its router answers, but servers that answer over another uplink do not" for name in avoided]


def _missing(place: Place, journal: Journal) -> list[str]:
    found = []
    if journal.steps("daemons") and len(switch.daemons(place).processes()) < 2:
        found.append("Open vSwitch is not running")
    if INSIDE not in network.read():
        found.append(f"the interface {INSIDE} is missing")
    if journal.steps("firewall") and not firewall.is_up():
        found.append("the table of nftables is missing")
    if journal.steps("policy") and not ours(4) and not ours(6):
        found.append("the policy rules are missing")
    return found
