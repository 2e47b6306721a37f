"""The times at which switches receive rules of labels, as the switches report them."""

from __future__ import annotations

import re
import subprocess
from datetime import datetime

from lab.instance import Instance
from malob.system.processes import bound_to_us

_WHEN = re.compile(r"(\S+ \S+): \S+ reply")
_GIVEN = re.compile(r" event=(?:ADDED|MODIFIED) table=2 .*?\bdl_dst=(\S+)")


class LabelWatch:
    """Watches all switches of a lab from its creation on."""

    def __init__(self, lab: Instance) -> None:
        self._watches = [
            subprocess.Popen(
                bound_to_us(["ovs-ofctl", "-O", "OpenFlow13", "--timestamp", "monitor", lab.bridge(switch), "watch:!initial,table=2"]),
                # where ovs-ofctl reports later events
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for switch in lab.topology.switches
        ]

    def end(self) -> list[tuple[float, str]]:
        """Ends it, and returns all rules that were added or changed: the time, on the clock of time.time(), and the label."""
        given = []
        for watch in self._watches:
            watch.terminate()
            _, words = watch.communicate(timeout=10)
            given += told(words)
        return sorted(given)


def told(words: str) -> list[tuple[float, str]]:
    """The output of one switch's monitor, in the form of LabelWatch.end()."""
    given, when = [], 0.0
    for line in words.splitlines():
        stamp, rule = _WHEN.match(line), _GIVEN.match(line)
        if stamp is not None:
            when = datetime.strptime(stamp[1] + "+0000", "%Y-%m-%d %H:%M:%S.%f%z").timestamp()
        elif rule is not None:
            given.append((when, rule[1]))
    return given
