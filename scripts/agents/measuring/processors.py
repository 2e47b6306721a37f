"""CPU utilization over an interval, from 0 to 1.

On a machine of its own it is what mpstat calls 100 - %idle - %iowait, from /proc/stat: time that was stolen by
the hypervisor counts as used, since the server could not have it; guest time is in user time already. In a
cgroup with a quota (a container, a systemd unit with CPUQuota) it is the time that the cgroup has used, as a
share of its quota.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Protocol

from reporting.configuration import AgentError

_STAT = Path("/proc/stat")
_OWN_CGROUP = Path("/proc/self/cgroup")
_MOUNT = Path("/sys/fs/cgroup")


class UseMeter(Protocol):
    """Keeps the previous reading."""

    def since_last(self) -> float | None:
        """Utilization since the last call, or since the start, from 0 to 1; None if unknown."""


def meter(
    cgroup: Any,
    own: Path = _OWN_CGROUP,
    mount: Path = _MOUNT,
    stat: Path = _STAT,
    clock: Callable[[], float] = time.monotonic,
) -> UseMeter:
    """A meter by the field "cgroup": "auto", "none", or a cgroup like "/system.slice/nginx.service".

    "auto" is that of the agent's own cgroups, from the innermost to the outermost, that has the smallest
    quota; without any, the machine. Raises AgentError if the given cgroup has no quota.
    """
    if cgroup == "none":
        return MachineMeter(stat)
    if not isinstance(cgroup, str) or not (cgroup == "auto" or cgroup.startswith("/")) or ".." in cgroup.split("/"):
        raise AgentError(f'cgroup: expected "auto", "none" or a path that begins with /, not {cgroup!r}')
    if cgroup == "auto":
        cgroups = _cgroups(_own_paths(own), mount, with_outer=True)
    else:
        cgroups = _cgroups({"": cgroup, "cpu": cgroup, "cpuacct": cgroup}, mount, with_outer=False)
    limited = [(quota, one) for one in cgroups if (quota := one.quota_cpus())]
    if limited:
        return CgroupMeter(min(limited, key=lambda each: each[0])[1], clock)
    if cgroup != "auto":
        raise AgentError(f"cgroup: there is no cgroup {cgroup} with a quota")
    return MachineMeter(stat)


def mount(value: Any) -> Path:
    """Where cgroups are mounted, by the field "cgroup_mount". Raises AgentError if it is not an absolute path."""
    if not isinstance(value, str) or not value.startswith("/"):
        raise AgentError(f"cgroup_mount: expected a path that begins with /, not {value!r}")
    return Path(value)


class MachineMeter:
    """By /proc/stat."""

    def __init__(self, stat: Path = _STAT) -> None:
        self._stat = stat
        self._last = self._read()

    def since_last(self) -> float | None:
        before, self._last = self._last, self._read()
        # a counter that went back (iowait may) counts as standing still, as for mpstat
        deltas = [max(0, now - then) for then, now in zip(before, self._last)]
        total = sum(deltas)
        if total == 0:
            return None
        idle, iowait = deltas[3], deltas[4]
        return (total - idle - iowait) / total

    def _read(self) -> list[int]:
        """user, nice, system, idle, iowait, irq, softirq, steal; the guest columns are in the first two."""
        try:
            words = self._stat.read_text().split("\n", 1)[0].split()
            return [int(word) for word in words[1:9]] + [0] * (9 - len(words))
        except (OSError, ValueError) as error:
            raise AgentError(f"{self._stat} cannot be read: {error}") from None


@dataclass(frozen=True)
class LimitedCgroup:
    """The paths of a cgroup's files: its quota and its usage."""

    version: int
    limits: Path
    accounts: Path

    def quota_cpus(self) -> float | None:
        """How many processors it may use; None without a quota."""
        try:
            if self.version == 2:
                quota, period = (self.limits / "cpu.max").read_text().split()
                return None if quota == "max" else int(quota) / int(period)
            limit = int((self.limits / "cpu.cfs_quota_us").read_text())
            return limit / int((self.limits / "cpu.cfs_period_us").read_text()) if limit > 0 else None
        except (OSError, ValueError, ZeroDivisionError):
            return None

    def used_s(self) -> float:
        """The processor time that it has used so far."""
        if self.version == 1:
            return int((self.accounts / "cpuacct.usage").read_text()) / 1e9
        for line in (self.accounts / "cpu.stat").read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == "usage_usec":
                return int(value) / 1e6
        raise ValueError("cpu.stat has no usage_usec")


class CgroupMeter:
    """By the accounting of a cgroup, as a share of its quota, which may change."""

    def __init__(self, cgroup: LimitedCgroup, clock: Callable[[], float]) -> None:
        self._cgroup = cgroup
        self._clock = clock
        self._last = self._read()

    def since_last(self) -> float | None:
        before, self._last = self._last, self._read()
        elapsed, used = self._last[0] - before[0], self._last[1] - before[1]
        quota = self._cgroup.quota_cpus()
        if elapsed <= 0 or not quota:
            return None
        # a cgroup may use quota that it saved up a moment before
        return min(1.0, max(0.0, used / (elapsed * quota)))

    def _read(self) -> tuple[float, float]:
        try:
            return self._clock(), self._cgroup.used_s()
        except (OSError, ValueError) as error:
            raise AgentError(f"{self._cgroup.accounts} cannot be read: {error}") from None


def _own_paths(own: Path) -> dict[str, str]:
    """The agent's cgroups by controller; "" stands for version 2."""
    paths: dict[str, str] = {}
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return paths
    for line in lines:
        number, controllers, path = ([*line.split(":", 2), "", ""])[:3]
        for controller in controllers.split(",") if number != "0" else [""]:
            paths[controller] = path
    return paths


def _cgroups(paths: dict[str, str], mount: Path, with_outer: bool) -> list[LimitedCgroup]:
    """These cgroups, and if wanted those around them; with a quota or without."""
    found = []
    for version, limits, accounts in ((2, "", ""), (2, "unified", "unified"), (1, "cpu", "cpuacct")):
        names = ("cpu", "cpuacct") if version == 1 else ("", "")
        if not all(name in paths for name in names):
            continue
        below = [[part for part in paths[name].split("/") if part and part != ".."] for name in names]
        for up in range(max(map(len, below)) + 1 if with_outer else 1):
            limit, account = (parts[: max(0, len(parts) - up)] for parts in below)
            found.append(LimitedCgroup(version, mount.joinpath(limits, *limit), mount.joinpath(accounts, *account)))
    return found
