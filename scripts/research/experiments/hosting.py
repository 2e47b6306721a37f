"""Servers from the view of workloads: where their programs run, and which server's usage they count as."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.instance import Instance
from lab.processes import listens
from malob.errors import ScriptError
from malob.system.processes import bound_to_us
from malob.system.waiting import wait_until
from research.experiments.cpulimits import EmulatedCpuLimits, KernelCpuLimits


@dataclass(frozen=True)
class ServerHost:
    """One server of a lab. limits: of all servers' processors."""

    lab: Instance
    name: str
    limits: KernelCpuLimits | EmulatedCpuLimits

    @property
    def files(self) -> Path:
        """The directory that file servers serve; the same for all hosts."""
        return self.lab.directory / "files"

    def networked(self, command: Sequence[str]) -> list[str]:
        """The command on the host's network. `ip netns exec` would hide the cgroups behind a new /sys."""
        return ["nsenter", f"--net=/run/netns/{self.lab.namespace(self.name)}", *command]

    def limited(self, command: Sequence[str]) -> list[str]:
        """The same in a form whose processor time counts as the server's."""
        return self.limits.inside(self.name, self.networked(command))

    def start(self, program: str, command: Sequence[str], port: int) -> subprocess.Popen[bytes]:
        """Starts a command unchanged, and returns once a port of the host is open; it ends with this process."""
        log = self.lab.directory / f"{program}-{self.name}.log"
        with open(log, "ab") as out:
            process = subprocess.Popen(bound_to_us(command), stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)

        def ready() -> bool:
            if process.poll() is not None:
                raise ScriptError(f"{program} on {self.name} ended at once: {_last_line(log)}")
            return listens(self.lab, self.name, port)

        wait_until(ready, f"{program} on {self.name} to listen", 20)
        return process

    def file(self, name: str, size: int) -> None:
        """Creates a file of zeros to be served."""
        self.files.mkdir(exist_ok=True)
        with open(self.files / name, "wb") as out:
            out.truncate(size)


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    return f"{lines[-1] if lines else 'its log is empty'} ({log})"
