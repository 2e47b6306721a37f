"""Labs that are up, as /run/malob/NAME/state.json says. lab.instance builds and removes them, and writes that file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malob.errors import ScriptError, UsageError
from malob.network import topology
from malob.network.topology import Topology
from malob.system import namespaces
from malob.system.place import RUN_DIRECTORY

DEFAULT_NAME = "ml"

#: Together with a dash and the name of a switch, at most 15 characters, the kernel's limit for a bridge's name.
_NAME = re.compile(r"ml[a-z0-9]?")


@dataclass(frozen=True)
class Lab:
    """A lab that is up, or half up: its hosts can be reached by name."""

    name: str
    topology: Topology

    @property
    def directory(self) -> Path:
        """Files that are removed with the lab: logs, data of its controller."""
        return directory(self.name)

    def namespace(self, host: str) -> str:
        """The name of a host's network namespace. Here and below, a node is a host, too; see Topology.place()."""
        return f"{self.name}-{self.topology.place(host).name}"

    def inside(self, host: str, command: Sequence[str]) -> list[str]:
        """The command that runs another one on a host."""
        return namespaces.inside(self.namespace(host), command)


def directory(name: str) -> Path:
    """Where a lab's state is, and what else belongs to it."""
    return RUN_DIRECTORY / name


def find(name: str | None = None) -> Lab:
    """The lab of that name; without a name, the result of pick(). Raises ScriptError if it is not up."""
    name, state = state_of(name)
    return Lab(name, topology_of(state))


def state_of(name: str | None = None) -> tuple[str, dict[str, Any]]:
    """The name and the state of the lab that find() finds. Raises ScriptError if it is not up."""
    names = running()
    name = pick() if name is None else name
    check_name(name)
    if name not in names:
        raise ScriptError(_not_up(name))
    return name, read_state(name)


def topology_of(state: dict[str, Any]) -> Topology:
    """The network of a lab, from its state."""
    network = dict(state["topology"])
    return topology.parse(network.pop("name"), network)


def running() -> list[str]:
    """The names of the labs that are up, left-overs too."""
    return sorted(path.parent.name for path in RUN_DIRECTORY.glob("*/state.json"))


def pick() -> str:
    """The lab for commands without a name: the default lab, otherwise the only lab that is up."""
    names = running()
    if len(names) > 1 and DEFAULT_NAME not in names:
        raise UsageError(f"several labs are up ({', '.join(names)}): choose one with --name")
    return names[0] if len(names) == 1 else DEFAULT_NAME


def check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"'{name}' is not a valid lab name: expected 'ml' and max one more letter or digit")


def read_state(name: str) -> dict[str, Any]:
    """The stored state of a lab. Raises ScriptError if it is not up, or its state is damaged."""
    path = directory(name) / "state.json"
    try:
        state: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return state
    except FileNotFoundError:
        raise ScriptError(_not_up(name)) from None
    except ValueError:
        raise ScriptError(f"{path} is damaged") from None


def _not_up(name: str) -> str:
    return f"no lab '{name}' is up; './malob lab up TOPOLOGY' starts one"
