"""One running lab: made by up(), found by find(), removed by down(), also after a crash.

Every name that it creates in the system starts with the instance's own name and a dash, LAB-:

    LAB-SWITCH    the bridge that is a switch
    LAB-HOST      the network namespace that is a host; its interface is eth0, and eth0.VLAN above it if the host tags
                  its frames. LAB-SWITCH.node is that of a node
    LAB-2p3 port 3 of the second switch of the topology: the device towards a host, a node or another switch

Whatever it creates is recorded before it is created, in /run/malob/NAME/state.json, a journal, so that down() always knows.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Callable, NamedTuple

from lab.control import Relay
from lab.shaping import choice
from lab.shaping.shaper import Shaper
from lab.shaping.trace import Trace
from malob.errors import ScriptError, UsageError
from malob.network import labs
from malob.network.labs import Lab
from malob.network.links import Direction, Link
from malob.network.topology import Topology
from malob.system import namespaces, ovs, receive_buffers
from malob.system.cleanup import Cleanup
from malob.system.journal import Journal, Step, this_process
from malob.system.lock import locked
from malob.system.namespaces import Namespace
from malob.system.place import RUN_DIRECTORY
from malob.system.processes import ProcessId
from malob.system.waiting import say, undisturbed, wait_until

DEFAULT_CONTROLLER = "127.0.0.1:6653"

#: How long to wait until another process has built or removed its lab; hundreds of switches take minutes.
_PATIENCE_S = 300.0


@dataclass(frozen=True)
class Instance(Lab):
    """A lab with all its parts.

    controller: HOST:PORT that the switches connect to; several are separated by commas. shaper_kind: what shapes links.
    scale: the factor of all rates of the topology and of traces.
    """

    controller: str
    datapath: str
    shaper_kind: str = "emulator"
    scale: float = 1

    def bridge(self, switch: str) -> str:
        """The name of a switch's bridge, for ovs-vsctl and ovs-ofctl."""
        self._check_switch(switch)
        return f"{self.name}-{switch}"

    def device(self, host: str) -> str:
        """The name of the interface that joins a host to its switch, at the switch."""
        place = self.topology.place(host)
        return self._port_device(place.switch, place.name)

    def link_device(self, here: str, there: str) -> str:
        """The name of the interface of switch `here` that leads to switch `there`.

        Raises UsageError if the topology has no such link.
        """
        for end in (here, there):
            self._check_switch(end)
        if there not in self.topology.neighbours(here):
            raise UsageError(f"topology '{self.topology.name}' has no link {here} - {there}")
        return self._port_device(here, there)

    def set_link(self, first: str, second: str, up: bool) -> None:
        """Takes a link down or up, for both switches at the same time.

        Raises UsageError if the topology has no such link. Does nothing if the link is already in this state.
        """
        ends = [(switch, self.link_device(switch, other)) for switch, other in ((first, second), (second, first))]
        if up:
            link = self.topology.link(first, second)
            self._put_back(link, self.shaped(link))
        else:
            ovs.vsctl(*ovs.joined([["--if-exists", "del-port", self.bridge(switch), device] for switch, device in ends]))

    @property
    def shaper(self) -> Shaper:
        """The shaper of links; a direction is identified by link_device() at its beginning."""
        return choice.shaper(self.shaper_kind, self.directory, len(self.topology.switches))

    def shaped(self, link: Link) -> bool:
        """Whether the shaper carries the link; other links are as fast as the switches."""
        return link.limited or self.shaper.carries(self.link_device(*link.ends))

    def shape(self, here: str, there: str, direction: Direction) -> None:
        """Sets what the link does to packets from switch `here` to switch `there`.

        The first change of a link without limits removes its ports from the switches and adds them again.
        """
        self._make_shaped(here, there)
        self.shaper.set(self.link_device(here, there), direction)

    def play(self, here: str, there: str, trace: Trace) -> None:
        """Lets a trace change the link from switch `here` to switch `there`."""
        self._make_shaped(here, there)
        self.shaper.play(self.link_device(here, there), trace.scaled(self.scale))

    def _make_shaped(self, here: str, there: str) -> None:
        link = self.topology.link(here, there)
        if not self.shaped(link):
            self.set_link(here, there, False)
            self._put_back(link, True)

    def _put_back(self, link: Link, shaped: bool) -> None:
        devices = [self.link_device(*ends) for ends in (link.ends, link.ends[::-1])]
        if shaped and not self.shaper.of_switches:
            self.shaper.join(*devices)
        ovs.vsctl(*ovs.joined(_link(self, *link.ends, shaped)))
        if shaped and self.shaper.of_switches:
            self.shaper.join(*devices)

    @property
    def journal(self) -> Journal:
        """What down() undoes; for what is added to a lab that is up, by the process that it belongs to."""
        return _journal(self.name)

    def add_process(self, pid: int) -> None:
        """Records a process that down() ends; for processes that outlive the program that started them."""
        with _lock("is changing", self.name):
            _add_process(self.name, pid)

    def disown(self) -> None:
        """Keeps the lab when this process ends: it is not a left-over then."""
        with _lock("is changing", self.name):
            _journal(self.name).disown()

    def _port_device(self, switch: str, neighbour: str) -> str:
        number = list(self.topology.switches).index(switch) + 1
        return f"{self.name}-{number}p{self.topology.ports(switch)[neighbour]}"

    def _check_switch(self, name: str) -> None:
        if name not in self.topology.switches:
            raise UsageError(f"no switch '{name}' in topology '{self.topology.name}'; there are: {', '.join(self.topology.switches)}")


def up(
    network: Topology,
    name: str = labs.DEFAULT_NAME,
    controller: str = DEFAULT_CONTROLLER,
    owned: bool = False,
    control_delays_ms: Mapping[str, float] = MappingProxyType({}),
    scale: float = 1,
    shaper: str | None = None,
) -> Instance:
    """Builds a lab and returns when its interfaces are ready; the controller need not be there yet.

    control_delays_ms: one way, by switch, of the channel to its controller. scale: multiplies every rate.
    shaper: "netem" or "emulator"; None for netem where the kernel has it.
    If the kernel cannot tag frames, hosts that should do so do not: see the topology of the returned lab.
    owned: the lab belongs to this process: remove_own() removes it, and once the process has ended it is a left-over, which
    is replaced without a question. Raises ScriptError if a lab of that name is up, or if something with its names exists that
    is not part of a lab; then nothing is left behind and nothing else is changed.
    """
    labs.check_name(name)
    with _lock("is building", name):
        _clear_leftover(name)
        instance = Instance(name, _with_tags_that_can_be(network).scaled(scale), controller, ovs.datapath_type(), choice.choose(shaper), scale)
        journal = _journal(name)
        try:
            journal.begin(
                owned,
                topology={"name": network.name, **instance.topology.to_json()},
                controller=controller,
                datapath=instance.datapath,
                shaper=instance.shaper_kind,
                scale=scale,
            )
            journal.add("daemons")
            ovs.ensure_running()
            _check_free(instance)
            _build(instance, _control_channels(instance, control_delays_ms))
        except BaseException:
            with undisturbed():
                cleanup = Cleanup()
                _remove(name, cleanup)
                cleanup.report()
            raise
    return instance


def _with_tags_that_can_be(network: Topology) -> Topology:
    """The topology unchanged if this machine's hosts can tag frames as needed; otherwise with switches that tag for them."""
    tagging = [host.name for host in network.hosts.values() if host.tagged_by == "host"]
    if not tagging or namespaces.vlan_devices():
        return network
    say(f"this kernel has no VLAN devices (8021q): frames of {', '.join(tagging)} are plain, as if tagged_by were 'switch'")
    return network.tagged_by_switches()


def clear_leftover(name: str) -> None:
    """Removes a lab whose owner has ended without cleaning up. Raises ScriptError if it is in use."""
    labs.check_name(name)
    with _lock("is removing", name):
        _clear_leftover(name)


def down(name: str) -> bool:
    """Removes a lab completely, also of another process and half-built ones. False if there was none.

    Raises ScriptError after removing everything else if something could not be removed; another call retries the rest.
    """
    labs.check_name(name)
    with _lock("is removing", name):
        return _removed(name)


def remove_own(name: str) -> None:
    """Removes the lab of that name if this process has built it as its own; does nothing otherwise. Raises as down() does."""
    with _lock("is removing", name):
        if name in labs.running() and labs.read_state(name)["owner"] == this_process():
            _removed(name)


def find(name: str | None = None) -> Instance:
    """The lab of that name, or the result of pick(). Raises ScriptError if it is not up."""
    name, state = labs.state_of(name)
    # a lab of an earlier version has neither
    shaper, scale = state.get("shaper", "emulator"), state.get("scale", 1)
    return Instance(name, labs.topology_of(state), state["controller"], state["datapath"], shaper, scale)


def find_all() -> list[Instance]:
    """All labs that are up, without those that are being removed."""
    found = []
    for name in labs.running():
        try:
            found.append(find(name))
        except ScriptError:
            if name in labs.running():
                raise
    return found


class Channel(NamedTuple):
    """From a switch to its controllers, as HOST:PORT,...; delay_ms: one way."""

    controllers: str
    delay_ms: float = 0

    @property
    def max_backoff_ms(self) -> int:
        """The max pause between attempts to connect, which Open vSwitch counts in seconds.

        A switch that lost its controller tries again every second, not only every eight. But the pause is also the time that an
        attempt may take, and the controller's first message comes after three times the delay.
        """
        return 1000 * math.ceil(0.5 + 3 * self.delay_ms / 1000)


def _control_channels(instance: Instance, delays_ms: Mapping[str, float]) -> dict[str, Channel]:
    """By switch: to the relay if the channel is delayed."""
    channels = dict.fromkeys(instance.topology.switches, Channel(instance.controller))
    if delays_ms:
        if "," in instance.controller:
            raise UsageError("channels can be delayed to one controller only")
        relay = Relay(instance.controller, delays_ms, instance.directory / "relay.log")
        try:
            _add_process(instance.name, relay.pid)
        except BaseException:
            relay.abandon()
            raise
        relay.go()
        channels.update({switch: Channel(endpoint, delays_ms[switch]) for switch, endpoint in relay.endpoints.items()})
    return channels


def _build(instance: Instance, channels: Mapping[str, Channel]) -> None:
    """channels: those of each switch."""
    network, journal = instance.topology, _journal(instance.name)
    namespaces.create(journal, _namespaces(instance))
    # a link without limits may get limits later
    journal.add("links")
    ovs.keep_punctual()
    shaped = [link for link in network.links if link.limited]
    if not instance.shaper.of_switches:
        _join(instance, shaped)
    commands = [command for switch in network.switches for command in control_and_hosts(instance, switch, channels[switch])]
    for link in network.links:
        commands += _link(instance, *link.ends, link.limited)
    # ten switches take a second on a slow machine
    patience_s = 20 + len(network.switches)
    bridges = {instance.bridge(switch): columns(instance, switch) for switch in network.switches}
    ovs.make_bridges(journal, {"kind": "bridges"}, bridges, commands, patience_s)
    if instance.shaper.of_switches:
        _join(instance, shaped)
    wait_until(lambda: not _unready(instance), "the switches' ports", patience_s, detail=lambda: _unready(instance))
    receive_buffers.enlarge(ovs.switch_daemon_pid())


def _namespaces(instance: Instance) -> list[Namespace]:
    return [
        Namespace(instance.namespace(place.name), instance.device(place.name), place.mac, place.address, place.address6, place.device)
        for place in instance.topology.places
    ]


def columns(instance: Instance, switch: str) -> list[str]:
    """The database's values of a switch's bridge."""
    dpid = instance.topology.switches[switch].replace(":", "")
    return [
        f"datapath_type={instance.datapath}",
        "fail_mode=secure",
        "protocols=OpenFlow13,OpenFlow14,OpenFlow15",
        f"other_config:datapath-id={dpid}",
        "other_config:disable-in-band=true",
        f"external_ids:malob-lab={instance.name}",
    ]


def control_and_hosts(instance: Instance, switch: str, channel: Channel) -> list[list[str]]:
    """ovs-vsctl's commands that join a switch's bridge to its controllers and hosts."""
    bridge = instance.bridge(switch)
    ports = instance.topology.ports(switch)
    controllers = channel.controllers.split(",")
    columns = [f"max_backoff={channel.max_backoff_ms}", "inactivity_probe=5000", "connection_mode=out-of-band"]
    ids = [f"@{switch}_{number}" for number in range(len(controllers))]
    commands = [[f"--id={id}", "create", "Controller", f'target="tcp:{each}"', *columns] for id, each in zip(ids, controllers)]
    commands.append(["set", "Bridge", bridge, f"controller={','.join(ids)}"])
    for place in instance.topology.places:
        if place.switch == switch:
            device = instance.device(place.name)
            commands.append(["add-port", bridge, device])
            commands.append(["set", "Interface", device, f"ofport_request={ports[place.name]}"])
    return commands


def _join(instance: Instance, links: Sequence[Link]) -> None:
    for link in links:
        there, back = instance.link_device(*link.ends), instance.link_device(*reversed(link.ends))
        instance.shaper.join(there, back)
        instance.shaper.set(there, link.forward)
        instance.shaper.set(back, link.reverse)


def _link(instance: Instance, first: str, second: str, shaped: bool) -> list[list[str]]:
    # for a switch in user space, polling its own ports costs a fraction of polling other devices
    of_shaper = "type=internal" if instance.shaper.of_switches else "type=system"
    commands = []
    for here, there in ((first, second), (second, first)):
        port, peer = instance.link_device(here, there), instance.link_device(there, here)
        number = instance.topology.ports(here)[there]
        kind = [of_shaper] if shaped else ["type=patch", f"options:peer={peer}"]
        commands.append(["--may-exist", "add-port", instance.bridge(here), port])
        commands.append(["set", "Interface", port, *kind, f"ofport_request={number}"])
    return commands


def _unready(instance: Instance) -> str:
    """The error of the first port that does not work yet; empty if all work."""
    listed = ovs.vsctl("--format=json", "--columns=name,ofport,error", "list", "Interface")
    wanted = {one.device for one in _namespaces(instance)}
    for link in instance.topology.links:
        wanted |= {instance.link_device(*link.ends), instance.link_device(*reversed(link.ends))}
    for name, number, error in json.loads(listed)["data"]:
        if name in wanted:
            if not isinstance(number, int) or number < 0:
                return f"{name}: {error if isinstance(error, str) and error else 'no port number yet'}"
            wanted.discard(name)
    return f"{sorted(wanted)[0]} is not there" if wanted else ""


def _check_free(instance: Instance) -> None:
    network = instance.topology
    for one in _namespaces(instance):
        if namespaces.exists(one.name):
            raise ScriptError(f"the namespace {one.name} exists, and this lab did not make it")
        if namespaces.device_exists(one.device):
            raise ScriptError(f"the interface {one.device} exists, and this lab did not make it")
    taken = ovs.bridge_names() & {instance.bridge(switch) for switch in network.switches}
    if taken:
        raise ScriptError(f"the bridge {sorted(taken)[0]} exists, and this lab did not make it")


def _clear_leftover(name: str) -> None:
    if name in labs.running():
        state = labs.read_state(name)
        if state["owner"] is None:
            raise ScriptError(f"the lab '{name}' is up already; './malob lab down --name {name}' removes it")
        owner = ProcessId(*state["owner"])
        if owner.alive():
            raise ScriptError(f"the lab '{name}' is up already, for process {owner.pid}, which removes it when it ends")
        _removed(name)
    elif ovs.database_runs() and ovs.bridges_of(name):
        # the system's database survives a reboot, our state does not
        _remove_bridges(name)


def _removed(name: str) -> bool:
    """Removes a lab. Returns whether there was one. Raises ScriptError if something could not be removed."""
    cleanup = Cleanup()
    found = _remove(name, cleanup)
    cleanup.finish(f"'./malob lab down --name {name}' tries again")
    return found


def _remove(name: str, cleanup: Cleanup) -> bool:
    """Undoes everything recorded, each step even if others fail, and removes the files when all is undone.

    Returns whether there was anything.
    """
    found = name in labs.running()
    if found:
        _note_all_of_earlier_version(name)
        failed = _undo(name)
        if failed and _journal(name).steps("bridges") and not ovs.database_listens():
            # they ended with their daemons, which leave interfaces behind
            failed = _undo(name)
        cleanup.failures += failed
    else:
        if ovs.database_runs():
            # the system's database survives a reboot, our journal does not
            cleanup.step("bridges", lambda: _remove_bridges(name))
        cleanup.step("daemons", lambda: _stop_daemons(name))
    if not cleanup.failures:
        shutil.rmtree(labs.directory(name), ignore_errors=True)
    return found


def _undo(name: str) -> list[str]:
    """The failed steps."""
    instance, cleanup = find(name), Cleanup()
    table: dict[str, Callable[[Step], object]] = {
        "process": lambda step: ProcessId(step["pid"], step["start_ticks"]).end(),
        "bridges": lambda _: _undo_bridges(instance),
        "links": lambda _: instance.shaper.stop(),
        "hosts": lambda _: namespaces.remove(_namespaces(instance)),
        "daemons": lambda _: _stop_daemons(name),
        **namespaces.UNDO,
    }
    _journal(name).undo(table, cleanup)
    return cleanup.failures


def _undo_bridges(instance: Instance) -> None:
    if not ovs.database_listens():
        namespaces.remove_devices(_devices_of_switches(instance))
    elif ovs.database_runs():
        _remove_bridges(instance.name)
    else:
        ovs.refuse_silence()


def _stop_daemons(name: str) -> None:
    """Stops the daemons unless another lab needs them."""
    if not [other for other in labs.running() if other != name]:
        ovs.stop_ours()


def _note_all_of_earlier_version(name: str) -> None:
    """The journal of an earlier version's lab contains only processes besides its description."""
    state, journal = labs.read_state(name), _journal(name)
    if "steps" not in state:
        processes = state.pop("processes")
        journal.end()
        journal.begin(**state)
        for kind in ("daemons", "hosts", "links", "bridges"):
            journal.add(kind)
        for pid, start_ticks in processes:
            journal.add("process", pid=pid, start_ticks=start_ticks)


def _devices_of_switches(instance: Instance) -> list[str]:
    network = instance.topology
    return [
        *(instance.bridge(switch) for switch in network.switches),
        *(instance.link_device(*ends) for link in network.links for ends in (link.ends, link.ends[::-1])),
    ]


def _remove_bridges(name: str) -> None:
    bridges = ovs.bridges_of(name)
    if bridges:
        # without the daemon there is nothing to wait for
        patience = [] if ovs.switch_daemon_runs() else ["--no-wait"]
        ovs.vsctl(*patience, *ovs.joined([["--if-exists", "del-br", bridge] for bridge in bridges]), timeout_s=20 + len(bridges))


def _add_process(name: str, pid: int) -> None:
    process = ProcessId.of(pid)
    if process is None:
        raise ScriptError(f"process {pid} has ended")
    _journal(name).add("process", pid=process.pid, start_ticks=process.start_ticks)


def _journal(name: str) -> Journal:
    return Journal(labs.directory(name) / "state.json")


def _lock(what: str, name: str) -> AbstractContextManager[None]:
    """A lock for building and removing labs, starting and stopping daemons, and changing files."""
    return locked(RUN_DIRECTORY / "lock", f"{what} the lab '{name}'", _PATIENCE_S)
