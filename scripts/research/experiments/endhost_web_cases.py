"""The cases of `lab run endhost-web`: policy, links, transport, with or without a film. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from research.experiments import endhost_policies
from research.experiments.endhost_policies import Policy

POLICIES = ("eth0", "eth1", "wrr", "adaptive")
TRANSPORTS = ("tcp", "quic")
LINKS = ("static", "realistic")

#: The rate of each uplink with static links: not in the paper; with these, pages take seconds, as there.
STATIC_MBPS = 4.0

#: The paper's saving of WRR in the mean time of the single interface (sections 5.1, 5.2 and 6.2), in percent.
PAPER_GAINS = {"tcp.static": {"eth0": 37}, "quic.static": {"eth0": 30}, "quic-video.static": {"eth0": 22}, "tcp.realistic": {"eth0": 33, "eth1": 13}}

#: The paper's medians and means, in seconds.
PAPER_MEDIANS_S = {"eth0.tcp.static": 12, "wrr.tcp.static": 7.5, "eth0.tcp.realistic": 6.3, "eth1.tcp.realistic": 4.8, "wrr.tcp.realistic": 3.9}
PAPER_MEANS_S = {"eth0.tcp.realistic": 8.6, "eth1.tcp.realistic": 6.7, "wrr.tcp.realistic": 5.8}


@dataclass(frozen=True)
class Case:
    """links: one of LINKS. video: a film is watched meanwhile; alone: only the film."""

    policy: Policy
    transport: str
    links: str
    video: bool = False
    alone: bool = False

    @property
    def scenario(self) -> str:
        """The key in metrics that all policies share."""
        name = "video" if self.alone else self.transport + ("-video" if self.video else "")
        return f"{name}.{self.links}"

    @property
    def key(self) -> str:
        """The part of a metric's key after the quantity."""
        return f"{self.policy.name}.{self.scenario}"


def cases(policies: Sequence[str], transports: Sequence[str], links: Sequence[str], video: bool) -> list[Case]:
    """All cases; with equal uplinks, one single-uplink policy is enough. video: with the film if links are static."""
    found = []
    for link in links:
        some = [name for name in policies if link == "realistic" or name != "eth1"]
        for transport in transports:
            found += [Case(endhost_policies.named(name), transport, link) for name in some]
            if video and link == "static":
                found += [Case(endhost_policies.named(name), transport, link, video=True) for name in some]
    if video and "static" in links and "eth0" in policies:
        found.append(Case(endhost_policies.named("eth0"), "tcp", "static", video=True, alone=True))
    return found
