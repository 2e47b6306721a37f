"""The command-line options of experiments."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path

from malob.cli.arguments import positive
from malob.errors import UsageError

#: The default of Linux in 2015, if this kernel has it.
_PREFERRED_CONGESTION = "cubic"
_CONGESTION = Path("/proc/sys/net/ipv4")


def add_common(parser: argparse.ArgumentParser) -> None:
    """The options of all experiments."""
    parser.add_argument("--quick", action="store_true", help="a run of some minutes, too short for reliable results")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the directory for summary.json, CSV, SVG and PNG (default results/EXPERIMENT-TIME)")
    parser.add_argument("--rounds", type=positive, metavar="N", help="how often each case is run")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the order of cases (default %(default)s)")
    parser.add_argument("--no-plots", action="store_true", help="draw no figures (matplotlib is not needed)")
    parser.add_argument("--check", action="store_true", help="exit code 1 also if a target is missed or a run is rejected")
    parser.add_argument("--json", action="store_true", help="print summary.json instead of a table")


def add_congestion(parser: argparse.ArgumentParser, of: str) -> None:
    parser.add_argument("--congestion", metavar="NAME", help=f"congestion control of {of} (default {_PREFERRED_CONGESTION} if the kernel has it)")


def congestion(name: str | None) -> str:
    """The congestion control to use. Raises UsageError if the kernel does not have the requested one."""
    known = (_CONGESTION / "tcp_available_congestion_control").read_text().split()
    if name is None:
        default = (_CONGESTION / "tcp_congestion_control").read_text().strip()
        return _PREFERRED_CONGESTION if _PREFERRED_CONGESTION in known else default
    if name not in known:
        raise UsageError(f"--congestion: this kernel has {', '.join(known)}, not '{name}'")
    return name


def out_directory(options: argparse.Namespace, experiment: str) -> Path:
    """The directory of --out, or a new one below results/."""
    return options.out or Path("results") / f"{experiment}-{time.strftime('%Y%m%d-%H%M%S')}"


def rounds(options: argparse.Namespace, usual: int, quick: int = 1) -> int:
    """The number of --rounds; otherwise the usual one, or that of --quick."""
    return options.rounds or (quick if options.quick else usual)


def amount(text: str) -> float:
    """More than 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0, not '{text}'")
    return value


def duration(text: str) -> float:
    """0 or more."""
    return 0.0 if text.strip() in ("0", "0.0") else amount(text)


def chosen(text: str | None, available: Sequence[str], option: str = "--only") -> list[str]:
    """The named ones, in the order of the available ones; all if none is named. Raises UsageError."""
    names = list(available) if text is None else [name.strip() for name in text.split(",")]
    for name in names:
        if name not in available:
            raise UsageError(f"{option}: '{name}' is not one of {', '.join(available)}")
    return [name for name in available if name in names]
