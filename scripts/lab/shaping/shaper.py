"""The interface of shapers for the links of a lab."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from lab.shaping.trace import Trace
from malob.network.links import Direction

#: The default queue length of a link with a rate, in packets.
DEFAULT_QUEUE_PACKETS = 100


@dataclass(frozen=True)
class Reading:
    """The current state of a direction, and its counters so far.

    mbytes and packets: delivered, without Ethernet headers. dropped: the queue was full. lost: by its loss.
    late: deliveries more than 2 ms after their time, and latest_ms the worst, since forget_lateness(); None if unknown.
    traced: whether a trace plays.
    """

    direction: Direction
    traced: bool
    packets: int
    mbytes: float
    dropped: int
    lost: int
    late: int | None = None
    latest_ms: float | None = None


class Shaper(ABC):
    """Links, each identified by its two devices. A direction is identified by the device at which its packets enter."""

    #: "netem" or "emulator"
    kind: str

    #: Whether switches create the devices as ports; otherwise join() creates them for the switches.
    of_switches: bool

    @abstractmethod
    def join(self, first: str, second: str) -> None:
        """Joins two devices without limits; or as before, if the switches' ports were removed. Raises ScriptError."""

    @abstractmethod
    def carries(self, device: str) -> bool:
        """Whether a direction begins there."""

    @abstractmethod
    def set(self, device: str, direction: Direction) -> None:
        """From now on. If direction.rate_mbps is None there is no limit. Ends a trace of this direction."""

    @abstractmethod
    def play(self, device: str, trace: Trace) -> None:
        """Changes the direction according to the trace, repeatedly, from now on."""

    @abstractmethod
    def read(self, device: str) -> Reading:
        """The state of the direction."""

    def forget_lateness(self) -> None:  # noqa: B027 - nothing to forget where nothing is counted
        """Resets Reading.late to 0."""

    @property
    def pid(self) -> int | None:
        """The process that carries the packets; None if it is the kernel."""
        return None

    @abstractmethod
    def stop(self) -> None:
        """Removes all devices and ends all processes, also those of a crashed predecessor in the same lab."""
