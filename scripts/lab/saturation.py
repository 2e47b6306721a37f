"""Checks whether a machine keeps up with its emulated network; otherwise measurements on it are invalid."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import linking
from lab.instance import Instance
from lab.shaping.shaper import Shaper
from malob.system import ovs

#: The max share of one core; both programs have one working thread.
MAX_CPU = 0.95

#: The max share of the time that a program may have waited for a core.
MAX_WAITING = 0.05

#: The max share of a link's delivered packets that may be late by more than 2 ms.
MAX_LATE = 0.01

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Saturation:
    """The share of a core that each program used, and the punctuality of links.

    waiting: the share of the time that a program waited for a core. late: share of packets.
    """

    cpu: dict[str, float]
    waiting: dict[str, float]
    late: float
    latest_ms: float

    @property
    def complaints(self) -> list[str]:
        """The reasons why the machine was overloaded; empty if it was not."""
        found = [f"{program} used {used:.0%} of a core" for program, used in self.cpu.items() if used > MAX_CPU]
        found += [f"{program} waited {share:.0%} of the time for a core" for program, share in self.waiting.items() if share > MAX_WAITING]
        if self.late > MAX_LATE:
            found.append(f"{self.late:.1%} of packets came more than 2 ms late, one {self.latest_ms:.0f} ms")
        return found


class SaturationMeter:
    """Measures from its construction or the last restart() on.

    Only one per network at a time: lateness has only one counter.
    """

    def __init__(self, shaper: Shaper, devices: Sequence[str], pids: Mapping[str, int]) -> None:
        """devices: the beginnings of links' directions. pids: by name, the programs to watch besides the shaper's own."""
        self._shaper = shaper
        self._devices = devices
        self._pids = dict(pids)
        emulator = shaper.pid
        if emulator is not None:
            self._pids["link-emulator"] = emulator
        self.restart()

    @classmethod
    def of(cls, lab: Instance) -> SaturationMeter:
        """The meter of a lab: its switches, and all links with limits."""
        devices = [lab.link_device(*ends) for ends in linking.shaped_directions(lab)]
        return cls(lab.shaper, devices, {"ovs-vswitchd": ovs.switch_daemon_pid()})

    def restart(self) -> None:
        """Restarts the measurement."""
        self._began = time.monotonic()
        self._ticks = {name: _cpu_ticks(pid) for name, pid in self._pids.items()}
        self._waited_ns = {name: _waited_ns(pid) for name, pid in self._pids.items()}
        self._packets = self._delivered()[0]
        if "link-emulator" in self._pids:
            self._shaper.forget_lateness()

    def read(self) -> Saturation:
        """The saturation since then."""
        seconds = time.monotonic() - self._began
        cpu = {name: (_cpu_ticks(pid) - self._ticks[name]) / _TICKS_PER_SECOND / seconds for name, pid in self._pids.items()}
        waiting = {name: (_waited_ns(pid) - self._waited_ns[name]) / 1e9 / seconds for name, pid in self._pids.items()}
        packets, late, latest_ms = self._delivered()
        return Saturation(cpu, waiting, late / max(1, packets - self._packets), latest_ms)

    def _delivered(self) -> tuple[int, int, float]:
        readings = [self._shaper.read(device) for device in self._devices]
        return (
            sum(read.packets for read in readings),
            sum(read.late or 0 for read in readings),
            max((read.latest_ms or 0 for read in readings), default=0),
        )


def _cpu_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _waited_ns(pid: int) -> int:
    """The time that the main thread has waited for a core so far; 0 if the kernel does not report it."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1])
    except OSError:
        return 0
