"""The files of an end host, for each network namespace."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from malob.system.journal import namespace_mark
from malob.system.place import RUN_DIRECTORY

#: Survives a reboot, because what is in the machine's own Open vSwitch does, too. Other network namespaces do not.
_KEPT = Path("/var/lib/malob/endhost.json")
_MACHINE = "host"
_RUNNING = RUN_DIRECTORY / "endhost"


@dataclass(frozen=True)
class Place:
    """The files of the end host of one network namespace. name: "host" is the machine itself."""

    name: str

    @staticmethod
    def here() -> Place:
        """That of this process's network namespace."""
        return Place(_name())

    @property
    def journal(self) -> Path:
        return _KEPT if self.name == _MACHINE else self.directory / "journal.json"

    @property
    def directory(self) -> Path:
        """Logs and sockets; gone after a reboot."""
        return _RUNNING / self.name

    @property
    def log(self) -> Path:
        """The supervisor's output."""
        return self.directory / "endhost.log"

    @property
    def lock(self) -> Path:
        """Held by the process that may make changes."""
        return _RUNNING / f"{self.name}.lock"


def _name() -> str:
    try:
        if os.path.samestat(os.stat("/proc/1/ns/net"), os.stat("/proc/self/ns/net")):
            return _MACHINE
    except OSError:
        # without /proc/1 of our own we take the name of the namespace
        pass
    named = subprocess.run(["ip", "netns", "identify"], capture_output=True, text=True).stdout.split()
    return f"netns-{named[0]}" if named else f"net-{namespace_mark()[1]}"
