"""Offloads of network cards, which must be off for the switch.

It reads frames as they arrive, so neither a card nor the kernel must merge several into one.
"""

from __future__ import annotations

import re

from malob.system.processes import run

#: As ethtool shows them, and as it expects them.
_MERGING = {
    "generic-receive-offload": "gro",
    "large-receive-offload": "lro",
    "rx-gro-hw": "rx-gro-hw",
    "rx-gro-list": "rx-gro-list",
    "rx-udp-gro-forwarding": "rx-udp-gro-forwarding",
}


def merging(shown: str) -> list[str]:
    """Those that put frames together, are on, and can be turned off; shown: what `ethtool -k` printed."""
    on = re.findall(r"^\s*([\w-]+): on(?! \[fixed\])", shown, re.MULTILINE)
    return [_MERGING[name] for name in on if name in _MERGING]


def merging_at(device: str) -> list[str]:
    """The same of an interface as it is now."""
    return merging(run(["ethtool", "--show-features", device]))


def turn(device: str, features: list[str], on: bool) -> None:
    if features:
        words = [word for feature in features for word in (feature, "on" if on else "off")]
        run(["ethtool", "--features", device, *words])
