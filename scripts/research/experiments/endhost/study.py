"""The frame of an experiment on a host with several uplinks: a network, and the cases that take turns on it."""

from __future__ import annotations

import argparse
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar

from lab.multihomed import UplinkLine
from lab.saturation import SaturationMeter
from research.experiments.endhost.paths import DELAY_MS, Paths
from research.experiments.endhost.policies import Policy
from research.experiments.endhost.site import EndhostSite, open_site
from research.experiments.frame.arguments import add_congestion, amount, congestion
from research.experiments.frame.study import Study

#: Time for MALOB to measure the rates of uplinks, as on a host where it has been running for a while.
_FIRST_ESTIMATE_S = 6.0


class EndhostStudy(Study):
    """Places are the lines of a network's uplinks."""

    parts: Sequence[str] = ("lab", "endhost", "bench")
    #: those that --only can choose from
    policies: ClassVar[Sequence[str]]
    #: the network, while it is up
    site: EndhostSite

    #: what --seconds is the duration of, the default, and that of --quick; None for experiments without this option
    runs: ClassVar[tuple[str, float, float] | None] = None
    #: the duration of a slice besides that
    setting_up_s: ClassVar[float] = 0

    def __init__(
        self,
        options: argparse.Namespace,
        keys: Sequence[str],
        rounds: int,
        lines: Sequence[UplinkLine | None] = (),
        sizes: Sequence[int] = (),
        ports: Sequence[int] = (),
    ) -> None:
        """lines: of the uplinks. sizes, ports: of the web server's files, and its further ports. Raises UsageError."""
        super().__init__(options, keys, rounds)
        self.congestion = congestion(options.congestion)
        if self.runs is not None:
            _, usual, quick = self.runs
            self.seconds: float = options.seconds or (quick if options.quick else usual)
        self.lines = lines
        self.sizes, self.ports = sizes, ports

    @classmethod
    def add_options(cls, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--only", metavar="POLICY,POLICY...", help=f"run these only, of {', '.join(cls.policies)}")
        add_congestion(parser, "the senders")
        if cls.runs is not None:
            what, usual, quick = cls.runs
            parser.add_argument("--seconds", type=amount, metavar="S", help=f"duration of {what} (default {usual:g}; with --quick {quick:g})")

    def places(self) -> Sequence[tuple[Sequence[UplinkLine | None], Sequence[str]]]:
        return [(self.lines, self.keys)]

    def guesses_s(self) -> Mapping[str, float]:
        return dict.fromkeys(self.keys, self.setting_up_s + self.seconds)

    @contextmanager
    def network(self, place: Sequence[UplinkLine | None]) -> Iterator[None]:
        with open_site(place, self.congestion, self.folder, self.sizes, self.ports) as self.site:
            self.prepare_site()
            yield

    def prepare_site(self) -> None:
        """Starts what runs throughout."""

    def saturation_meter(self) -> SaturationMeter:
        return self.site.saturation_meter()

    def use(self, policy: Policy, capacity_mbps: float | None = None) -> None:
        """Returns once the host follows a policy, and has measured its uplinks. capacity_mbps: of each, if the policy gets capacities."""
        if policy.algorithm is None:
            self.site.be_plain(policy.uplink or 0)
            return
        self.site.be_balanced(policy.algorithm)
        for name in self.site.network.names:
            self.site.product.record_capacity(name, capacity_mbps if policy.recorded else None)
        time.sleep(0 if policy.recorded else _FIRST_ESTIMATE_S)

    def shape(self, paths: Paths, queue_packets: int) -> None:
        """Gives uplinks their first rates."""
        for uplink, trace in enumerate(paths.traces):
            self.site.network.shape(uplink, UplinkLine.of(trace.steps[0].rate_mbps, DELAY_MS, queue_packets))

    @abstractmethod
    def own_parameters(self) -> Mapping[str, object]:
        """The fixed parameters besides those of all such experiments."""

    def parameters(self) -> dict[str, object]:
        return {
            **self.own_parameters(),
            "seed": self.options.seed,
            "quick": self.options.quick,
            "rounds": self.rounds,
            "congestion_control": self.congestion,
            "cases": list(self.keys),
        }
