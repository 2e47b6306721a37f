"""Converts the uplinks' deliveries to summary, table and figures of `lab run endhost-dynamic`. No I/O."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from malob.cli.table import render
from malob.errors import UsageError
from research.experiments import endhost_policies, endhost_traces
from research.experiments.endhost_paths import Paths
from research.experiments.endhost_policies import Policy
from research.experiments.endhost_recording import Second
from research.experiments.plots import Bar, Chart, Figure, Line
from research.experiments.summary import Check, Summary

RESULTS = ["policy", "trace", "patience_s", "resets", "runs", "mbps", "goodput_mbps", "optimum_mbps", "share", "files", "failed", "paper_mbps"]

#: The figures in the text (sections 8.1 and 8.2), in Mbit/s.
PAPER_MBPS = {
    "eth0.synthetic": 11,
    "eth1.synthetic": 9,
    "rr.synthetic": 12.5,
    "mbw.synthetic": 14.5,
    "mptcp-eth0.synthetic": 19,
    "wrr.synthetic": 20.5,
    "eth0.realistic": 30,
    "eth1.realistic": 20,
    "rr.realistic": 22.5,
    "mbw.realistic": 38.5,
    "mptcp-eth0.realistic": 39,
    "wrr.realistic": 43.2,
}

#: The target of WRR as a share of the optimum.
_WANTED_SHARE = 0.9

#: Only MPTCP and the policies compared with it run with the outage.
_OUTAGE_POLICIES = ("wrr", "wrr-est", "adaptive", "mptcp-eth0", "mptcp-eth1")
_TITLES = {"synthetic": "figure-12", "realistic": "figure-26", "outage": "figure-25", endhost_traces.NAME: "together"}


@dataclass(frozen=True)
class Case:
    """A policy on a trace. usual: it has the default patience, which is not in its key. resets: MALOB can see when an uplink
    has no throughput, and resets its flows; otherwise the outage is behind the gateway, and the host does not notice it."""

    policy: Policy
    trace: str
    patience_s: float
    usual: bool = True
    resets: bool = True

    @property
    def key(self) -> str:
        """The part of a metric's key after the quantity."""
        patience = "" if self.usual else f".timeout-{self.patience_s:g}"
        return f"{self.policy.name}.{self.trace}{patience}{'' if self.resets else '.no-resets'}"


@dataclass(frozen=True)
class Turn:
    """The result of one run. size: bytes of files; errors: numbers of failed fetches by error."""

    seconds: Sequence[Second]
    files: int
    size: int
    errors: Mapping[str, int]
    lasted_s: float

    @property
    def mbps(self) -> float:
        """The bytes that all uplinks delivered, in IP packets."""
        lasted_s = sum(second.lasted_s for second in self.seconds)
        return sum(sum(second.received_mbps) * second.lasted_s for second in self.seconds) / lasted_s if lasted_s else 0.0

    @property
    def goodput_mbps(self) -> float:
        return self.size * 8e-6 / self.lasted_s


def timeouts(text: str | None) -> list[float]:
    """The values of --timeouts. Raises UsageError."""
    found = []
    for word in text.split(",") if text else []:
        try:
            value = float(word)
        except ValueError:
            value = 0
        if not 0 < value <= 3600:
            raise UsageError(f"--timeouts: '{word.strip()}' is not a number of seconds above 0")
        found.append(value)
    return found


def cases(policies: Sequence[str], traces: Sequence[str], patience_s: float, more: Sequence[float]) -> list[Case]:
    """All policies on all traces; more: patiences of WRR on the realistic one, each with resets and without."""
    found = [
        Case(endhost_policies.named(name), trace, patience_s)
        for trace in traces
        for name in policies
        if trace != "outage" or name in _OUTAGE_POLICIES
    ]
    return found + [Case(endhost_policies.named("wrr"), "realistic", each, usual=False, resets=resets) for each in more for resets in (True, False)]


class Results:
    """By case, the results of all its runs."""

    def __init__(self, all_cases: Sequence[Case], turns: Mapping[str, Sequence[Turn]], paths: Mapping[str, Paths]) -> None:
        self.turns = {case: turns[case.key] for case in all_cases if turns[case.key]}
        self.paths = paths

    def mbps(self, case: Case) -> float:
        return statistics.fmean(turn.mbps for turn in self.turns[case])

    def goodput_mbps(self, case: Case) -> float:
        return statistics.fmean(turn.goodput_mbps for turn in self.turns[case])

    def optimum_mbps(self, case: Case) -> float:
        return self.paths[case.trace].optimum_mbps

    def share(self, case: Case) -> float:
        """Of the optimum."""
        return self.mbps(case) / self.optimum_mbps(case)


def summarise(summary: Summary, results: Results) -> None:
    """Adds the metrics of all cases, the paper's figures, and targets."""
    for case in results.turns:
        summary.metric(f"mbps.{case.key}", round(results.mbps(case), 4), "Mbit/s")
        summary.metric(f"goodput_mbps.{case.key}", round(results.goodput_mbps(case), 4), "Mbit/s")
        summary.metric(f"share.{case.key}", round(results.share(case), 4), "1")
        failed = sum(sum(turn.errors.values()) for turn in results.turns[case])
        summary.metric(f"failed_fetches.{case.key}", failed, "1")
        if case.key in PAPER_MBPS:
            summary.paper(f"mbps.{case.key}", PAPER_MBPS[case.key], "Mbit/s")
    for trace in dict.fromkeys(case.trace for case in results.turns):
        summary.metric(f"optimum_mbps.{trace}", round(results.paths[trace].optimum_mbps, 4), "Mbit/s")
        summary.checks += _checks(summary, trace)


def _checks(summary: Summary, trace: str) -> list[Check]:
    def ratio(other: str, mine: str) -> float | None:
        return summary.ratio(other, f"mbps.{mine}.{trace}")

    wanted = (
        []
        if trace == "outage"
        else [Check(f"optimum to {mine}: {trace}", ratio(f"optimum_mbps.{trace}", mine), 1 / _WANTED_SHARE) for mine in ("wrr", "wrr-est")]
    )
    wanted += [
        Check(f"{other} to {mine}: {trace}", ratio(f"mbps.{other}.{trace}", mine), 1.0)
        for mine, other in (("adaptive", "wrr"), ("wrr", "mptcp-eth0"), ("wrr", "mptcp-eth1"), ("adaptive", "mptcp-eth0"), ("adaptive", "mptcp-eth1"))
    ]
    return [check for check in wanted if check.value is not None]


def rows(results: Results) -> list[list[str]]:
    """The rows of results.csv."""
    return [
        [
            case.policy.name,
            case.trace,
            f"{case.patience_s:g}",
            "yes" if case.resets else "no",
            str(len(turns)),
            f"{results.mbps(case):.3f}",
            f"{results.goodput_mbps(case):.3f}",
            f"{results.optimum_mbps(case):.3f}",
            f"{results.share(case):.4f}",
            str(sum(turn.files for turn in turns)),
            str(sum(sum(turn.errors.values()) for turn in turns)),
            f"{PAPER_MBPS[case.key]:g}" if case.key in PAPER_MBPS else "",
        ]
        for case, turns in results.turns.items()
    ]


def table(results: Results) -> list[str]:
    """The printed table."""
    header = ["policy", "trace", "patience", "resets", "runs", "Mbit/s", "of files", "optimum", "% of it", "files", "failed", "paper"]
    lines = [[*row[:5], *(f"{float(word):.2f}" for word in row[5:8]), f"{100 * float(row[8]):.1f}", *row[9:]] for row in rows(results)]
    return render(header, lines, right=range(4, 12))


def figures(results: Results) -> list[Figure | Chart]:
    """Bars of each trace, the series of each case, and the time-outs."""
    found: list[Figure | Chart] = []
    for trace in dict.fromkeys(case.trace for case in results.turns):
        mine = [case for case in results.turns if case.trace == trace and case.usual]
        optimum = results.paths[trace].optimum_mbps
        bars = [
            Bar(
                case.policy.name,
                results.mbps(case),
                *_range(results, case),
                len(results.turns[case]),
                PAPER_MBPS.get(case.key),
                PAPER_MBPS.get(case.key),
                optimum,
            )
            for case in mine
        ]
        found.append(
            Figure(
                _TITLES[trace],
                f"All uplinks together, {trace} trace",
                "Mbit/s",
                bars,
                paper_label="paper",
                optimum_label="all that uplinks can carry",
                whiskers="lowest and highest run",
            )
        )
    found += [_series(results, case) for case in results.turns]
    swept = [case for case in results.turns if not case.usual]
    if swept:
        found.append(
            Chart(
                "figure-21",
                "WRR on the realistic trace",
                "time-out of sockets, s",
                "Mbit/s",
                [
                    _swept(results, label, mine)
                    for label, resets in (("with resets", True), ("without", False))
                    if (mine := [case for case in swept if case.resets == resets])
                ],
            )
        )
    return found


def _range(results: Results, case: Case) -> tuple[float, float]:
    values = [turn.mbps for turn in results.turns[case]]
    return min(values), max(values)


def _swept(results: Results, label: str, cases: Sequence[Case]) -> Line:
    return Line(
        label, [case.patience_s for case in cases], [results.mbps(case) for case in cases], count=min(len(results.turns[case]) for case in cases)
    )


def _series(results: Results, case: Case) -> Chart:
    """Of the first run."""
    seconds = results.turns[case][0].seconds
    at = [float(second.number) for second in seconds]
    lines = []
    for uplink in range(len(results.paths[case.trace].traces)):
        name = f"eth{uplink}"
        lines.append(Line(name, at, [second.received_mbps[uplink] for second in seconds], count=1))
        lines.append(Line(f"{name}, capacity", at, [second.capacity_mbps[uplink] for second in seconds], of="model"))
        known = [(second.number, estimate) for second in seconds if (estimate := second.estimate_mbps[uplink]) is not None]
        if known and not case.policy.recorded:
            lines.append(Line(f"estimate of {name}", [x for x, _ in known], [y for _, y in known], of="model"))
    lines.append(Line("together", at, [sum(second.received_mbps) for second in seconds], count=1))
    lines.append(Line("together, capacity", at, [sum(second.capacity_mbps) for second in seconds], of="model"))
    return Chart(f"series-{case.key}", f"{case.policy.name}, {case.trace} trace", "s", "Mbit/s", lines)
