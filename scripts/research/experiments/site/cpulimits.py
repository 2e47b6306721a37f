"""Servers with separate processors: cgroups with quotas, of either version, or an emulation if there are none.

Table 4.2 of the thesis gives server 1 four processors and the others one each. Here a processor is a fixed share of a core,
so that all of them fit on the machine; a request uses at most one. A server's usage is read from the same files as by agents.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malob.errors import ScriptError

#: The number of parallel requests to a server, each in a slot with the quota of one processor.
SLOTS = 16
_PERIOD_USEC = 50_000

#: Otherwise, on a busy machine, all servers together would get only the share of any other program.
_MAX_WEIGHT = 100
_MOUNTS = Path("/proc/self/mounts")
_ENTER = 'for file in $0; do echo 0 >"$file"; done; exec "$@"'


@dataclass(frozen=True)
class Hierarchy:
    """The locations of cgroups. mount: for the agents' cgroup_mount. limits, accounts: roots of quotas and of usage."""

    version: int
    mount: Path
    limits: Path
    accounts: Path


def hierarchy(mounts: str) -> Hierarchy | None:
    """The cgroup hierarchy that limits processors, from the lines of /proc/self/mounts; None if there is none."""
    version_1: dict[str, Path] = {}
    for line in mounts.splitlines():
        _, path, kind, options = line.split()[:4]
        if kind == "cgroup2" and "cpu" in _words(Path(path, "cgroup.controllers")):
            return Hierarchy(2, Path(path), Path(path), Path(path))
        if kind == "cgroup":
            version_1.update({name: Path(path) for name in ("cpu", "cpuacct") if name in options.split(",")})
    if len(version_1) < 2:
        return None
    mount = version_1["cpu"].parent
    # agents look for both by name; if they are mounted together, links have these names
    if not all((mount / name).resolve() == path.resolve() for name, path in version_1.items()):
        return None
    return Hierarchy(1, mount, version_1["cpu"], version_1["cpuacct"])


class _CpuLimits:
    """processors: of each server. processor: the size of one, as a share of a core."""

    def __init__(self, processors: Mapping[str, int], processor: float) -> None:
        self._processors, self._processor = processors, processor

    def quota(self, server: str) -> float:
        """The share of a core that a server may use."""
        return self._processors[server] * self._processor


class KernelCpuLimits(_CpuLimits):
    """cgroups below a separate one, NAME; created by create(), removed by remove()."""

    def __init__(self, where: Hierarchy, name: str, processors: Mapping[str, int], processor: float) -> None:
        super().__init__(processors, processor)
        self._where, self._name = where, name
        self.description = f"cgroups of version {where.version}"

    def create(self) -> None:
        """Raises OSError if that is not permitted or not possible."""
        self._remove()
        roots = [self._where.limits / self._name]
        if self._apart:
            roots.append(self._where.accounts / self._name)
        for root in roots:
            root.mkdir()
        if self._where.version == 2:
            for above in (self._where.limits, roots[0]):
                (above / "cgroup.subtree_control").write_text("+cpu")
        self._weigh(roots[0], _MAX_WEIGHT)
        for server, processors in self._processors.items():
            for root in roots:
                (root / server).mkdir()
            own = roots[0] / server
            self._weigh(own, processors)
            self._limit(own, self.quota(server))
            if self._where.version == 2:
                (own / "cgroup.subtree_control").write_text("+cpu")
            (own / "services").mkdir()
            for number in range(SLOTS):
                (own / f"slot{number}").mkdir()
                self._limit(own / f"slot{number}", self._processor)

    def change(self, server: str, share: float) -> None:
        """Gives a server this share of a core."""
        self._limit(self._where.limits / self._name / server, share)

    def _limit(self, group: Path, share: float) -> None:
        quota = round(share * _PERIOD_USEC)
        if self._where.version == 2:
            (group / "cpu.max").write_text(f"{quota} {_PERIOD_USEC}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(_PERIOD_USEC))
            (group / "cpu.cfs_quota_us").write_text(str(quota))

    def _weigh(self, group: Path, weight: int) -> None:
        """Sets the group's weight for scarce cores, as a multiple of the default."""
        file, default = ("cpu.weight", 100) if self._where.version == 2 else ("cpu.shares", 1024)
        (group / file).write_text(str(weight * default))

    @property
    def _apart(self) -> bool:
        """Whether usage is counted in another hierarchy."""
        return self._where.limits.resolve() != self._where.accounts.resolve()

    def _entries(self, server: str, group: str) -> list[str]:
        entries = [str(self._where.limits / self._name / server / group / "cgroup.procs")]
        if self._apart:
            entries.append(str(self._where.accounts / self._name / server / "cgroup.procs"))
        return entries

    def inside(self, server: str, command: Sequence[str]) -> list[str]:
        """The command in a form whose process counts as the server's."""
        return ["sh", "-ec", _ENTER, " ".join(self._entries(server, "services")), *command]

    def compute_options(self, server: str) -> list[str]:
        """The options of programs/compute_server.py."""
        slots = [",".join(self._entries(server, f"slot{number}")) for number in range(SLOTS)]
        return [word for slot in slots for word in ("--slot", slot)]

    def agent_fields(self, server: str) -> dict[str, Any]:
        """The options of a server's agent."""
        return {"cgroup": f"/{self._name}/{server}", "cgroup_mount": str(self._where.mount)}

    def used_s(self, server: str) -> float:
        """The processor time that a server has used so far."""
        group = self._where.accounts / self._name / server
        if self._where.version == 1:
            return int((group / "cpuacct.usage").read_text()) / 1e9
        return _usage_s(group / "cpu.stat")

    def remove(self) -> None:
        """Removes them once they contain no process. Raises ScriptError if one is left."""
        try:
            self._remove()
        except OSError as error:
            raise ScriptError(f"{error.filename} cannot be removed: {error.strerror}") from None

    def _remove(self) -> None:
        for root in {self._where.limits / self._name, self._where.accounts / self._name}:
            for group, _, _ in os.walk(root, topdown=False):
                _rmdir(Path(group))


class EmulatedCpuLimits(_CpuLimits):
    """For kernels without cgroups for processors: computations limit themselves, and only they count."""

    description = "emulated: computations limit themselves, and only they count (no cgroups that limit processors)"

    def __init__(self, directory: Path, processors: Mapping[str, int], processor: float) -> None:
        """directory: for files like those of cgroups; it is removed with the lab."""
        super().__init__(processors, processor)
        self._directory = directory

    def create(self) -> None:
        for server in self._processors:
            (self._directory / server).mkdir(parents=True, exist_ok=True)
            (self._directory / server / "cpu.max").write_text(f"{round(self.quota(server) * 100_000)} 100000\n")
            (self._directory / server / "cpu.stat").write_text("usage_usec 0\n")

    def inside(self, _server: str, command: Sequence[str]) -> list[str]:
        return list(command)

    def compute_options(self, server: str) -> list[str]:
        return ["--paced", str(self._directory / server), "--processors", str(self._processors[server]), "--processor", f"{self._processor:g}"]

    def agent_fields(self, server: str) -> dict[str, Any]:
        return {"cgroup": f"/{server}", "cgroup_mount": str(self._directory)}

    def used_s(self, server: str) -> float:
        return _usage_s(self._directory / server / "cpu.stat")

    def remove(self) -> None:
        """Its files are removed with the lab."""


def create(
    name: str,
    directory: Path,
    processors: Mapping[str, int],
    processor: float,
    mounts: str | None = None,
) -> KernelCpuLimits | EmulatedCpuLimits:
    """cgroups if the kernel has them and permits it, otherwise the emulation.

    name: of our cgroup; those of a killed run are removed first.
    """
    where = hierarchy(_MOUNTS.read_text() if mounts is None else mounts)
    if where is not None:
        limits = KernelCpuLimits(where, name, processors, processor)
        try:
            limits.create()
            return limits
        except OSError:
            limits.remove()
    emulated = EmulatedCpuLimits(directory, processors, processor)
    emulated.create()
    return emulated


def _usage_s(statistics: Path) -> float:
    for line in statistics.read_text().splitlines():
        name, _, value = line.partition(" ")
        if name == "usage_usec":
            return int(value) / 1e6
    raise ScriptError(f"{statistics} has no usage_usec")


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []


def _rmdir(group: Path) -> None:
    """A process that has just ended may still be in it for a short time."""
    deadline = time.monotonic() + 5
    while True:
        try:
            group.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
