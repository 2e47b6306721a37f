"""The interface of shapers for the links of a lab."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from lab.shaping.trace import Trace
from malob.network.links import Direction

#: How many packets wait at a link that has a rate and says nothing else.
DEFAULT_QUEUE_PACKETS = 100


@dataclass(frozen=True)
class Reading:
    """A direction as it is now, and what has happened on it so far.

    mbytes and packets: delivered, without Ethernet headers. dropped: the queue was full. lost: by its loss.
    late: deliveries more than 2 ms after their time, and latest_ms the worst, since forget_lateness(); None where
    that cannot be told. traced: whether a trace plays.
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
    """Links, each known by its two devices. A direction is known by the device at which its packets come in."""

    #: "netem" or "emulator"
    kind: str

    #: Whether the devices are ports that switches make; otherwise join() makes them, for switches to take.
    of_switches: bool

    @abstractmethod
    def join(self, first: str, second: str) -> None:
        """Joins two devices, without limits; or again as they were, if the switches' ports were away. Raises ScriptError."""

    @abstractmethod
    def carries(self, device: str) -> bool:
        """Whether a direction begins there."""

    @abstractmethod
    def set(self, device: str, direction: Direction) -> None:
        """From now on. Where direction.rate_mbps is None there is no limit. Ends a trace of this direction."""

    @abstractmethod
    def play(self, device: str, trace: Trace) -> None:
        """Changes the direction as the trace says, over and over, from now on."""

    @abstractmethod
    def read(self, device: str) -> Reading:
        """How the direction is."""

    def forget_lateness(self) -> None:  # noqa: B027 - nothing to forget where nothing is counted
        """Lets Reading.late count from 0 again."""

    @property
    def pid(self) -> int | None:
        """The process that carries the packets; None if it is the kernel."""
        return None

    @abstractmethod
    def stop(self) -> None:
        """Removes all devices and ends all processes, also those of a crashed predecessor in the same lab."""
