"""Reads the counters of Open vSwitch: messages, upcalls and translations, to get its work per connection."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping

from malob.system.processes import run

#: The event names of ovs-appctl coverage/show by our names.
_EVENTS = {"to_controller": "rconn_sent", "from_controller": "ofproto_recv_openflow", "translations": "xlate_actions"}

#: The switch's threads add their counts to the totals once a second.
_ADDED_S = 1.2

NAMES = ("to_controller", "from_controller", "upcalls", "translations")


def read() -> dict[str, int]:
    """The counts since the switch's start. Takes a second."""
    time.sleep(_ADDED_S)
    return counts_in(run(["ovs-appctl", "coverage/show"]), run(["ovs-appctl", "dpctl/show"]))


def counts_in(coverage: str, datapaths: str) -> dict[str, int]:
    """coverage, datapaths: the output of coverage/show and dpctl/show. The first omits events that have not happened."""
    totals = dict(re.findall(r"^(\S+) .* total: (\d+)$", coverage, re.MULTILINE))
    upcalls = sum(int(missed) for missed in re.findall(r"lookups: hit:\d+ missed:(\d+)", datapaths))
    return {"upcalls": upcalls, **{name: int(totals.get(event, 0)) for name, event in _EVENTS.items()}}


def per_connection(before: Mapping[str, int], after: Mapping[str, int], connections: int) -> dict[str, float]:
    return {name: (after[name] - before[name]) / connections for name in NAMES}
