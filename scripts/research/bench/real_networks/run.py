"""`./malob bench real-networks`: VIPs in networks with routers, VLANs, legacy switches and bonds."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from malob.cli import table
from malob.cli.arguments import Parser, positive
from malob.system.waiting import say
from research.bench.bench_command import BenchCommand, Document
from research.bench.real_networks import cases
from research.bench.real_networks.cases import CASES, Scale
from research.bench.real_networks.site import Row

_HEAD = (
    "case",
    "placement",
    "requests",
    "failed",
    "> 0.5 s",
    "open",
    "broken",
    "pause s",
    "slowest s",
    "rules",
    "third port",
    "wrong tags",
    "packet-ins",
)


class RealNetworksCommand(BenchCommand):
    name = "real-networks"
    purpose = "clients behind routers, gateways that fail over, legacy switches, VLANs and bonds; needs root"
    description = (
        "Requests and open connections through a VIP on Open vSwitch, in networks as users have them: many client addresses behind"
        " routers, gateways that fail over, OpenFlow switches behind a legacy one, VLANs, bonds, addresses on bridges, and a small path"
        " MTU; reactive and proactive. Exit code 1 if a case does not reach what is required of it."
    )
    needs = ("lab", "controller", "routers")

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--case", action="append", choices=list(CASES), help="run only this case; may be repeated")
        parser.add_argument("--addresses", type=positive, default=20_000, metavar="N", help="client addresses behind routers (default %(default)s)")
        parser.add_argument("--rate", type=positive, default=300, metavar="R", help="of them per second (default %(default)s)")
        parser.add_argument(
            "--watch", type=positive, default=600, metavar="S", help="seconds for which a legacy switch's table is watched (default %(default)s)"
        )

    def measure(self, options: argparse.Namespace) -> Document:
        rows: list[Row] = []
        scale = Scale(options.addresses, options.rate, options.watch)
        with tempfile.TemporaryDirectory(prefix="malob-bench-") as directory:
            for name in options.case or CASES:
                place = Path(directory) / name
                place.mkdir()
                for row in CASES[name](place, scale):
                    say("  ".join(_cells(row.document())))
                    rows.append(row)
        return cases.document(rows)

    def lines(self, found: Document) -> list[str]:
        rows = found["rows"]
        return [
            *table.render(list(_HEAD), [_cells(row) for row in rows], right=range(2, len(_HEAD))),
            *(f"wrong, {row['case']}, {row['placement']}: {sentence}" for row in rows for sentence in row["wrong"]),
        ]


def _cells(row: Mapping[str, Any]) -> list[str]:
    def figure(key: str, digits: int = 0) -> str:
        return "-" if key not in row else f"{row[key]:,.{digits}f}"

    counts = [figure(key) for key in ("requests", "failed", "slow", "open", "broken")]
    rules = f"{row['rules_few']}, {row['rules_many']}" if "rules_many" in row else "-"
    times = [figure("pause_s", 2), figure("slowest_s", 2)]
    return [row["case"], row["placement"], *counts, *times, rules, figure("third_port_frames"), figure("wrong_tags"), figure("packet_ins")]
