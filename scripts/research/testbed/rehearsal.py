"""A slice on this machine, with namespaces as machines and veth pairs as links. Needs root.

Machines get the same as from an aggregate: interfaces with the addresses of the request and arbitrary names, an address on a
control network, and separate files where the set-up scripts and Open vSwitch keep state. The set-up scripts do everything
else.
"""

from __future__ import annotations

import atexit
import ipaddress
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Callable

from lab.shaping.emulator import Emulator, handover_ns
from malob.cli.agents import AgentsFile
from malob.errors import ScriptError
from malob.system import namespaces
from malob.system.cleanup import Cleanup
from malob.system.journal import Journal, Step
from malob.system.lock import locked
from malob.system.namespaces import End, add_pair
from malob.system.place import RUN_DIRECTORY
from malob.system.preparation import prepare
from malob.system.processes import find_program, run
from malob.system.waiting import undisturbed
from research.testbed import agents
from research.testbed.slices import CONTROLLER, Connection, Node, Slice

CONTROLLER_ADDRESS = "172.16.0.1"
_CONTROL = ipaddress.IPv4Address(CONTROLLER_ADDRESS)
_MAX_MACHINES = 200
#: The controller may have to be built.
_SET_UP_S = 600

#: Separate files of machines: the first name in the machine's directory is mounted at the second.
_OWN = {"run": "/run", "etc": "/etc/openvswitch", "lib": "/var/lib/openvswitch", "log": "/var/log/openvswitch", "data": "/var/lib/malob-testbed"}

_UNDO: Mapping[str, Callable[[Step], object]] = {
    **namespaces.UNDO,
    "links": lambda step: Emulator(Path(step["directory"]), 0).stop(),
    "directory": lambda step: _remove(Path(step["path"]), Path.rmdir),
    "files": lambda step: _remove(Path(step["path"]), shutil.rmtree),
}


def _remove(path: Path, how: Callable[[Path], object]) -> None:
    if path.exists():
        how(path)


class Rehearsal:
    """The machines of one slice, as a context; the end of the context removes the machines and ends all their processes."""

    def __init__(self, wanted: Slice, name: str = "mlr") -> None:
        """name: short; namespaces and devices begin with it."""
        if len(wanted.nodes) > _MAX_MACHINES:
            raise ScriptError(f"{len(wanted.nodes)} machines are too many to rehearse; max {_MAX_MACHINES}")
        self.slice = wanted
        self._name = name
        self._numbers = {node.name: number for number, node in enumerate(wanted.nodes, 1)}
        self._interfaces = {one.name: (node, at) for node in wanted.nodes for at, one in enumerate(node.interfaces, 1)}
        # not below /run, over which machines mount their own
        self._directory = Path(tempfile.gettempdir(), f"malob-testbed-{name}-{os.getpid()}")
        self._links = Emulator(self._directory, handover_ns(1))
        self._journal = Journal(RUN_DIRECTORY / f"{name}.json")
        self._lock = ExitStack()

    def __enter__(self) -> Rehearsal:
        prepare("lab")
        self._lock.enter_context(locked(RUN_DIRECTORY / f"{self._name}.lock", "is rehearsing a slice, and there is room for one", 0))
        # a test's clean-up does not run when it is interrupted
        atexit.register(self.__exit__)
        try:
            # the remains of a killed one
            self._undo()
            self._journal.begin()
            self._journal.add("files", path=str(self._directory))
            self._directory.mkdir(mode=0o700)
            for place in map(Path, _OWN.values()):
                if not place.exists():
                    self._journal.add("directory", path=str(place))
                    place.mkdir()
            namespaces.add(self._journal, [self.namespace(node.name) for node in self.slice.nodes])
            for node in self.slice.nodes:
                self._make(node)
            for connection in self.slice.connections:
                self._join(connection)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        atexit.unregister(self.__exit__)
        with undisturbed(), self._lock:
            self._undo()

    def _undo(self) -> None:
        if self._journal.exists():
            cleanup = Cleanup()
            self._journal.undo(_UNDO, cleanup)
            cleanup.finish()
            self._journal.end()

    def namespace(self, node: str) -> str:
        return f"{self._name}-{self._numbers[node]}"

    def on(self, node: str, command: Sequence[str]) -> list[str]:
        """The command that runs another one on a machine, with the machine's files."""
        own = self._directory / node
        mounts = "\n".join(f"mount --bind '{own / name}' {place}" for name, place in _OWN.items())
        return namespaces.inside(
            self.namespace(node), [find_program("unshare") or "unshare", "--mount", "sh", "-ec", f'{mounts}\nexec "$@"', "sh", *command]
        )

    def run(self, node: str, command: Sequence[str], timeout_s: float = 120) -> str:
        """The output of a command on a machine. Raises ScriptError with its last line if it fails."""
        return run(self.on(node, command), timeout_s)

    def set_up(self, commands: Mapping[str, Sequence[str]], said: Callable[[str, str], None]) -> dict[str, str]:
        """Runs the set-up commands, those of one role at the same time, and returns their outputs.

        said: called with a machine's name and a line of its command's output. Raises ScriptError if one fails.
        """
        printed: dict[str, str] = {}
        by_role = {node.name: node.role for node in self.slice.nodes}
        for _, names in groupby(commands, by_role.__getitem__):
            running = {name: self._start(name, commands[name]) for name in names}
            try:
                ends = {name: process.communicate(timeout=_SET_UP_S) for name, process in running.items()}
            except subprocess.TimeoutExpired as expired:
                raise ScriptError(f"a set-up script did not end within {_SET_UP_S} s: {' '.join(expired.cmd[-4:])}") from None
            for name, (answer, words) in ends.items():
                for line in words.splitlines():
                    said(name, line)
                printed[name] = answer
            failed = [name for name, process in running.items() if process.returncode != 0]
            if failed:
                raise ScriptError(f"the set-up of {failed[0]} failed (above)")
        return printed

    def give_agents(self) -> str:
        """Registers an agent for each switch and server with the controller, and writes NODE.json to the directory of each
        returned machine."""
        file = AgentsFile(self._directory / CONTROLLER / "data" / "agents.json")
        for name, configuration in agents.enter(self.slice, file).items():
            (self._directory / name / "run" / f"{name}.json").write_text(json.dumps(configuration), encoding="utf-8")
        return _OWN["run"]

    def _start(self, node: str, command: Sequence[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(self.on(node, command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def _make(self, node: Node) -> None:
        for name in _OWN:
            (self._directory / node.name / name).mkdir(parents=True)
        namespace = self.namespace(node.name)
        if node.name == CONTROLLER:
            run(["ip", "-n", namespace, "address", "add", f"{CONTROLLER_ADDRESS}/32", "dev", "lo"])
        elif node.role == "switch":
            self._join_control(node)

    def _join_control(self, node: Node) -> None:
        """A link between a switch and the controller; the slice's first node is the controller."""
        here, there = self.namespace(node.name), self.namespace(CONTROLLER)
        address, far = str(_CONTROL + self._numbers[node.name]), f"control{self._numbers[node.name]}"
        add_pair(self._journal, End("control", here), End(far, there))
        run(["ip", "-n", here, "address", "add", f"{address}/32", "dev", "control"])
        for namespace, device, peer in ((here, "control", CONTROLLER_ADDRESS), (there, far, address)):
            run(["ip", "-n", namespace, "link", "set", device, "up"])
            run(["ip", "-n", namespace, "route", "add", f"{peer}/32", "dev", device])

    def _join(self, connection: Connection) -> None:
        ends = connection.first, connection.second
        limited = connection != connection.unshaped()
        if limited:
            for end in ends:
                add_pair(self._journal, End(self._outer(end)), End(self._inner(end), self._space(end)))
            namespaces.take_up([self._outer(end) for end in ends])
            self._journal.add("links", directory=str(self._directory))
            self._links.join(*map(self._outer, ends))
            self._links.set(self._outer(ends[0]), connection.forward)
            self._links.set(self._outer(ends[1]), connection.reverse)
        else:
            first, second = ends
            add_pair(self._journal, End(self._inner(first), self._space(first)), End(self._inner(second), self._space(second)))
        for end in ends:
            node, number = self._interfaces[end]
            run(["ip", "-n", self._space(end), "address", "add", node.interfaces[number - 1].address, "dev", self._inner(end)])
            run(["ip", "-n", self._space(end), "link", "set", self._inner(end), "up"])

    def _space(self, end: str) -> str:
        return self.namespace(self._interfaces[end][0].name)

    def _inner(self, end: str) -> str:
        """The interface on the machine; as on a real machine, its name does not show its purpose."""
        return f"ens{self._interfaces[end][1] + 3}"

    def _outer(self, end: str) -> str:
        node, number = self._interfaces[end]
        return f"{self._name}{self._numbers[node.name]}e{number}"
