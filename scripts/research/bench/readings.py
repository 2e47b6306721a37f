"""Numbers in what programs and the controller print."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping

from malob.errors import ScriptError
from malob.system.processes import run

#: The event names of ovs-appctl coverage/show by our names.
_EVENTS = {"to_controller": "rconn_sent", "from_controller": "ofproto_recv_openflow", "translations": "xlate_actions"}

#: The switch's threads add their counts to the totals once a second.
_ADDED_S = 1.2

COUNTERS = ("to_controller", "from_controller", "upcalls", "translations")


def counters_read() -> dict[str, int]:
    """The counts since the switch's start. Takes a second."""
    time.sleep(_ADDED_S)
    return counts_in(run(["ovs-appctl", "coverage/show"]), run(["ovs-appctl", "dpctl/show"]))


def counts_in(coverage: str, datapaths: str) -> dict[str, int]:
    """coverage, datapaths: the output of coverage/show and dpctl/show. The first omits events that have not happened."""
    totals = dict(re.findall(r"^(\S+) .* total: (\d+)$", coverage, re.MULTILINE))
    upcalls = sum(int(missed) for missed in re.findall(r"lookups: hit:\d+ missed:(\d+)", datapaths))
    return {"upcalls": upcalls, **{name: int(totals.get(event, 0)) for name, event in _EVENTS.items()}}


def flows_in(datapaths: str) -> int:
    """The flows that the datapaths have. datapaths: the output of dpctl/show."""
    return sum(int(count) for count in re.findall(r"^\s*flows: (\d+)$", datapaths, re.MULTILINE))


def per_connection(before: Mapping[str, int], after: Mapping[str, int], connections: int) -> dict[str, float]:
    return {name: (after[name] - before[name]) / connections for name in COUNTERS}


def packet_ins_in(metrics: str) -> int:
    """The packet-ins that the balancer has handled, with any outcome. metrics: the text of /metrics."""
    return sum(int(float(count)) for count in re.findall(r"^malob_packet_ins_total\{.*\} (\S+)$", metrics, re.MULTILINE))


def figure(words: str, pattern: str) -> float:
    """The number that a pattern finds in a program's output. Raises ScriptError if it finds none."""
    found = re.search(pattern, words)
    if found is None:
        raise ScriptError(f"'{pattern}' not found in: {words.strip()[-200:]}")
    return float(found.group(1))
