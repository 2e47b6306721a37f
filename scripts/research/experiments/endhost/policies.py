"""The policies of a host with several uplinks: names and set-up. No I/O."""

from __future__ import annotations

from dataclasses import dataclass

TCP, MPTCP = 6, 262


@dataclass(frozen=True)
class Policy:
    """algorithm: of MALOB; None for a host without it. recorded: MALOB gets capacities every second from the played trace;
    otherwise it measures them. uplink: the one of a host without MALOB, or MPTCP's first one."""

    name: str
    algorithm: str | None = None
    recorded: bool = False
    uplink: int | None = None
    protocol: int = TCP


ALL = (
    Policy("eth0", uplink=0),
    Policy("eth1", uplink=1),
    Policy("rr", "RR"),
    Policy("mbw", "MBW", recorded=True),
    Policy("wrr", "WRR", recorded=True),
    Policy("wrr-est", "WRR"),
    Policy("adaptive", "ADAPTIVE"),
    Policy("mptcp-eth0", uplink=0, protocol=MPTCP),
    Policy("mptcp-eth1", uplink=1, protocol=MPTCP),
)
NAMES = tuple(policy.name for policy in ALL)


def named(name: str) -> Policy:
    """One of NAMES."""
    return next(policy for policy in ALL if policy.name == name)
