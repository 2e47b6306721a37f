"""Links for Mininet with a delay and a rate, also if the kernel has no netem: by the shaper of our labs.

Without netem, Mininet's TCLink continues without any delay and only prints a line about it.
"""

from __future__ import annotations

import atexit
from functools import cache
from typing import Any

from mininet.link import Link

from lab.shaping import choice
from lab.shaping.shaper import Shaper
from malob.network.links import Direction
from malob.system.place import RUN_DIRECTORY

#: More than any tutorial's network has. The delay that switches add is subtracted according to their number.
_SWITCHES = 3


class ShapedLink(Link):
    """A link between two switches, the same in both directions. delay_ms: one way. rate_mbps: None for no limit."""

    def __init__(self, *ends: Any, delay_ms: float = 0, rate_mbps: float | None = None, **more: Any) -> None:
        super().__init__(*ends, **more)
        self.shape(delay_ms, rate_mbps)

    def shape(self, delay_ms: float, rate_mbps: float | None = None) -> str:
        """From now on."""
        for end in (self.intf1, self.intf2):
            _shaper().set(end.name, Direction(delay_ms=delay_ms, rate_mbps=rate_mbps))
        return f"{self}: {delay_ms:g} ms"

    @classmethod
    def makeIntfPair(cls, intfname1: str, intfname2: str, *_: Any, **__: Any) -> None:  # Mininet's name
        _shaper().join(intfname1, intfname2)


@cache
def _shaper() -> Shaper:
    """The emulator of this process; it ends with it. One left by a killed process is ended first."""
    directory = RUN_DIRECTORY / "mininet"
    directory.mkdir(parents=True, exist_ok=True)
    shaper = choice.shaper(choice.choose(None), directory, _SWITCHES)
    shaper.stop()
    atexit.register(shaper.stop)
    return shaper
