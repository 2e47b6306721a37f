"""The model of connections: each succeeds, or a fault at the same time and place is the cause. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable

#: Health monitors of the run: the max time until an ended server is down, with some seconds more for a busy machine.
CHECK_S, FALL = 2, 3
DETECTION_S = CHECK_S * (FALL + 1) + 3.0
#: The max time between a request to the controller and the last affected packet.
CLOSING_S = 2.0
#: The max time until TCP has retransmitted lost packets.
RESENT_S = 15.0
#: The idle time after which the rules of a connection expire: a setting of the run.
IDLE_S = 5

#: The controller's own event: a member whose checks have failed is taken down.
DOWN = "down"

_CUT = ("reset", "closed")

#: Faults that break links, which the controller routes around.
_BREAKING = ("unlink", "flap")


@dataclass(frozen=True)
class Fault:
    """A fault that was injected: kind as in events.KINDS. begin, end: of the monotonic clock; end: when it was undone."""

    kind: str
    target: str
    begin: float
    end: float


@dataclass(frozen=True)
class Failure:
    """A failed connection, as a client reports it.

    accepted: None if it never was. server: None if no server answered. progress: the last time of success; asked: when the
    client then sent something, None if it did not; ended: when it failed.
    """

    host: str
    service: str
    outcome: str
    began: float
    accepted: float | None
    progress: float
    asked: float | None
    ended: float
    server: str | None
    fields: Mapping[str, Any]

    @staticmethod
    def of(host: str, service: str, fields: Mapping[str, Any]) -> Failure:
        asked, progress = fields.get("asked"), fields["progress"]
        waited = asked if asked is not None and asked > progress else None
        accepted, ended = fields.get("accepted"), fields["ended"]
        return Failure(host, service, fields["outcome"], fields["began"], accepted, progress, waited, ended, fields["server"], fields)

    def within(self, begin: float, end: float) -> bool:
        """Whether it may have been broken in that period: its last success was before the end, and its failure after the
        beginning."""
        return self.progress <= end and self.ended >= begin

    @property
    def moment(self) -> float:
        """When it was broken: when it last made progress if it timed out, otherwise when it failed."""
        return self.progress if self.outcome == "timeout" else self.ended

    @property
    def silent_s(self) -> float:
        """The duration without sent data before it failed."""
        return (self.asked or self.ended) - self.progress


def explain(failure: Failure, faults: Sequence[Fault]) -> Fault | None:
    """The fault that is the cause; None if there is none, which violates the model."""
    return next((fault for fault in faults if _explains(fault, failure, faults)), None)


def _explains(fault: Fault, failure: Failure, faults: Sequence[Fault]) -> bool:
    rule = _RULES.get(fault.kind)
    return rule is not None and rule(fault, failure, faults)


def _member_went(fault: Fault, failure: Failure, _faults: Sequence[Fault]) -> bool:
    """Its connections are reset; a connection that is being placed may be rejected."""
    service, _, server = fault.target.rpartition("-")
    here = failure.service == service and failure.server in (None, server)
    return here and failure.outcome in (*_CUT, "refused") and failure.within(fault.begin, fault.begin + CLOSING_S)


def _server_ended(fault: Fault, failure: Failure, faults: Sequence[Fault]) -> bool:
    """Its kernel resets open connections, and rejects new ones until the checks have noticed."""
    if failure.server is not None:
        return failure.server == fault.target and failure.outcome in _CUT and failure.within(fault.begin, _noticed_by_clients(fault, faults))
    return failure.outcome in (*_CUT, "refused") and failure.within(fault.begin, _noticed(fault, faults))


def _noticed_by_clients(killed: Fault, faults: Sequence[Fault]) -> float:
    """The time by which clients must have noticed a server's end: lost packets are retransmitted."""
    deadline = killed.begin + CLOSING_S
    for other in faults:
        if _loses_packets(other, faults) and other.begin <= deadline and other.end + RESENT_S >= killed.begin:
            deadline = max(deadline, other.end + RESENT_S)
    return deadline


def _loses_packets(fault: Fault, faults: Sequence[Fault]) -> bool:
    """Whether packets of open connections may be lost until its end: on a silent link, or on a broken link while no
    controller routes around it."""
    return fault.kind == "mute" or (
        fault.kind in ABSENCES and any(other.kind in _BREAKING and other.begin <= fault.end and other.end >= fault.begin for other in faults)
    )


def _noticed(killed: Fault, faults: Sequence[Fault]) -> float:
    """The time by which the checks must have noticed that a server has ended."""
    noticed = killed.begin + DETECTION_S
    for other in faults:
        if other.kind in UNCHECKED and other.begin <= noticed:
            noticed = max(noticed, other.end + DETECTION_S)
    return noticed


def is_due(down: Fault, faults: Sequence[Fault]) -> bool:
    """Whether a member was taken down because its server had ended, not while it served."""
    server = down.target.rpartition("-")[2]
    return any(
        fault.kind == "kill" and fault.target == server and fault.begin <= down.begin <= max(_noticed(fault, faults), fault.end + CHECK_S)
        for fault in faults
    )


def _controller_ended(fault: Fault, failure: Failure, faults: Sequence[Fault]) -> bool:
    """A dormant connection is forgotten: its next packet is answered with a reset.

    A connection whose packets were lost is dormant, too.
    """
    silent_s = failure.silent_s
    if any(_loses_packets(other, faults) and other.begin <= fault.begin and failure.within(other.begin, other.end) for other in faults):
        silent_s = failure.ended - failure.progress
    dormant = failure.accepted is not None and silent_s >= IDLE_S
    return dormant and failure.outcome == "reset" and failure.within(fault.begin, fault.end)


def _handshake_was_late(fault: Fault, failure: Failure, _faults: Sequence[Fault]) -> bool:
    """A SYN that is retransmitted after its rule has expired is placed again, and the first server's answer then has no
    effect."""
    accepted = failure.accepted if failure.accepted is not None else failure.ended
    late = failure.server is None and accepted - failure.began >= IDLE_S
    return late and failure.outcome == "reset" and fault.begin <= accepted and failure.began <= fault.end


_RULES: Mapping[str, Callable[[Fault, Failure, Sequence[Fault]], bool]] = {
    "remove": _member_went,
    "disable": _member_went,
    DOWN: _member_went,
    "kill": _server_ended,
    "crash": _controller_ended,
    "mute": _handshake_was_late,
    "pause": _handshake_was_late,
}

#: Faults during which the controller is inactive.
ABSENCES = ("crash", "pause")
#: Events during which the servers of a switch, or of all switches, are not checked.
UNCHECKED = (*ABSENCES, "orphan", "restart")
